import Foundation
import ISOBMFF
@testable import MP4
import MediaCore
import TestSupport
import Testing

/// Encrypted movies in fragments of which the first are clear.
@Suite(.inTurn)
struct ClearLeadTests {
  /// A sample entry for encrypted pictures.
  ///
  /// - Parameter vectorSize: bytes of each sample's vector; 0 for one that is constant.
  private static func entry(_ scheme: String, vectorSize: UInt8) -> [UInt8] {
    let constant: [UInt8] = vectorSize == 0 ? [8] + [UInt8](repeating: 9, count: 8) : []
    let tenc = Plain.fullBox("tenc", [0, 0, 1, vectorSize], [UInt8](repeating: 0xA, count: 16), constant)
    let sinf = Plain.box(
      "sinf", Plain.box("frma", Plain.type("avc1")),
      Plain.fullBox("schm", Plain.type(scheme), Plain.u32(0x10000)), Plain.box("schi", tenc))
    return MadeEntry.video("encv", sinf)
  }

  /// A movie of one track: a fragment for each list of sizes, and boxes that it has after its samples.
  private static func movie(
    _ entries: [[UInt8]], handler: String = "vide", _ fragments: [(sizes: [UInt32], entry: UInt32, boxes: [UInt8])]
  ) -> [UInt8] {
    var track = MadeTrack()
    track.handler = handler
    track.entries = entries
    var bytes = MovieMaker.fileType + MovieMaker.moov([track], defaults: [.init(1, duration: 10)])
    for (index, part) in fragments.enumerated() {
      func moof(_ offset: Int32) -> [UInt8] {
        let samples = part.sizes.map { MadeRun.Sample(size: $0) }
        let run = MadeRun(dataOffset: offset, fields: 0x200, samples: samples)
        var fragment = MadeFragment(time: UInt64(index * 1000), runs: [run])
        fragment.isBaseMoof = true
        fragment.description = part.entry
        fragment.more = part.boxes
        return MadeFragment.moof([fragment])
      }
      let media = part.sizes.flatMap { [UInt8](repeating: 0xCC, count: Int($0)) }
      bytes += moof(Int32(moof(0).count + 8)) + Plain.box("mdat", media)
    }
    return bytes
  }

  private static func senc(flags: UInt32, count: UInt32, _ samples: [UInt8]...) -> [UInt8] {
    Plain.fullBox("senc", flags: flags, Plain.u32(count), samples.flatMap { $0 })
  }

  /// The `senc` box of the progressive movie, and its sample table.
  private func remuxed(_ bytes: [UInt8]) throws -> (senc: [UInt8], stbl: BoxNode) {
    let folder = try TemporaryFolder()
    let path = folder.path("out.mp4")
    try Remuxer(from: try opened(bytes), to: path).run()
    let movie = try MP4Demuxer(path: path)
    let stbl = try #require(movie.moov.first("trak")?.first("mdia", "minf", "stbl"))
    guard let header = stbl.first("senc")?.header else { return ([], stbl) }
    let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    return (Array(file[Int(header.offset)..<Int(header.end)]), stbl)
  }

  private static let vector: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
  private static let zeros = [UInt8](repeating: 0, count: 8)

  @Test("a clear sample among encrypted ones gets a clear part as long as it is, in 16 bits a part")
  func fillsClearSamples() throws {
    let movie = Self.movie(
      [Self.entry("cenc", vectorSize: 8)],
      [
        ([5, 70_000], 1, []),
        ([20], 1, Self.senc(flags: 2, count: 1, Self.vector, Plain.u16(1), Plain.u16(4), Plain.u32(16))),
      ])
    let expected = Self.senc(
      flags: 2, count: 3,
      Self.zeros, Plain.u16(1), Plain.u16(5), Plain.u32(0),
      Self.zeros, Plain.u16(2), Plain.u16(65535), Plain.u32(0), Plain.u16(4465), Plain.u32(0),
      Self.vector, Plain.u16(1), Plain.u16(4), Plain.u32(16))
    #expect(try remuxed(movie).senc == expected)
  }

  @Test("of a track that is neither pictures nor sound no encryption data is lost after a clear lead, or moved")
  func keepsOtherKinds() throws {
    let parts = Plain.u16(1) + Plain.u16(4) + Plain.u32(16)
    let own = Self.senc(flags: 2, count: 1, Self.vector, parts)
    let movie = Self.movie(
      [Self.entry("cenc", vectorSize: 8)], handler: "text",
      [([5], 1, []), ([20], 1, own), ([7], 1, []), ([20], 1, own)]
    )
    let (senc, stbl) = try remuxed(movie)
    // What such an entry says of protection is not read: clear samples have no bytes, which `saiz` tells.
    #expect(senc == Self.senc(flags: 2, count: 4, Self.vector, parts, Self.vector, parts))
    let saiz = try #require(stbl.first("saiz")).header
    #expect(saiz.payloadSize == 9 + 4, "a size for each sample")
  }

