internal import MediaCore

/// A layout of the file, which takes samples in decoding order.
protocol MuxerOutput: AnyObject {
  /// Adds a sample.
  ///
  /// - Parameter track: the index of its track among those of the muxer.
  /// - Throws: `MP4Error` `.source`, `.sink`.
  func add(_ sample: EncodedSample, to track: Int) throws(MP4Error)

  /// Marks a track as having no more samples.
  func end(_ track: Int)

  /// The earliest time at which samples of a track can still be decoded; `nil` for any.
  func earliestTime(of track: Int) -> Int64?

  /// Makes everything added so far part of a playable file, where the layout allows that.
  func flush() throws(MP4Error)

  /// Writes what remains; finishing the sink is left to the caller.
  func finish() throws(MP4Error) -> MuxerSummary

  /// Bytes of samples waiting in memory.
  var heldBytes: Int { get }
}
