import Foundation
import ISOBMFF
import TestSupport
import Testing

@testable import MP4
@testable import MediaCore

/// Which boxes of a movie header change, and how, when tags are set, added and removed.
@Suite(.inTurn) struct TagChangesTests {
  private static func movie(_ more: [UInt8] = []) throws -> MP4Demuxer {
    let track = MadeTrack(samples: [5, 7], at: MovieMaker.mediaStart)
    return try opened(MovieMaker.progressive([track], media: Array("first, second".utf8), more: more))
  }

  /// The movie with its tags changed.
  private static func tagged(_ movie: MP4Demuxer, _ change: (inout TagChanges) throws -> Void) throws -> MP4Demuxer {
    var changes = TagChanges()
    try change(&changes)
    guard let plan = try TagPlan(movie, changes, file: nil, limits: BoxLimits()) else { return movie }
    return try opened(try plan.output.bytes())
  }

  private static func lines(_ movie: MP4Demuxer) -> [String] {
    movie.metadata.tags.map { "\($0.identifier)=\($0.value)" }
  }

  @Test("texts, numbers, several values, free-form items and keys are written as they are read")
  func writes() throws {
    let movie = try Self.tagged(try Self.movie()) { changes in
      try changes.set("title", to: "Łódź – 歌")
      try changes.set("ARTIST", to: "One", "Two")
      try changes.set("album-artist", to: "All")
      try changes.set("track", to: "3/12")
      try changes.set("disc", to: "2")
      try changes.set("compilation", to: "yes")
      try changes.set("media kind", to: "audiobook")
      try changes.set("rating", to: "clean")
      try changes.set("podcast_url", to: "https://example.org/feed")
      try changes.set("com.apple.iTunes:ISRC", to: "XX12")
      try changes.set("com.apple.quicktime.make", to: "Nobody")
      try changes.add("com.apple.quicktime.keywords", "bird")
      try changes.add("artist", "Three")
      try changes.add("track", "4/12")
    }
    #expect(
      Self.lines(movie) == [
        "©nam=Łódź – 歌", "©ART=One", "©ART=Two", "©ART=Three", "aART=All", "trkn=4/12", "disk=2", "cpil=1", "stik=2",
        "rtng=2", "purl=https://example.org/feed", "com.apple.iTunes:ISRC=XX12", "com.apple.quicktime.make=Nobody",
        "com.apple.quicktime.keywords=bird",
      ])
    #expect(movie.issues.isEmpty)
    let without = try Self.tagged(movie) { changes in
      try changes.remove("artist")
      try changes.remove("com.apple.quicktime.make")
      try changes.set("title", to: "Dawn")
    }
    #expect(Self.lines(without).prefix(2) == ["©nam=Dawn", "aART=All"])
    #expect(Self.lines(without).last == "com.apple.quicktime.keywords=bird")
  }

  @Test("a common name means the tag however it is written; unknown boxes and their order stay")
  func otherForms() throws {
    let text = Array("Old".utf8)
    let unknown = Plain.box("Xtra", [1, 2, 3])
    let user = Plain.box(
      "udta", unknown, Plain.box("©nam", Plain.u16(3), Plain.u16(0x55C4), text),
      Plain.fullBox("titl", Plain.u16(0x55C4), text, [0]), Plain.box("name", [7]), [0, 0, 0, 0])
    let movie = try Self.movie(user)
    #expect(Self.lines(movie) == ["©nam=Old", "titl=Old"])
    let changed = try Self.tagged(movie) { try $0.set("title", to: "New") }
    #expect(Self.lines(changed) == ["©nam=New"])
    let left = try #require(changed.moov.first("udta")).children.map(\.type)
    #expect(left == ["Xtra", "name", "meta"])
    #expect(changed.moov.first("udta")?.trailing.elementsEqual([0, 0, 0, 0]) == true)
    #expect(Self.lines(try Self.tagged(movie) { try $0.remove("titl") }) == ["©nam=Old"])
  }

  @Test("items come before a list of keys, which some readers do not get past, and after the tracks")
  func order() throws {
    var movie = try Self.tagged(try Self.movie()) { try $0.set("com.apple.quicktime.make", to: "Nobody") }
    movie = try Self.tagged(movie) { try $0.set("title", to: "Dawn") }
    #expect(movie.moov.children.map(\.type).suffix(3) == ["trak", "udta", "meta"])
    #expect(Self.lines(movie) == ["©nam=Dawn", "com.apple.quicktime.make=Nobody"])
  }

  @Test("who takes out where a movie was made takes out all that says so, as telephones write it too")
  func location() throws {
    let movie = try Self.tagged(try Self.movie()) { changes in
      try changes.set("location", to: "+51.5-000.1/")
      try changes.set("com.apple.quicktime.location.ISO6709", to: "+51.5000-000.1000+010.000/")
      try changes.set("com.apple.quicktime.model", to: "A telephone")
    }
    #expect(movie.metadata.tags.map(\.name) == ["location", "location", "model"])
    let without = try Self.tagged(movie) { try $0.remove("location") }
    #expect(Self.lines(without) == ["com.apple.quicktime.model=A telephone"])
  }

  @Test("covers are set, added and removed; other bytes are no covers")
  func covers() throws {
    let jpeg = MovieMetadata.Artwork([0xFF, 0xD8, 0xFF, 1, 2])
    let png = MovieMetadata.Artwork([0x89, 0x50, 0x4E, 0x47, 3])
    var movie = try Self.tagged(try Self.movie()) { try $0.setCovers([jpeg, png]) }
    #expect(movie.metadata.artwork.map(\.format) == ["jpeg", "png"])
    movie = try Self.tagged(movie) { try $0.addCover(.init(Array("BM is a bitmap".utf8))) }
    #expect(movie.metadata.artwork.map(\.format) == ["jpeg", "png", "bmp"])
    #expect(try movie.metadata.artwork[1].data.load().elementsEqual([0x89, 0x50, 0x4E, 0x47, 3]))
    movie = try Self.tagged(movie) { try $0.setCovers([]) }
    #expect(movie.metadata.artwork.isEmpty && movie.moov.first("udta") == nil)
    var changes = TagChanges()
    #expect(throws: TagError(.notAPicture, name: "")) { try changes.addCover(.init(Array("text".utf8))) }
  }

  @Test(
    "the time of creation is set in all headers, in 64 bits where it takes them",
    arguments: [0, 2_000_000_000, 9_000_000_000])
  func creationTime(seconds: Int64) throws {
    let movie = try Self.tagged(try Self.movie()) { try $0.setCreationTime(seconds) }
    #expect(movie.creationTime == seconds)
    let track = try #require(movie.moov.first("trak"))
    #expect(track.child("tkhd", as: TrackHeaderBox.self)?.creationTime == MovieHeaderBox.since1904(seconds))
    #expect(
      track.first("mdia")?.child("mdhd", as: MediaHeaderBox.self)?.creationTime == MovieHeaderBox.since1904(seconds))
    var samples = movie.samples(of: movie.tracks[0])
    #expect(try samples.next()?.payload.load().elementsEqual("first".utf8) == true)
    var changes = TagChanges()
    #expect(throws: TagError(.badTime(-1), name: "")) { try changes.setCreationTime(-1) }
  }

  @Test("names and values that cannot be are refused with what can")
  func refuses() throws {
    var changes = TagChanges()
    #expect(throws: TagError(.unknownName, name: "titel")) { try changes.set("titel", to: "x") }
    #expect(throws: TagError(.unknownName, name: "covr")) { try changes.set("covr", to: "x") }
    for (name, value) in [("track", "x"), ("track", "1/2/3"), ("tempo", "40000"), ("stik", "opera"), ("title", "")] {
      let error = #expect(throws: TagError.self) { try changes.set(name, to: value) }
      #expect(error?.description.contains("'\(name)'") == true)
    }
    #expect(throws: TagError(.oneValueOnly, name: "track")) { try changes.set("track", to: "1", "2") }
    #expect(changes.isEmpty)
  }

  @Test("removing all tags leaves what says how to play the movie")
  func keepsTechnical() throws {
    let movie = try Self.tagged(try Self.movie()) { changes in
      try changes.set("com.apple.iTunes:iTunSMPB", to: " 00000000 00000840")
      try changes.set("title", to: "Dawn")
    }
    let bare = try Self.tagged(movie) { $0.removeAll() }
    #expect(Self.lines(bare) == ["com.apple.iTunes:iTunSMPB= 00000000 00000840"])
  }

  @Test("an item whose key is missing does not get the name of a new one")
  func namelessItems() throws {
    let handler = Plain.fullBox("hdlr", Plain.u32(0), Plain.type("mdta"), [UInt8](repeating: 0, count: 13))
    let keys = Plain.fullBox("keys", Plain.u32(1), Plain.u32(9), Plain.type("mdta"), [0x61])
    func item(_ number: UInt32, _ text: String) -> [UInt8] {
      let data = Plain.box("data", Plain.u32(1), Plain.u32(0), Array(text.utf8))
      return Plain.u32(UInt32(data.count + 8)) + Plain.u32(number) + data
    }
    let movie = try Self.movie(Plain.box("meta", handler, keys, Plain.box("ilst", item(1, "one"), item(2, "stray"))))
    #expect(movie.metadata.tags.map(\.value) == ["one", "stray"])
    let tagged = try Self.tagged(movie) { try $0.set("com.apple.quicktime.make", to: "Nobody") }
    #expect(tagged.metadata["make"] == "Nobody")
    #expect(tagged.metadata.tags.map(\.value) == ["one", "stray", "Nobody"])
    let without = try Self.tagged(tagged) { try $0.remove("com.apple.quicktime.make") }
    #expect(without.moov.written == movie.moov.written)
  }
}
