import Foundation
import TestSupport
import Testing

/// What becomes of an old file when remuxing over it does not get to its end.
@Suite(.inTurn) struct RemuxSafetyTests {
  private let folder: TemporaryFolder
  private let input: String
  private let output: String

  init() throws {
    folder = try TemporaryFolder()
    input = folder.path("in.mp4")
    output = folder.path("out.mp4")
  }

  /// A movie of so many samples of a kilobyte, some of them far from the one before, so that writing takes a while.
  private static func movie(_ count: Int) -> [UInt8] {
    var noise = Noise(seed: 3)
    var track = MadeTrack(samples: [UInt32](repeating: 1024, count: count), at: 0)
    track.chunks = [.init(1, 1)]
    track.places = (0..<count).map { MovieMaker.mediaStart + UInt64($0 * 1024) }
    return MovieMaker.progressive([track], media: noise.bytes(count * 1024))
  }

  @Test("killed at fifty moments of a remux onto an existing file: the old file or the whole new one is there")
  func kills() throws {
    try Data(Self.movie(20_000)).write(to: URL(fileURLWithPath: input))
    let old = Data("precious".utf8)
    let file = URL(fileURLWithPath: output)
    try old.write(to: file)
    try #require(try Command.run("remux", input, output, "--layout", "fragmented").status == 0)
    let new = try Data(contentsOf: file)
    #expect(new != old)
    // How long it takes is this machine's affair: the moments move on while the old file is what there is, and back
    // when the new one is.
    var moment = KillMoment(seed: 3)
    var (sawOld, sawNew) = (0, 0)
    for _ in 0..<50 {
      try old.write(to: file)
      let microseconds = moment.next()
      try Command.kill(after: microseconds, "remux", input, output, "--layout", "fragmented")
      let found = try Data(contentsOf: file)
      #expect(found == old || found == new, "after \(microseconds) microseconds: \(found.count) bytes")
      if found == old { sawOld += 1 } else { sawNew += 1 }
      moment.note(isDone: found != old)
    }
    #expect(sawOld > 0 && sawNew > 0, "the old file was seen \(sawOld) times, the new one \(sawNew) times")
  }

  /// Whether this test may mount file systems.
  fileprivate static let canMount: Bool = {
    guard let folder = try? TemporaryFolder(), let status = try? mount(folder.url.path) else { return false }
    if status == 0 { _ = try? Tool.run("/usr/bin/env", ["umount", folder.url.path]) }
    return status == 0
  }()

  private static func mount(_ path: String) throws -> Int32 {
    try Tool.run("/usr/bin/env", ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", path]).status
  }

  @Test(
    "a full disk is exit 74; the old file is whole, and nothing is left behind",
    .needs(.mounting), arguments: RemuxTests.layouts)
  func fullDisk(layout: String) throws {
    try Data(Self.movie(2000)).write(to: URL(fileURLWithPath: input))
    let small = folder.path("small")
    try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: true)
    #expect(try Self.mount(small) == 0)
    defer { _ = try? Tool.run("/usr/bin/env", ["umount", small]) }
    let target = small + "/out.mp4"
    let fresh = try Command.run("remux", input, target, "--layout", layout)
    #expect(fresh.status == 74 && fresh.errors.contains("No space left"), "\(fresh.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: small).isEmpty)
    try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
    #expect(try Command.run("remux", input, target, "--layout", layout).status == 74)
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("precious".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: small) == ["out.mp4"])
  }
}

extension Need {
  /// The right to mount file systems.
  fileprivate static let mounting = Need(
    "root, to mount a small file system", "only root may mount a small file system"
  ) { RemuxSafetyTests.canMount }
}
