import Foundation
import TestSupport
import Testing

@testable import MP4
@testable import MediaCore

/// Boxes beside index and media, and what finds its data by places in the file.
@Suite(.inTurn)
struct RemuxedBoxTests {
  static let layouts = [MovieLayout.fastStart, .moovLast, .fragmented]

  private let folder: TemporaryFolder
  private let output: String

  init() throws {
    folder = try TemporaryFolder()
    output = folder.path("out.mp4")
  }

  private func remux(_ bytes: [UInt8], _ layout: MovieLayout, recover: Bool = false) throws -> (
    Remuxer.Summary, [UInt8]
  ) {
    var options = Remuxer.Options()
    options.layout = layout
    options.recover = recover
    let summary = try Remuxer(from: try opened(bytes), to: output, options: options).run()
    return (summary, [UInt8](try Data(contentsOf: URL(fileURLWithPath: output))))
  }

  // MARK: Brands

  @Test(
    "a still picture's file that becomes fragmented has a major brand of movies: ffmpeg and libavif gave up on fragments",
    arguments: ["avif", "heic", "mif1"])
  func stillPictureBrands(major: String) throws {
    let fileType = Plain.box(
      "ftyp", Plain.type(major), Plain.u32(7), Plain.type(major), Plain.type("avis"), Plain.type("miaf"))
    let media = Plain.box("mdat", [1, 2, 3, 4])
    let track = MadeTrack(samples: [4], at: UInt64(fileType.count + 8), delta: 10)
    let bytes = fileType + media + MovieMaker.moov([track])
    for layout in Self.layouts {
      _ = try remux(bytes, layout)
      let brands = try MP4Demuxer(path: output).brands
      let isFragmented = layout == .fragmented
      #expect(brands.major.description == (isFragmented ? "iso6" : major))
      // The old one stays; a sequence of pictures is only one where the movie header lists them.
      #expect(brands.compatible.contains(brands.major) && brands.compatible.contains("miaf"))
      #expect(brands.compatible.contains { $0.description == major })
      #expect(brands.compatible.contains("avis") == !isFragmented)
    }
  }

  // MARK: Items

  /// How an `iloc` box is written.
  struct Widths: Sendable, CustomTestStringConvertible {
    let version: UInt8
    let offset: Int
    let base: Int
    var testDescription: String { "version \(version), offsets of \(offset), bases of \(base)" }

    static let all = [UInt8(0), 1, 2].flatMap { version in
      [(4, 0), (8, 0), (4, 4), (8, 8), (4, 8), (0, 4), (0, 8)].map {
        Widths(version: version, offset: $0.0, base: $0.1)
      }
    }
  }

  private static func number(_ value: UInt64, _ bytes: Int) -> [UInt8] { Array(Plain.u64(value).suffix(bytes)) }

  /// An `iloc` box of items with their pieces, each of 4 bytes of length.
  private static func locations(
    _ items: [[(offset: UInt64, count: UInt64)]], _ widths: Widths, base: UInt64 = 0, method: UInt16 = 0,
    reference: UInt16 = 0
  ) -> [UInt8] {
    let count = widths.version < 2 ? Plain.u16(UInt16(items.count)) : Plain.u32(UInt32(items.count))
    var bytes: [UInt8] = []
    for (index, pieces) in items.enumerated() {
      bytes += widths.version < 2 ? Plain.u16(UInt16(index + 1)) : Plain.u32(UInt32(index + 1))
      if widths.version > 0 { bytes += Plain.u16(method) }
      // Without offsets the base is all that says where an item is.
      let base = widths.offset == 0 ? pieces[0].offset : min(base, widths.base > 0 ? base : 0)
      bytes += Plain.u16(reference) + number(base, widths.base) + Plain.u16(UInt16(pieces.count))
      for piece in pieces { bytes += number(piece.offset - base, widths.offset) + number(piece.count, 4) }
    }
    return Plain.fullBox(
      "iloc", version: widths.version, [UInt8(widths.offset << 4 | 4), UInt8(widths.base << 4)], count, bytes)
  }

