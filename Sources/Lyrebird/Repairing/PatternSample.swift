/// A sample that was found, of the track of the pattern with an index.
struct PatternSample {
  let track: Int
  let offset: UInt64
  let bytes: Int
  /// The first slice of a picture.
  var slice: PictureSlice?

  var end: UInt64 { offset + UInt64(bytes) }
}
