internal import MediaCore

extension ByteSink {
  /// Appends bytes.
  ///
  /// - Throws: `MP4Error` `.sink`.
  func put(_ bytes: [UInt8]) throws(MP4Error) {
    try put(bytes[...])
  }

  /// Appends bytes.
  ///
  /// - Throws: `MP4Error` `.sink`.
  func put(_ bytes: ArraySlice<UInt8>) throws(MP4Error) {
    do throws(SinkError) { try write(bytes) } catch { throw MP4Error(.sink(error), file: error.name) }
  }

  /// Overwrites bytes from an offset on.
  ///
  /// - Throws: `MP4Error` `.sink`.
  func put(_ bytes: [UInt8], at offset: Int) throws(MP4Error) {
    do throws(SinkError) { try patch(bytes, at: UInt64(offset)) } catch {
      throw MP4Error(.sink(error), file: error.name)
    }
  }
}
