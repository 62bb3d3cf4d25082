internal import MediaCore

/// Keeps samples in a temporary file, which is made when the first one comes.
struct SampleSpool {
  private var opened: (file: ScratchFile, reader: SourceReader)?

  /// The sample as it is kept from now on: in the file, if it was in memory.
  mutating func kept(_ data: MediaData) throws(MP4Error) -> MediaData {
    guard case .bytes(let bytes) = data, !bytes.isEmpty else { return data }
    do throws(SinkError) {
      let (file, reader) = try open()
      return .range(reader, offset: try file.append(bytes), count: bytes.count)
    } catch {
      throw MP4Error(.sink(error), file: error.name)
    }
  }

  private mutating func open() throws(SinkError) -> (file: ScratchFile, reader: SourceReader) {
    if let opened { return opened }
    let file = try ScratchFile()
    let made = (file, SourceReader(scratch: file))
    opened = made
    return made
  }
}
