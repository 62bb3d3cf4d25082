/// A sample that was found, of the track of the pattern with an index.
///
/// Small, as there is one for each sample of a movie.
struct PatternSample {
  let offset: UInt64
  private let size: UInt32
  private var trackNumber: UInt16
  /// The first slice of a picture.
  var slice: PictureSlice?

  /// `nil` for one that is too large for an index.
  init?(track: Int, offset: UInt64, bytes: Int, slice: PictureSlice? = nil) {
    guard let size = UInt32(exactly: bytes), let trackNumber = UInt16(exactly: track) else { return nil }
    (self.offset, self.size, self.trackNumber, self.slice) = (offset, size, trackNumber, slice)
  }

  var track: Int { Int(trackNumber) }

  /// The same sample, of another track.
  func of(track: Int) -> PatternSample {
    var other = self
    other.trackNumber = UInt16(clamping: track)
    return other
  }

  var bytes: Int { Int(size) }
  var end: UInt64 { offset + UInt64(size) }
}
