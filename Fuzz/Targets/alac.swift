import ALAC
import MP4
import MediaCore

// Decodes whatever the bytes are as Apple Lossless: the track of a movie, or a configuration and packets. Each packet
// gives frames, decoded or made up, and what a packet gives does not depend on those before.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzALAC(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  if let movie = try? MP4Demuxer(reader: SourceReader(MemorySource(bytes))), let track = movie.audioTrack,
    let description = track.descriptions.first
  {
    guard let configuration = try? ALACConfiguration(description) else { return 0 }
    var samples = movie.samples(of: track)
    decode(configuration) { (try? samples.next()?.payload.load()).map { Array($0) } }
  } else {
    decodeRaw(bytes)
  }
  return 0
}

/// Packets that are decoded of one input: more only take time.
private let packetLimit = 8

/// Bytes of a configuration, one that says how long packets are, and packets.
private func decodeRaw(_ bytes: [UInt8]) {
  guard bytes.count > 26 else { return }
  var head = Array(bytes.prefix(24))
  // Most of what cannot be is made possible, to get any further.
  (head[0], head[1], head[4]) = (0, 0, 0)
  head[5] = [16, 20, 24, 32][Int(head[5] % 4)]
  head[9] = 1 + head[9] % 8
  (head[20], head[21]) = (0, 0)
  let configuration: ALACConfiguration
  do {
    configuration = try ALACConfiguration(head)
  } catch {
    return require(!error.description.isEmpty, "an error says what is wrong")
  }
  let length = 4 + 8 * Int(bytes[24])
  var rest = bytes.dropFirst(25)
  decode(configuration) {
    guard !rest.isEmpty else { return nil }
    defer { rest = rest.dropFirst(length) }
    return Array(rest.prefix(length))
  }
}

private func decode(_ configuration: ALACConfiguration, next: () -> [UInt8]?) {
  let decoder = ALACDecoder(configuration)
  for _ in 0..<packetLimit {
    guard let packet = next() else { return }
    let one = decoded(packet, by: decoder)
    let other = decoded(packet, by: ALACDecoder(configuration))
    require(one == other, "a packet gives the same samples whatever came before")
  }
}

private func decoded(_ packet: [UInt8], by decoder: ALACDecoder) -> [Int32] {
  let outcome = decoder.decodePacket(packet.span.bytes)
  require((1...decoder.maximumFrames).contains(outcome.frames), "a packet has frames, and no more than it may")
  if let fault = outcome.fault { require(!fault.description.isEmpty, "a fault says what is wrong") }
  var samples = [Int32](repeating: 0, count: outcome.frames * decoder.format.channels)
  var span = samples.mutableSpan
  decoder.copy(0..<outcome.frames, to: &span)
  return samples
}
