/// Sound on its way from one stage to the next: the samples of each channel by themselves.
struct PlanarBlock: Sendable {
  /// The most frames that it holds: few enough for the processor's first cache.
  static let capacity = 512

  /// The samples of channel c begin at `c * capacity`.
  var samples: [Float]
  /// The number of frames.
  var count = 0

  /// An empty block.
  init(channels: Int) { samples = [Float](repeating: 0, count: channels * PlanarBlock.capacity) }

  /// Appends the first frames to interleaved samples.
  func append(_ frames: Int, to output: inout [Float]) {
    let channels = samples.count / PlanarBlock.capacity
    let first = output.count
    // One check and one growth for all of them, instead of one for each sample.
    output.append(contentsOf: repeatElement(0, count: frames * channels))
    let source = samples.span
    var target = output.mutableSpan
    for channel in 0..<channels {
      var to = first + channel
      for frame in 0..<frames {
        target[to] = source[channel * PlanarBlock.capacity + frame]
        to += channels
      }
    }
  }
}
