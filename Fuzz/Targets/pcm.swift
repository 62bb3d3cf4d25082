import MediaCore
import PCM

// A file of WAVE, AIFF or CAF, read in pieces and by seeking. What is written from what was read must read as the same.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPCM(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try check(SourceReader(MemorySource(input(start, count))))
  } catch {
    require(!error.description.isEmpty, "an error says what is wrong")
  }
  return 0
}

private func check(_ source: SourceReader) throws(PCMFileError) {
  var reader = try PCMFileReader(source)
  let start = reader
  guard let frames = reader.frameCount else { fatalError("violated: of a file the number of frames is known") }
  require(frames <= source.size / UInt64(reader.fileFormat.bytesPerFrame), "frames lie in the file")
  var buffers: [PCMBuffer] = []
  var count: UInt64 = 0
  while let sound = try reader.next(frames: 1000) {
    let buffer = sound.payload
    require(sound.timing.presentationTime == Int64(count), "a sample has the time of its place")
    require(buffer.format == reader.format, "all buffers have the format")
    count += UInt64(buffer.frameCount)
    buffers.append(buffer)
  }
  require(count == frames && reader.position == frames, "all frames are delivered, once")
  var again = start
  again.seek(toFrame: frames / 2)
  let half = try again.next(frames: 1)
  require((half == nil) == (frames == 0), "there is a frame at every place")
  for tag in try reader.tags() { require(!tag.identifier.isEmpty && !tag.value.isEmpty, "a tag says something") }
  checkRewriting(buffers, of: reader.format)
}

private func checkRewriting(_ buffers: [PCMBuffer], of format: AudioFormat) {
  let sink = MemorySink()
  do {
    var writer = try WAVWriter(sink: sink, format: format)
    for buffer in buffers { try writer.append(buffer) }
    _ = try writer.finish()
  } catch {
    guard case .cannotWrite = error.code else { fatalError("violated: writing to memory works: \(error)") }
    return
  }
  do {
    var reader = try PCMFileReader(SourceReader(MemorySource(sink.bytes)))
    require(reader.format == format, "a format reads as it was written")
    for buffer in buffers {
      guard let again = try reader.next(frames: buffer.frameCount) else { fatalError("violated: all frames are there") }
      require(isSame(buffer, again.payload), "samples read as they were written")
    }
    require(try reader.next() == nil, "no more frames are read than were written")
  } catch {
    fatalError("violated: what was written can be read: \(error)")
  }
}

/// Bit by bit, as a NaN is never equal to itself.
private func isSame(_ one: PCMBuffer, _ other: PCMBuffer) -> Bool {
  switch (one.samples, other.samples) {
  case (.int16(let one), .int16(let other)): one == other
  case (.int32(let one), .int32(let other)): one == other
  case (.float32(let one), .float32(let other)): one.lazy.map(\.bitPattern).elementsEqual(other.lazy.map(\.bitPattern))
  default: false
  }
}
