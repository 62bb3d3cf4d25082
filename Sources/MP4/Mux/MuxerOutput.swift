internal import MediaCore

/// What becomes of samples in the order of their decoding: a layout of the file.
protocol MuxerOutput: AnyObject {
  /// Adds a sample.
  ///
  /// - Parameter track: the index of its track among those of the muxer.
  /// - Throws: `MP4Error` `.source`, `.sink`.
  func add(_ sample: EncodedSample, to track: Int) throws(MP4Error)

  /// Marks a track as having no more samples.
  func end(_ track: Int)

  /// The earliest time that samples of a track can still be decoded at; `nil` for any.
  func earliestTime(of track: Int) -> Int64?

  /// Has everything added so far be part of a file that can be played, where the layout allows that.
  func flush() throws(MP4Error)

  /// Writes what is still to be written; the sink is left to be finished.
  func finish() throws(MP4Error) -> MuxerSummary

  /// Bytes of samples that wait in memory.
  var heldBytes: Int { get }
}
