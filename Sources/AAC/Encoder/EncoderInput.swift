/// Where the samples of one channel go, at the scale of 16-bit ones.
protocol EncoderInput: AnyObject {
  /// Room for more samples.
  var room: Int { get }

  /// Where the next samples go.
  var end: MemoryPart<Float> { get }

  /// Notes that this many samples were added at the end.
  func advance(_ count: Int)
}
