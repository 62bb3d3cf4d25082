internal import MediaCore

extension PayloadGatherer {
  /// Writes what was gathered, and is empty again.
  ///
  /// - Throws: `MP4Error` `.source`, `.sink`.
  mutating func flush(to sink: any ByteSink) throws(MP4Error) {
    do throws(SourceError) { try load() } catch { throw MP4Error(error) }
    do throws(SinkError) {
      try withBytes { (bytes) throws(SinkError) in if bytes.count > 0 { try sink.write(bytes) } }
    } catch {
      throw MP4Error(.sink(error), file: error.name)
    }
    removeAll()
  }
}
