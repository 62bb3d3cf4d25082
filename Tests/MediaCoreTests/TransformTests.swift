import MediaCore
import TestSupport
import Testing

@Suite(.inTurn) struct TransformTests {
  /// The matrices that phones write, by the degrees that a picture is turned clockwise.
  private static let turned: [(degrees: Int?, values: [Int32])] = [
    (0, [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]),
    (90, [0, 0x10000, 0, -0x10000, 0, 0, 1080 << 16, 0, 0x4000_0000]),
    (180, [-0x10000, 0, 0, 0, -0x10000, 0, 1920 << 16, 1080 << 16, 0x4000_0000]),
    (270, [0, -0x10000, 0, 0x10000, 0, 0, 0, 1920 << 16, 0x4000_0000]),
    // Mirrored, and skewed.
    (nil, [-0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]),
    (nil, [0x10000, 0x8000, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]),
    (nil, [0, 0, 0, 0, 0, 0, 0, 0, 0]),
  ]

  @Test("a rotation is the angle that the point (1, 0) is turned by, y pointing down", arguments: 0..<7)
  func knowsRotations(index: Int) {
    #expect(Transform(Self.turned[index].values).rotation == Self.turned[index].degrees)
  }

  @Test("a picture that lies on its side is as wide as it was high")
  func turnsSizes() {
    let size = Track.Size(width: 1920, height: 1080)
    let sizes = Self.turned.prefix(4).map { Transform($0.values).size(of: size) }
    let upright = Track.Size(width: 1080, height: 1920)
    #expect(sizes == [size, upright, size, upright])
    #expect(
      Transform([0x8000, 0, 0, 0, 0x20000, 0, 0, 0, 0x4000_0000]).size(of: size) == .init(width: 960, height: 2160))
  }

  @Test("nine numbers make a transform, any other count the identity, and the extremes do no harm")
  func needsNineNumbers() {
    #expect(Transform([1, 2, 3]) == .identity)
    #expect(Transform([]).rotation == 0)
    let extreme = Transform([Int32](repeating: .min, count: 9))
    #expect(extreme.rotation == nil)
    #expect(extreme.size(of: Track.Size(width: 65535, height: 65535)).width.isFinite)
  }

  @Test("a track shows its size turned")
  func tracksUseThem() {
    var track = Track(id: 1, kind: .video, timescale: 0)
    #expect(track.timescale == 1)
    track.size = Track.Size(width: 640, height: 480)
    track.transform = Transform(Self.turned[1].values)
    #expect(track.displaySize == Track.Size(width: 480, height: 640))
  }

  @Test("setting any other count of numbers than nine gives the identity", arguments: [0, 1, 8, 10])
  func ignoresOtherCounts(count: Int) {
    var transform = Transform(Self.turned[1].values)
    transform.values = [Int32](repeating: 5, count: count)
    #expect(transform == .identity)
    #expect(transform.rotation == 0)
  }
}