  @Test("samples that are encrypted from end to end say so, once others beside them have parts")
  func fillsWholeSamples() throws {
    let own = Self.senc(flags: 0, count: 1, Self.vector)
    for (scheme, parts) in [
      ("cenc", Plain.u16(1) + Plain.u16(0) + Plain.u32(21)),
      // Chained blocks of 16 bytes: what does not fill one stays clear.
      ("cbc1", Plain.u16(2) + Plain.u16(0) + Plain.u32(16) + Plain.u16(5) + Plain.u32(0)),
    ] {
      let movie = Self.movie([Self.entry(scheme, vectorSize: 8)], [([6], 1, []), ([21], 1, own)])
      let expected = Self.senc(
        flags: 2, count: 2, Self.zeros, Plain.u16(1), Plain.u16(6), Plain.u32(0), Self.vector, parts)
      #expect(try remuxed(movie).senc == expected)
    }
  }

  @Test("where the vector is constant, a clear description or group tells clear samples from encrypted ones")
  func tellsByDescriptionAndGroup() throws {
    let protected = Self.senc(flags: 2, count: 1, Plain.u16(1), Plain.u16(4), Plain.u32(16))
    let clear = Self.movie(
      [Self.entry("cbcs", vectorSize: 0), MadeEntry.video("avc1")],
      [([5], 2, []), ([20], 1, protected), ([33], 1, [])])
    #expect(
      try remuxed(clear).senc
        == Self.senc(
          flags: 2, count: 3, Plain.u16(1), Plain.u16(5), Plain.u32(0), Plain.u16(1), Plain.u16(4), Plain.u32(16),
          Plain.u16(2), Plain.u16(0), Plain.u32(32), Plain.u16(1), Plain.u32(0)))