  /// Where each piece of each item is, read plainly.
  private static func places(in file: [UInt8], _ widths: Widths) throws -> [[Range<Int>]] {
    var place = Int(try #require(HostileTableTests.place(of: "iloc", in: file))) + 14
    func next(_ count: Int) -> Int {
      defer { place += count }
      return file[place..<(place + count)].reduce(0) { $0 << 8 | Int($1) }
    }
    return (0..<next(widths.version < 2 ? 2 : 4)).map { _ in
      _ = next(widths.version < 2 ? 2 : 4)
      _ = next(widths.version > 0 ? 4 : 2)
      let base = next(widths.base)
      return (0..<next(2)).map { _ in
        let start = base + next(widths.offset)
        return start..<(start + next(4))
      }
    }
  }

  private static func meta(_ boxes: [UInt8]...) -> [UInt8] {
    let handler = Plain.fullBox("hdlr", Plain.u32(0), Plain.type("pict"), [UInt8](repeating: 0, count: 13))
    return Plain.fullBox("meta", handler + boxes.flatMap { $0 })
  }

  /// Where the boxes that name places stand.
  enum Stand: String, CaseIterable, CustomTestStringConvertible {
    case first, last, inMovie
    var testDescription: String { rawValue }
  }

  /// A movie of three samples, with a picture of two pieces in front of them and after them, and another one that is
  /// the second sample.
  private static func movie(_ stand: Stand, _ widths: Widths) -> (file: [UInt8], items: [[UInt8]]) {
    var noise = Noise(seed: 12)
    let media = noise.bytes(1000)
    func made(_ start: UInt64) -> [UInt8] {
      var track = MadeTrack(samples: [100, 150, 50], at: start + 200)
      track.chunks = [.init(1, 3)]
      // Without offsets, an item has one piece.
      let first: [(offset: UInt64, count: UInt64)] =
        widths.offset == 0 ? [(start, UInt64(100))] : [(start + 700, UInt64(60)), (start + 10, UInt64(30))]
      let list = locations([first, [(start + 300, 150)]], widths, base: start)
      let places = meta(list)
      let moov = MovieMaker.moov([track], more: stand == .inMovie ? places : [])
      return MovieMaker.fileType + (stand == .first ? places : []) + Plain.box("mdat", media) + moov
        + (stand == .last ? places : [])
    }
    let start = (HostileTableTests.place(of: "mdat", in: made(0)) ?? 0) + 8
    let first = widths.offset == 0 ? Array(media[0..<100]) : Array(media[700..<760] + media[10..<40])
    return (made(start), [first, Array(media[300..<450])])
  }

  @Test(
    "items are carried over with their data, wherever their box stands and however wide its fields are",
    arguments: layouts, Widths.all)
  func carriesItems(layout: MovieLayout, widths: Widths) throws {
    for stand in Stand.allCases {
      let (file, items) = Self.movie(stand, widths)
      for (pieces, item) in zip(try Self.places(in: file, widths), items) {
        try #require(pieces.flatMap { file[$0] } == item)
      }
      let (summary, result) = try remux(file, layout)
      for (pieces, item) in zip(try Self.places(in: result, widths), items) {
        #expect(pieces.flatMap { result[$0] } == item, "\(stand)")
      }
      #expect(summary.dropped.isEmpty && summary.staleOffsets.isEmpty)
      let movie = try opened(result)
      #expect(movie.issues.isEmpty)
      let found = Delivery(movie.samples(of: movie.tracks[0]))
      #expect(found.records.map(\.size) == [100, 150, 50] && found.error == nil)
      try FileManager.default.removeItem(atPath: output)
    }
  }

  @Test("items that lie in the box itself, in other items or in another file keep their places", arguments: layouts)
  func keepsOtherPlaces(layout: MovieLayout) throws {
    let widths = Widths(version: 1, offset: 4, base: 0)
    var track = MadeTrack(samples: [10], at: MovieMaker.mediaStart)
    track.chunks = [.init(1, 1)]
    let movie = MovieMaker.progressive([track], media: [UInt8](repeating: 1, count: 10))
    let elsewhere = Plain.box(
      "dinf", Plain.fullBox("dref", Plain.u32(1), Plain.fullBox("url ", Array("http://x/".utf8) + [0])))
    for (method, reference) in [(UInt16(1), UInt16(0)), (2, 0), (0, 1)] {
      let list = Self.locations([[(3, 4)]], widths, method: method, reference: reference)
      let (summary, result) = try remux(
        movie + Self.meta(elsewhere, list, Plain.box("idat", [1, 2, 3, 4, 5, 6, 7])), layout)
      let place = Int(try #require(HostileTableTests.place(of: "iloc", in: result)))
      #expect(result[place..<(place + list.count)].elementsEqual(list))
      #expect(summary.dropped.isEmpty)
    }
    // A reference that says "this file" counts like none.
    let here = Plain.box("dinf", Plain.fullBox("dref", Plain.u32(1), Plain.fullBox("url ", flags: 1)))
    let list = Self.locations([[(MovieMaker.mediaStart, 10)]], widths, reference: 1)
    let (_, result) = try remux(Plain.box("free", []) + movie + Self.meta(here, list), layout)
    _ = try Self.places(in: result, widths)
    #expect(try Self.places(in: result, widths)[0][0].count == 10)
  }

  @Test("items that cannot be carried over are refused with the reason, or left out on request", arguments: layouts)
  func refusesItems(layout: MovieLayout) throws {
    let widths = Widths(version: 0, offset: 0, base: 0)
    let media = [UInt8](repeating: 1, count: 10)
    let movie = MovieMaker.progressive([MadeTrack(samples: [10], at: MovieMaker.mediaStart)], media: media)
    func error(_ meta: [UInt8]) throws -> MP4Error.Code? {
      #expect(throws: MP4Error.self) { try remux(movie + meta, layout) }?.code
    }
    // The first bytes of the file, in a box with no room to say that they are elsewhere.
    #expect(try error(Self.meta(Self.locations([[(0, 5)]], widths))) == .itemTooFar(1))
    let far = Self.meta(Self.locations([[(30, 100_000)]], Widths(version: 1, offset: 4, base: 0)))
    #expect(try error(far) == .itemOutsideFile(1))
    let unknown = Self.meta(Plain.fullBox("iloc", version: 9, [1, 2, 3]))
    #expect(try error(unknown) == .unreadableItems)
    for meta in [far, unknown] {
      let (summary, result) = try remux(movie + meta, layout, recover: true)
      #expect(summary.dropped.count == 1)
      #expect(HostileTableTests.place(of: "iloc", in: result) != nil)
    }
  }

  // MARK: Places that are a meaning

  @Test("what is last in a file stays last, and what is in front of everything stays there", arguments: layouts)
  func keepsEnds(layout: MovieLayout) throws {
    let first = Plain.box("uuid", [UInt8](repeating: 0x11, count: 16), [1, 2])
    let middle = Plain.box("uuid", [UInt8](repeating: 0x22, count: 16), [3, 4])
    let last = Plain.box("abcd", [9]) + Plain.box("sefd", Array("SEFT".utf8))
    let start = UInt64(MovieMaker.fileType.count + first.count + 8)
    let track = MadeTrack(samples: [10], at: start)
    let source =
      MovieMaker.fileType + first + Plain.box("mdat", [UInt8](repeating: 1, count: 10)) + middle
      + MovieMaker.moov([track]) + last
    let (_, result) = try remux(source, layout)
    #expect(result.suffix(last.count).elementsEqual(last))
    #expect(result.dropFirst(4).prefix(4).elementsEqual("ftyp".utf8))
    let places = try [[0x11, 0x11], [0x22, 0x22]].map { mark in
      try #require(result.indices.dropLast(2).first { result[$0..<($0 + 2)].elementsEqual(mark) })
    }
    let moov = Int(try #require(HostileTableTests.place(of: "moov", in: result)))
    #expect(places[0] < moov && places[0] < places[1] && places[1] < result.count - last.count)
  }

  /// A movie whose header is the last box, with the place of a box after it in its metadata, as Google's cameras write
  /// it.
  static func withAuxiliaryTracks(_ movie: [UInt8], at place: UInt64? = nil) throws -> [UInt8] {
    let moov = Int(try #require(HostileTableTests.place(of: "moov", in: movie)))
    func made(_ place: UInt64) -> [UInt8] {
      let handler = Plain.fullBox("hdlr", Plain.u32(0), Plain.type("mdta"), [UInt8](repeating: 0, count: 13))
      let names = ["auxiliary.tracks.length", "auxiliary.tracks.offset"]
      let keys = names.flatMap { Plain.u32(UInt32(8 + $0.utf8.count)) + Plain.type("mdta") + Array($0.utf8) }
      let values = [UInt64(12), place].enumerated().flatMap { index, value in
        Plain.u32(8 + 24) + Plain.u32(UInt32(index + 1))
          + Plain.box("data", Plain.u32(78), Plain.u32(0), Plain.u64(value))
      }
      let meta = Plain.fullBox("meta", handler, Plain.fullBox("keys", Plain.u32(2), keys), Plain.box("ilst", values))
      return movie[..<moov] + Plain.box("moov", Array(movie[(moov + 8)...]), meta)
    }
    return made(place ?? UInt64(made(0).count)) + Plain.box("axte", [1, 2, 3, 4])
  }

  /// The value of the last item, read plainly.
  static func namedPlace(in file: [UInt8]) throws -> UInt64 {
    let list = Int(try #require(HostileTableTests.place(of: "ilst", in: file)))
    return file[(list + 8 + 32 + 24)..<(list + 8 + 32 + 32)].reduce(0) { $0 << 8 | UInt64($1) }
  }

  @Test(
    "metadata that names the place of auxiliary tracks names their new place, or is said to be stale",
    arguments: layouts)
  func movesAuxiliaryTracks(layout: MovieLayout) throws {
    let media = [UInt8](repeating: 1, count: 500)
    let movie = MovieMaker.progressive([MadeTrack(samples: [500], at: MovieMaker.mediaStart)], media: media)
    let source = try Self.withAuxiliaryTracks(movie)
    #expect(try Self.namedPlace(in: source) == HostileTableTests.place(of: "axte", in: source))
    let (summary, result) = try remux(source, layout)
    #expect(try Self.namedPlace(in: result) == HostileTableTests.place(of: "axte", in: result))
    #expect(summary.staleOffsets.isEmpty)
    let (stale, same) = try remux(try Self.withAuxiliaryTracks(movie, at: 30), layout)
    #expect(stale.staleOffsets == [.init(name: "auxiliary.tracks.offset", offset: 30)])
    #expect(try Self.namedPlace(in: same) == 30)
  }

  // MARK: Tracks that nobody describes

  @Test("samples of a track that only fragments know are refused, or left out and named on request", arguments: [1, 2])
  func refusesUndescribedTracks(number: UInt32) throws {
    var source = MovieMaker.fileType + MovieMaker.moov([MadeTrack()], defaults: [.init(1, duration: 100, size: 10)])
    for id in [1, 7] as [UInt32] {
      func moof(_ offset: Int32) -> [UInt8] {
        var fragment = MadeFragment(
          id: id, time: 0,
          runs: [MadeRun(dataOffset: offset, fields: 0x300, samples: [.init(duration: 100, size: 10)])])
        fragment.isBaseMoof = true
        return MadeFragment.moof([fragment], number: id)
      }
      source += moof(Int32(moof(0).count + 8)) + Plain.box("mdat", [UInt8](repeating: UInt8(id), count: 10))
    }
    for layout in [MovieLayout.fastStart, .moovLast] {
      let error = #expect(throws: MP4Error.self) { try remux(source, layout) }
      #expect(error?.code == .undescribedTrack(samples: 1) && error?.trackID == 7)
      let (summary, result) = try remux(source, layout, recover: true)
      #expect(summary.dropped.map(\.code) == [.undescribedTrack(samples: 1)])
      let movie = try opened(result)
      #expect(Delivery(movie.samples(of: movie.tracks[0])).records.count == 1)
      try FileManager.default.removeItem(atPath: output)
    }
    // Carried over as it is, the movie keeps them.
    #expect(try remux(source, .fragmented).1 == source)
    // Unless they are not whole: then what would be copied could not be read.
    let cut = Array(source.dropLast(Int(number)))
    #expect(throws: MP4Error.self) { try remux(cut, .fragmented) }
    let (summary, result) = try remux(cut, .fragmented, recover: true)
    #expect(summary.dropped.map(\.trackID) == [7])
    let movie = try opened(result)
    for track in movie.tracks { #expect(Delivery(movie.samples(of: track)).error == nil) }
  }
}
