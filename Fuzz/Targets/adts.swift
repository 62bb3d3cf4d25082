import AAC
import MediaCore

// Three readings of the same bytes: as a stream of ADTS, as one header, and as an AudioSpecificConfig. What is
// written from what was read must read as the same.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzADTS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  checkHeader(bytes)
  checkConfiguration(bytes)
  let source = SourceReader(MemorySource(bytes))
  do {
    _ = try ADTSReader.looksLikeADTS(source)
    try checkStream(source)
  } catch {
    require(!error.description.isEmpty, "an error says what is wrong")
  }
  return 0
}

private func checkHeader(_ bytes: [UInt8]) {
  guard let header = try? ADTSHeader(bytes) else { return }
  let written = header.written
  require(written.count == header.headerSize, "a header is as long as it says")
  require(written.elementsEqual(bytes.prefix(written.count)), "a header is written as it was read")
  require(header.payloadSize >= 0, "a frame holds its header")
  _ = "\(header.configuration().name) \(header.sampleRate)"
}

private func checkConfiguration(_ bytes: [UInt8]) {
  guard let config = try? AudioSpecificConfig(bytes) else { return }
  _ = "\(config.name) \(config.codecString) \(config.outputChannels) \(config.outputSampleRate)"
  _ = try? ADTSHeader(config: config, payloadSize: bytes.count)
  guard let written = try? config.written else { return }
  do {
    let again = try AudioSpecificConfig(written)
    require(again == config, "a configuration reads as it was before it was written: \(config), now \(again)")
  } catch {
    fatalError("violated: what was written can be read: \(error)")
  }
}

private func checkStream(_ source: SourceReader) throws(AACError) {
  var reader = try ADTSReader(source)
  var packets: [EncodedSample] = []
  var time: Int64 = 0
  var end: UInt64 = 0
  while let packet = try reader.next() {
    require(packet.timing.decodeTime == time, "each packet begins when the one before ends")
    time += packet.timing.duration
    guard case .range(_, let offset, let count) = packet.payload else { fatalError("violated: packets are places") }
    require(offset >= end, "packets lie one after another")
    require(offset <= source.size && UInt64(count) <= source.size - offset, "packets lie in the file")
    end = offset + UInt64(count)
    packets.append(packet)
  }
  require(try reader.next() == nil, "the end of a stream stays the end")
  let report = reader.report
  require(report.packets == UInt64(packets.count), "packets are counted")
  let accounted = report.payloadBytes + report.junkBytes + report.tagBytes + report.tailBytes + 7 * report.frames
  require(accounted <= source.size, "no byte is counted twice: \(report) of \(source.size)")
  checkRewriting(packets, of: reader.track)
}

/// The packets as a new stream hold the same bytes; where channels need a description, it stands in front of them.
private func checkRewriting(_ packets: [EncodedSample], of track: Track) {
  let sink = MemorySink()
  let filled = packets.filter { $0.payload.count > 0 }
  do {
    var writer = try ADTSWriter(sink: sink, track: track)
    for packet in packets { try writer.append(packet) }
    let summary = try writer.finish()
    require(summary.packets == UInt64(filled.count), "every packet is written")
  } catch {
    require(!error.description.isEmpty, "an error says what is wrong")
    return
  }
  guard !filled.isEmpty else { return }
  do {
    var reader = try ADTSReader(SourceReader(MemorySource(sink.bytes)))
    for packet in filled {
      guard let again = try reader.next() else { fatalError("violated: as many packets are read as were written") }
      let (old, new) = (try loaded(packet), try loaded(again))
      require(new.suffix(old.count) == old, "a packet is read as it was written")
    }
    require(try reader.next() == nil, "no more packets are read than were written")
  } catch {
    fatalError("violated: what was written can be read: \(error)")
  }
}

private func loaded(_ packet: EncodedSample) throws(AACError) -> ArraySlice<UInt8> {
  do {
    return try packet.payload.load()
  } catch {
    throw AACError(.source(error))
  }
}
