import Foundation
import TestSupport
import Testing

@testable import MP4
@testable import MediaCore

/// What files have for their samples beside data and times, and how long outputs say that they are.
@Suite("What a remux carries over", .inTurn)
struct CarriedOverTests {
  private let folder: TemporaryFolder
  private let output: String

  init() throws {
    folder = try TemporaryFolder()
    output = folder.path("out.mp4")
  }

  private func remux(_ bytes: [UInt8], _ layout: MovieLayout = .fastStart) throws -> Remuxer.Summary {
    var options = Remuxer.Options()
    options.layout = layout
    // Or a movie in fragments would be copied as it is.
    if layout == .fragmented { options.fragmentDuration = 1 }
    return try Remuxer(from: try opened(bytes), to: output, options: options).run()
  }

  private var written: String {
    get throws { String(decoding: try Data(contentsOf: URL(fileURLWithPath: output)), as: Unicode.ASCII.self) }
  }

  private func count(_ type: String) throws -> Int { try written.components(separatedBy: type).count - 1 }

  /// How many runs all boxes of groups in the output have.
  private func groupRuns() throws -> Int {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: output)))
    var (rest, sum) = (bytes[...], 0)
    while let place = rest.firstRange(of: "sbgp".utf8) {
      // Version and flags, the kind of group, and their number.
      sum += rest[place.upperBound...].dropFirst(8).prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest[place.upperBound...]
    }
    return sum
  }

  // MARK: Auxiliary information

  /// Four samples with times of capture (ISO/IEC 23001-17), whose bytes are beside the media.
  private static var timed: [UInt8] {
    var track = MadeTrack(samples: [4, 4, 4, 4], at: MovieMaker.mediaStart, delta: 10)
    let kind = Plain.type("stai") + Plain.u32(0)
    track.more =
      Plain.fullBox("saiz", flags: 1, kind, [2], Plain.u32(4))
      + Plain.fullBox("saio", flags: 1, kind, Plain.u32(1), Plain.u32(UInt32(MovieMaker.mediaStart) + 16))
    return MovieMaker.fileType + Plain.box("mdat", [UInt8](repeating: 7, count: 24)) + MovieMaker.moov([track])
  }

  @Test("auxiliary information that is not about encryption is reported, not taken for vectors")
  func otherInformation() throws {
    for layout in [MovieLayout.fastStart, .fragmented] {
      #expect(try remux(Self.timed, layout).leftOut == ["saiz": 1])
      #expect(try count("saiz") == 0 && count("senc") == 0)
    }
  }

  @Test("faststart leaves a movie alone whose auxiliary information it would lose")
  func otherInformationInPlace() throws {
    try Data(Self.timed).write(to: URL(fileURLWithPath: output))
    let error = #expect(throws: MP4Error.self) { try FastStart(path: output).run() }
    #expect(error?.code == .cannotBeCarriedOver)
    #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == Data(Self.timed))
  }

  // MARK: Encryption

  private static func fragment(_ more: [UInt8], _ moreInFragment: [UInt8] = []) -> [UInt8] {
    func moof(_ offset: Int32) -> [UInt8] {
      let samples = [UInt32](repeating: 4, count: 2).map { MadeRun.Sample(size: $0) }
      var fragment = MadeFragment(time: 0, runs: [MadeRun(dataOffset: offset, fields: 0x200, samples: samples)])
      (fragment.isBaseMoof, fragment.more) = (true, more)
      let bytes = MadeFragment.moof([fragment])
      return Plain.box("moof", Array(bytes.dropFirst(8)) + moreInFragment)
    }
    return moof(Int32(moof(0).count + 8)) + Plain.box("mdat", [UInt8](repeating: 0xCC, count: 8))
  }

  @Test("vectors of PIFF, in a box of its own, become those of Common Encryption")
  func piff() throws {
    let senc: [UInt8] = [
      0xA2, 0x39, 0x4F, 0x52, 0x5A, 0x9B, 0x4F, 0x14, 0xA2, 0x44, 0x6C, 0x42, 0x7C, 0x64, 0x8D, 0xF4,
    ]
    let tenc: [UInt8] = [
      0x89, 0x74, 0xDB, 0xCE, 0x7B, 0xE7, 0x4C, 0x51, 0x84, 0xF9, 0x71, 0x48, 0xF9, 0x88, 0x25, 0x54,
    ]
    let vectors = (0..<16).map { UInt8($0 + 1) }
    let key = [UInt8](repeating: 0xA, count: 16)
    let schi = Plain.box("uuid", tenc, Plain.u32(0), [0, 0, 1, 8], key)
    let sinf = Plain.box(
      "sinf", Plain.box("frma", Plain.type("avc1")), Plain.fullBox("schm", Plain.type("piff"), Plain.u32(0x10001)),
      Plain.box("schi", schi))
    var track = MadeTrack()
    track.entries = [MadeEntry.video("encv", sinf)]
    let header = MovieMaker.fileType + MovieMaker.moov([track], defaults: [.init(1, duration: 10)])
    for fields in [Plain.u32(0), Plain.u32(1) + [0, 0, 1, 8] + key] {
      let bytes = header + Self.fragment(Plain.box("uuid", senc, fields, Plain.u32(2), vectors))
      for layout in [MovieLayout.fastStart, .fragmented] {
        _ = try remux(bytes, layout)
        let expected = Plain.fullBox("senc", flags: 0, Plain.u32(2), vectors)
        #expect(Data(try Data(contentsOf: URL(fileURLWithPath: output))).range(of: Data(expected)) != nil, "\(layout)")
        // Readers of one `senc` for all samples look there for the size of the vectors; PIFF's own box stays.
        if layout == .fastStart {
          let size = Plain.fullBox("tenc", [0, 0, 1, 8], key)
          #expect(Data(try Data(contentsOf: URL(fileURLWithPath: output))).range(of: Data(size)) != nil)
        }
      }
    }
  }

  @Test("what fragments say about changing keys is in the header, each once")
  func changingKeys() throws {
    func pssh(_ number: UInt8) -> [UInt8] {
      Plain.fullBox("pssh", [UInt8](repeating: 0xE, count: 16), Plain.u32(1), [number])
    }
    let header = MovieMaker.fileType + MovieMaker.moov([MadeTrack()], defaults: [.init(1, duration: 10)])
    let bytes = header + [1, 2, 1, 3].flatMap { Self.fragment([], pssh($0)) }
    for layout in [MovieLayout.fastStart, .moovLast, .fragmented] {
      _ = try remux(bytes, layout)
      #expect(try count("pssh") == 3)
    }
  }

  // MARK: Groups and tables

  @Test("a group for each of 140 000 samples is kept in fragments")
  func manyGroups() throws {
    let count: UInt32 = 140_000
    var track = MadeTrack()
    (track.sizes, track.times, track.chunks) = (.constant(1, count: count), [.init(count, 10)], [.init(1, count)])
    track.places = [MovieMaker.mediaStart]
    let runs = (0..<count).flatMap { Plain.u32(1) + Plain.u32($0 & 1 + 1) }
    track.more =
      Plain.fullBox("sgpd", version: 1, Plain.type("tscl"), Plain.u32(1), Plain.u32(2), [1, 2])
      + Plain.fullBox("sbgp", Plain.type("tscl"), Plain.u32(count), runs)
    _ = try remux(MovieMaker.progressive([track], media: [UInt8](repeating: 0, count: Int(count))), .fragmented)
    #expect(try groupRuns() == Int(count))
  }

  @Test("tables that fragments have no place for are reported")
  func partialSyncs() throws {
    var track = MadeTrack(samples: [4, 4], at: MovieMaker.mediaStart, delta: 10)
    track.more = Plain.fullBox("stps", Plain.u32(1), Plain.u32(2))
    let bytes = MovieMaker.progressive([track], media: [UInt8](repeating: 7, count: 8))
    #expect(try remux(bytes, .fragmented).leftOut == ["stps": 1])
    #expect(try remux(bytes, .moovLast).leftOut.isEmpty)
  }

  // MARK: Where the data is

  @Test("an entry of dref with no location means the file itself, and one that no sample uses means nothing")
  func dataReferences() throws {
    let track = MadeTrack(samples: [4], at: MovieMaker.mediaStart, delta: 10)
    let bytes = MovieMaker.progressive([track], media: [1, 2, 3, 4])
    let here = Plain.fullBox("url ", flags: 0)
    let there = Plain.fullBox("url ", flags: 0, Array("file://x\0".utf8))
    let dref = Plain.fullBox("dref", Plain.u32(1), Plain.fullBox("url ", flags: 1))
    let position = try #require(Data(bytes).range(of: Data(dref)))
    // The sample entry refers to the first.
    for (entries, isExternal) in [([here], false), ([here, there], false), ([there, here], true)] {
      let longer = Plain.fullBox("dref", Plain.u32(UInt32(entries.count)), entries.flatMap { $0 })
      var moved = Data(bytes)
      moved.replaceSubrange(position, with: longer)
      // Boxes around it are longer by as much.
      for type in ["moov", "trak", "mdia", "minf", "dinf"] {
        let start = try #require(moved.range(of: Data(type.utf8))).lowerBound - 4
        let size = moved[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) } + UInt32(longer.count - dref.count)
        moved.replaceSubrange(start..<(start + 4), with: Plain.u32(size))
      }
      let movie = try opened(Array(moved))
      #expect(movie.isExternal(movie.tracks[0]) == isExternal)
    }
  }

  // MARK: Durations

  private func probed(_ entry: String) throws -> Double? {
    let result = try Tool.ffprobe.run(["-v", "error", "-show_entries", "format=\(entry)", "-of", "csv=p=0", output])
    return Double(String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
  }

  @Test("a movie that keeps its sound only is as long as that", .needs(.ffmpeg, .ffprobe))
  func shorterTracks() throws {
    let path = folder.path("in.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=d=5:s=64x48:r=5", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac", path,
    ])
    for layout in [MovieLayout.fastStart, .fragmented] {
      var options = Remuxer.Options()
      (options.layout, options.tracks) = (layout, .kinds(.audio))
      try Remuxer(from: try MP4Demuxer(path: path), to: output, options: options).run()
      #expect(abs((try probed("duration") ?? 0) - 1) < 0.1)
      #expect(abs(try MP4Demuxer(path: output).duration.seconds - 1) < 0.1)
    }
  }

  @Test("a length of all ones, or of 0, is that of the samples", arguments: [UInt32.max, 0])
  func unknownLength(claimed: UInt32) throws {
    var track = MadeTrack(samples: [UInt32](repeating: 4, count: 10), at: MovieMaker.mediaStart, delta: 30)
    track.duration = claimed
    let movie = try opened(MovieMaker.progressive([track], media: [UInt8](repeating: 7, count: 40)))
    #expect(movie.tracks[0].duration == MediaTime(value: 300, timescale: 1000))
  }

  @Test(
    "sound that goes on after the pictures is cut into fragments, and the index counts it", .needs(.ffmpeg, .ffprobe))
  func longerSound() throws {
    let path = folder.path("in.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=d=2:s=64x48:r=5", "-f", "lavfi", "-i", "sine=d=20", "-c:a", "aac", path,
    ])
    var options = Remuxer.Options()
    (options.layout, options.fragmentDuration) = (.fragmented, 2)
    try Remuxer(from: try MP4Demuxer(path: path), to: output, options: options).run()
    #expect((9...12).contains(try count("moof")))
    #expect(abs((try probed("duration") ?? 0) - 20) < 0.1)
  }
}
