import AAC
import MediaCore

// LATM in LOAS, of which there are hardly any real files: the bytes as they are, and a stream that they choose, with
// damage that they choose, too.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLOAS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  check(bytes)
  check(made(bytes))
  return 0
}

private func check(_ bytes: [UInt8]) {
  let source = SourceReader(MemorySource(bytes))
  do {
    _ = try LOASReader.looksLikeLOAS(source)
    try checkStream(source)
  } catch {
    require(!error.description.isEmpty, "an error says what is wrong")
  }
}

/// A stream whose form, packets and damage are the input's choice.
private func made(_ bytes: [UInt8]) -> [UInt8] {
  var choices = Choices(bytes)
  var maker = LOASMaker()
  var stream: [UInt8] = []
  while !choices.isEmpty, stream.count < 1 << 16 {
    if choices.once(in: 8) { change(&maker, &choices) }
    let packets = (0..<maker.packetsPerFrame).map { _ in
      (0..<choices.number(0...300)).map { _ in choices.byte() }
    }
    var frame = maker.frame(packets, isConfigured: !choices.once(in: 3))
    if choices.once(in: 6) { frame[choices.number(0...(frame.count - 1))] ^= choices.byte() }
    if choices.once(in: 12) { frame.removeLast(choices.number(0...frame.count)) }
    if choices.once(in: 12) { stream += (0..<choices.number(0...40)).map { _ in choices.byte() } }
    stream += frame
  }
  return stream
}

private func change(_ maker: inout LOASMaker, _ choices: inout Choices) {
  let configs: [([UInt8], Int)] = [
    ([0x12, 0x10], 16), ([0x13, 0x88], 16), ([0x2B, 0x92, 0x08, 0x00], 25), ([0xEB, 0x09, 0x88, 0x00], 32),
    ([0x12, 0x10, 0x56, 0xE5, 0xA0], 37), ([0xBA, 0x10, 0], 20), ([0x17, 0x80, 0, 0x56, 0x22], 40),
    ([0x12, 0x00, 0x05, 0x10, 0, 0, 0, 0, 0], 72),
  ]
  maker.version = choices.once(in: 2) ? 1 : 0
  maker.versionA = choices.once(in: 16) ? 1 : 0
  maker.hasSameFraming = !choices.once(in: 16)
  maker.packetsPerFrame = UInt32(choices.number(1...4))
  maker.programs = choices.once(in: 16) ? 2 : 1
  maker.layers = choices.once(in: 16) ? 2 : 1
  maker.lengthType = choices.once(in: 8) ? UInt32(choices.number(0...7)) : 0
  maker.otherBits = choices.once(in: 4) ? UInt32(choices.number(0...400)) : nil
  maker.hasChecksum = choices.once(in: 4)
  maker.excess = choices.once(in: 4) ? choices.number(0...5) : 0
  (maker.config, maker.configBits) = choices.pick(configs)
}

private func checkStream(_ source: SourceReader) throws(AACError) {
  var reader = try LOASReader(source)
  var packets: [EncodedSample] = []
  var (time, frame) = (Int64(0), UInt64(0))
  while let packet = try reader.next() {
    require(packet.timing.decodeTime == time, "each packet begins when the one before ends")
    time = time.saturatingAdd(packet.timing.duration)
    guard case .bytes(let payload) = packet.payload else { fatalError("violated: packets are bytes") }
    require(payload.count <= 8191, "a packet lies in a frame")
    require(reader.frameOffset >= frame && reader.frameOffset < source.size, "frames lie one after another")
    frame = reader.frameOffset
    require(reader.track.descriptions.indices.contains(packet.descriptionIndex), "a packet has a description")
    packets.append(packet)
  }
  require(try reader.next() == nil, "the end of a stream stays the end")
  let report = reader.report
  require(report.packets == UInt64(packets.count), "packets are counted")
  let accounted = report.payloadBytes + report.junkBytes + report.tailBytes
  require(accounted <= source.size, "no byte is counted twice: \(report) of \(source.size)")
  for description in reader.track.descriptions {
    require((try? AudioSpecificConfig(description)) != nil, "a configuration that was found can be read")
  }
  rewrite(packets, of: reader.track)
}

/// The packets as ADTS: what can be written reads as many packets.
private func rewrite(_ packets: [EncodedSample], of track: Track) {
  let sink = MemorySink()
  do {
    var writer = try ADTSWriter(sink: sink, track: track)
    for packet in packets { try writer.append(packet) }
    let summary = try writer.finish()
    guard summary.packets > 0 else { return }
    var (reader, count) = (try ADTSReader(SourceReader(MemorySource(sink.bytes))), UInt64(0))
    while try reader.next() != nil { count += 1 }
    require(count == summary.packets, "as many packets are read as were written")
  } catch {
    require(!error.description.isEmpty, "an error says what is wrong")
  }
}
