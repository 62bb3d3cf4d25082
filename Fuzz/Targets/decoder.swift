import AAC
import MP4
import MediaCore

// Decodes whatever the bytes are: the AAC tracks of a movie, a stream of ADTS, or a configuration and packets. Each
// packet gives a frame, good or concealed; two decoders that are given the same give the same.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDecoder(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  let source = SourceReader(MemorySource(bytes))
  if let movie = try? MP4Demuxer(reader: source), let track = movie.audioTrack {
    var samples = movie.samples(of: track)
    decode(track.descriptions.first) { try samples.next() }
  } else if (try? ADTSReader.looksLikeADTS(source)) == true, let stream = try? ADTSReader(source) {
    var (first, packets) = (stream, stream)
    _ = try? first.next()
    decode(first.track.descriptions.first) { try packets.next() }
  } else {
    decodeRaw(bytes)
  }
  return 0
}

/// Packets that are decoded of one input: more only take time.
private let packetLimit = 32

private func decode(_ description: SampleDescription?, next: () throws -> EncodedSample?) {
  guard let description, let config = try? AudioSpecificConfig(description), let pair = Pair(config) else { return }
  for _ in 0..<packetLimit {
    guard let sample = try? next(), let bytes = try? sample.payload.load() else { return }
    pair.decode(Array(bytes))
  }
}

/// Bytes of a configuration, one that says how long packets are, and packets.
private func decodeRaw(_ bytes: [UInt8]) {
  guard bytes.count > 6, let config = try? AudioSpecificConfig(bytes.prefix(5)), let pair = Pair(config) else { return }
  let length = 8 + 4 * Int(bytes[5])
  var rest = bytes.dropFirst(6)
  for _ in 0..<packetLimit where !rest.isEmpty {
    pair.decode(Array(rest.prefix(length)))
    rest = rest.dropFirst(length)
  }
}

/// Two decoders of one stream.
private struct Pair {
  let first: AACDecoder
  let second: AACDecoder

  /// With the layers that the configuration announces, but for a few.
  init?(_ config: AudioSpecificConfig) {
    let isCoreOnly = config.frameLength == 960
    do {
      first = try AACDecoder(configuration: config, coreOnly: isCoreOnly)
      second = try AACDecoder(configuration: config, coreOnly: isCoreOnly)
    } catch {
      require(!error.description.isEmpty, "an error says what is wrong")
      return nil
    }
  }

  func decode(_ packet: [UInt8]) {
    let results = [first, second].map { decoder in
      let concealed = decoder.concealedPackets
      let outcome = decoder.decode(packet.span.bytes)
      require((outcome == .decoded) == (decoder.concealedPackets == concealed), "what is broken is counted")
      require(decoder.consumedBytes <= packet.count, "a packet does not take more than it has")
      var samples = [UInt16](repeating: 0, count: decoder.frameLength * decoder.format.channels)
      samples.withUnsafeMutableBytes { decoder.copyInt16s(0..<decoder.frameLength, to: $0) }
      return samples
    }
    require(results[0] == results[1], "the same packets give the same samples")
  }
}
