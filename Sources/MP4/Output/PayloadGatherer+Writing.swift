internal import MediaCore

extension PayloadGatherer {
  /// Writes what was gathered, and is empty again.
  ///
  /// - Throws: `MP4Error` `.source`, `.sink`.
  mutating func flush(to sink: any ByteSink) throws(MP4Error) {
    do throws(TransferError) { try write(count, to: sink) } catch { throw MP4Error(error) }
  }
}
