internal import MP4
internal import MediaCore

/// A track of the output, whose samples are pulled one after another.
protocol JoinedTrack: AnyObject {
  /// What it is.
  var description: MuxerTrack { get }
  /// Packets of AAC that were kept so far.
  var keptPackets: UInt64 { get }
  /// Packets of AAC that were encoded anew so far.
  var encodedPackets: UInt64 { get }
  /// Whether an edit list hides what is between the parts.
  var hasEdits: Bool { get }
  /// Whether a part in H.264 begins with a key frame that is not an IDR picture.
  var hasOpenSeams: Bool { get }

  /// The next sample, at its time in the output; `nil` after the last one.
  func next() throws -> EncodedSample?
}