    // `seig`: reserved, pattern, whether protected, size of the vector, key.
    let description = [0, 0, 0, 0] + [UInt8](repeating: 0, count: 16)
    let groups =
      Plain.fullBox("sgpd", version: 1, Plain.type("seig"), Plain.u32(20), Plain.u32(1), description)
      + Plain.fullBox("sbgp", Plain.type("seig"), Plain.u32(1), Plain.u32(1), Plain.u32(0x1_0001))
    let grouped = Self.movie(
      [Self.entry("cbcs", vectorSize: 0)], [([5], 1, groups), ([20], 1, protected)])
    let (senc, stbl) = try remuxed(grouped)
    #expect(
      senc
        == Self.senc(
          flags: 2, count: 2, Plain.u16(1), Plain.u16(5), Plain.u32(0), Plain.u16(1), Plain.u16(4), Plain.u32(16)))
    // A group that says that there is no data for the sample would make readers read it as another's.
    #expect(!stbl.children.contains { $0.box(as: SampleToGroupBox.self)?.groupingType == "seig" })
  }

  @Test("fragments keep clear samples and encrypted ones apart, and say nothing of clear ones")
  func keepsFragmentsApart() throws {
    let own = Self.senc(flags: 0, count: 2, Self.vector, Self.vector)
    let source = Self.movie([Self.entry("cenc", vectorSize: 8)], [([5, 6], 1, []), ([20, 21], 1, own)])
    let folder = try TemporaryFolder()
    var options = Remuxer.Options()
    options.layout = .fragmented
    options.fragmentDuration = 1000
    try Remuxer(from: try opened(source), to: folder.path("out.mp4"), options: options).run()
    let movie = try MP4Demuxer(path: folder.path("out.mp4"))
    let track = movie.movieTracks[0]
    #expect(track.fragments.map(\.sampleCount) == [2, 2])
    #expect(try track.box(of: track.fragments[0]).first("senc") == nil)
    let senc = try track.box(of: track.fragments[1]).child("senc", as: SampleEncryptionBox.self)
    #expect(senc.map { Array($0.samples) } == Self.vector + Self.vector)
  }

  @Test("data that is claimed for more samples than a fragment has is read for those it has: work follows the samples")
  func countsOwnSamplesOnly() throws {
    // Each of the small fragments claims as many as the whole track has, which once were all laid out for each.
    let count: UInt32 = 5000
    let claim = Self.senc(flags: 0, count: count)
    var fragments: [(sizes: [UInt32], entry: UInt32, boxes: [UInt8])] = [
      ([UInt32](repeating: 1, count: Int(count)), 1, claim)
    ]
    for _ in 0..<20 { fragments.append(([1], 1, claim)) }
    fragments.append(([20], 1, Self.senc(flags: 2, count: 1, Plain.u16(1), Plain.u16(4), Plain.u32(16))))
    let movie = try opened(Self.movie([Self.entry("cbcs", vectorSize: 0)], fragments))
    var reader = SampleEncryptionReader(movie.movieTracks[0])
    let found = try #require(try reader.read())
    #expect(found.sampleCount == Int(count) + 21)
    #expect(found.bytes.count == 8)
    #expect(Array(found.data(of: Int(count) + 20)) == Plain.u16(1) + Plain.u16(4) + Plain.u32(16))
  }

  @Test("clear samples that share bytes get parts only up to what no real movie of the size has")
  func boundsSharedClearSamples() throws {
    let size: UInt32 = 1 << 20
    // Runs without an offset of their own follow on; each of these begins at the same byte again.
    let runs = (0..<40).map { _ in MadeRun(dataOffset: 0, fields: 0x200, samples: [.init(size: size)]) }
    var lead = MadeFragment(time: 0, runs: runs)
    lead.base = 0
    var last = MadeFragment(time: 10_000, runs: [MadeRun(dataOffset: 0, fields: 0x200, samples: [.init(size: 20)])])
    last.base = 0
    last.more = Self.senc(flags: 0, count: 1, Self.vector)
    var track = MadeTrack()
    track.entries = [Self.entry("cenc", vectorSize: 8)]
    let bytes =
      MovieMaker.fileType + MovieMaker.moov([track], defaults: [.init(1, duration: 10)])
      + MadeFragment.moof([lead]) + MadeFragment.moof([last])
      + Plain.box("mdat", [UInt8](repeating: 3, count: Int(size)))
    let error = #expect(throws: MP4Error.self) { try remuxed(bytes) }
    guard case .overlappingSamples? = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    "a clear lead that became progressive is decrypted and decoded by ffmpeg, to the pictures and sound of the source",
    .needs(.ffmpeg))
  func ffmpegDecodesClearLead() throws {
    let folder = try TemporaryFolder()
    let key = "76a6c65c5ea762046bd749a2e632ccbb"
    let encryption = [
      "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", key, "-encryption_kid",
      "a7e61c373e219033c21091fa607bf3b8",
    ]
    try MadeMedia.movie(folder.path("clear.mp4"), seconds: 3)
    try MadeMedia.make(["-i", folder.path("clear.mp4"), "-c", "copy"] + encryption + [folder.path("closed.mp4")])
    var options = Remuxer.Options()
    options.layout = .fragmented
    options.fragmentDuration = 1
    for name in ["clear", "closed"] {
      let movie = try MP4Demuxer(path: folder.path("\(name).mp4"))
      try Remuxer(from: movie, to: folder.path("\(name)-fragments.mp4"), options: options).run()
    }
    // The header and the last fragments of the encrypted movie, the first fragment of the clear one.
    let clear = try pieces(folder.path("clear-fragments.mp4"))
    let closed = try pieces(folder.path("closed-fragments.mp4"))
    try #require(clear.fragments.count == closed.fragments.count && clear.fragments.count > 2)
    let mixed = closed.head + clear.fragments[0] + closed.fragments.dropFirst().flatMap { $0 }
    try Data(mixed).write(to: folder.url.appendingPathComponent("lead.mp4"))
    try Remuxer(from: try MP4Demuxer(path: folder.path("lead.mp4")), to: folder.path("out.mp4")).run()
    let expected = try decoded(folder.path("clear.mp4"), [])
    #expect(expected.lines.count > 150)
    let found = try decoded(folder.path("out.mp4"), ["-decryption_key", key])
    #expect(found.errors.isEmpty)
    #expect(found.lines == expected.lines)
  }

  /// What comes before the fragments of a file, and each fragment with its media.
  private func pieces(_ path: String) throws -> (head: [UInt8], fragments: [[UInt8]]) {
    let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var head: [UInt8] = []
    var fragments: [[UInt8]] = []
    var place = 0
    while let header = BoxHeader(file[place...], at: UInt64(place), limit: UInt64(file.count)) {
      let box = Array(file[place..<Int(header.end)])
      if header.type == "moof" { fragments.append([]) }
      if fragments.isEmpty { head += box } else { fragments[fragments.count - 1] += box }
      place = Int(header.end)
    }
    return (head, fragments)
  }

  /// Sums of all that ffmpeg decodes.
  private func decoded(_ path: String, _ options: [String]) throws -> (lines: [String], errors: String) {
    let result = try Tool.ffmpeg.run(
      ["-nostdin", "-v", "error"] + options + ["-i", path, "-map", "0", "-f", "framemd5", "-"])
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    return (lines.map { String($0.split(separator: ",").last ?? "") }, result.errors)
  }
}
