import ISOBMFF
import MP4
import MediaCore
import TestSupport
import Testing

/// Tables that claim what is not there: whole samples are delivered, then the error says where the lie is.
@Suite(.inTurn) struct HostileTableTests {
  private static let media = [UInt8](repeating: 0xCC, count: 400)

  /// Three samples in three chunks, with every table there is.
  static func track() -> MadeTrack {
    var track = MadeTrack(samples: [10, 20, 30], at: 50)
    track.chunks = [.init(1, 1)]
    track.places = [50, 100, 200]
    track.offsets = [.init(3, 5)]
    track.syncSamples = [1]
    track.edits = [.init(100, 0)]
    return track
  }

  /// Where the first box of a type begins.
  static func place(of type: String, in bytes: [UInt8]) -> UInt64? {
    let code = Plain.type(type)
    return bytes.indices.dropLast(3).first { bytes[$0..<($0 + 4)].elementsEqual(code) }.map { UInt64($0 - 4) }
  }

  @Test(
    "a table that claims four billion entries ends in an error that names it, after the samples that are whole",
    arguments: ["stts", "stsc", "stsz", "stz2", "stco", "co64", "stss", "ctts"])
  func namesTheTable(type: String) throws {
    var track = Self.track()
    track.hasWidePlaces = type == "co64"
    if type == "stz2" { track.sizes = .compact([10, 20, 30], bits: 8) }
    track.claims = [type: .max]
    let bytes = MovieMaker.progressive([track], media: Self.media)
    let found = try quickly { try delivery(bytes) }
    #expect(found.records.map(\.size) == [10, 20, 30])
    #expect(found.records.map(\.presentationTime) == [5, 45, 85])
    let error = try #require(found.error)
    #expect(error.path == "moov/trak/mdia/minf/stbl/\(type)")
    #expect(error.offset == Self.place(of: type, in: bytes))
    #expect(error.trackID == 1)
    let place = Self.place(of: type, in: bytes).map { "at byte \($0)" } ?? "nowhere"
    #expect(error.description.contains("made.mp4: track 1: moov/trak/mdia/minf/stbl/\(type)"))
    #expect(error.description.contains(place))
    #expect(error.description.contains(type.hasPrefix("stz") || type == "stsz" ? "sample_count" : "entry_count"))
  }

  @Test(
    "a list of edits, data references or descriptions that claims four billion does not touch the samples",
    arguments: ["elst", "dref", "stsd"])
  func toleratesSideTables(type: String) throws {
    var track = Self.track()
    track.claims = [type: .max]
    let bytes = MovieMaker.progressive([track], media: Self.media)
    let movie = try quickly { try opened(bytes) }
    let found = Delivery(movie.samples(of: movie.tracks[0]))
    #expect(found.records.map(\.size) == [10, 20, 30])
    #expect(found.error == nil)
    if type == "elst" {
      #expect(movie.tracks[0].edits.isEmpty)
      let place = Self.place(of: type, in: bytes)
      #expect(movie.issues.contains { $0.path == "moov/trak/edts/elst" && $0.offset == place })
    }
  }

  @Test(
    "tables of auxiliary information that claim four billion entries are not believed",
    arguments: [
      "saiz", "saio", "sbgp", "sgpd", "subs", "sdtp", "padb", "stdp", "senc", "cslg", "csgp", "stps", "stsh",
    ])
  func toleratesAuxiliaryTables(type: String) throws {
    var track = Self.track()
    track.more = Plain.fullBox(type, [UInt8](repeating: 0xFF, count: 64))
    let bytes = MovieMaker.progressive([track], media: Self.media)
    let found = try quickly { try delivery(bytes) }
    #expect(found.records.map(\.size) == [10, 20, 30])
    #expect(found.error == nil)
  }

  @Test("chunks that claim four billion samples hold those that have a size")
  func boundsChunks() throws {
    var track = Self.track()
    track.chunks = [.init(1, .max)]
    let found = try quickly { try delivery(MovieMaker.progressive([track], media: Self.media)) }
    #expect(found.records.map(\.offset) == [50, 60, 80])
    #expect(found.error == nil)
  }

  @Test("runs of four billion samples serve for the three there are")
  func boundsRuns() throws {
    var track = Self.track()
    track.times = [.init(.max, 1), .init(.max, 1)]
    track.offsets = [.init(.max, 9)]
    let found = try quickly { try delivery(MovieMaker.progressive([track], media: Self.media)) }
    #expect(found.records.map(\.presentationTime) == [9, 10, 11])
    #expect(found.error == nil)
  }

  @Test("four billion samples of one size end where the file does", arguments: [1, 100, 1 << 20, UInt32.max])
  func boundsConstantSizes(size: UInt32) throws {
    var track = Self.track()
    track.sizes = .constant(size, count: .max)
    track.chunks = [.init(1, .max)]
    track.places = [50]
    let bytes = MovieMaker.progressive([track], media: Self.media)
    let found = try quickly { try delivery(bytes) }
    #expect(found.records.count == (bytes.count - 50) / Int(size))
    let error = try #require(found.error)
    guard case .sampleOutsideFile(let number, _) = error.code else {
      Issue.record("\(error)")
      return
    }
    #expect(number == UInt64(found.records.count))
  }

  @Test("four billion frames of PCM end where the file does")
  func boundsFrames() throws {
    var track = Self.track()
    track.handler = "soun"
    track.entries = [MadeEntry.audio("sowt", channels: 2, bits: 16)]
    track.sizes = .constant(4, count: .max)
    track.times = [.init(.max, 1)]
    track.chunks = [.init(1, 25), .init(3, .max)]
    let found = try quickly { try delivery(MovieMaker.progressive([track], media: Self.media)) }
    #expect(found.records.map(\.size) == [100, 100])
    guard case .sampleOutsideFile? = found.error?.code else {
      Issue.record("\(String(describing: found.error))")
      return
    }
  }

  @Test("numbers at their extremes are numbers like any others")
  func toleratesExtremes() throws {
    var track = Self.track()
    track.timescale = 0
    track.duration = .max
    track.times = [.init(1, 0x8000_0000), .init(1, 0x7FFF_FFFF), .init(1, .max)]
    track.offsets = [.init(1, .min), .init(1, .max), .init(1, -1)]
    track.edits = [
      .init(.max, .min), .init(.max, .max), .init(0, -1, rate: .max), .init(0, 0, rate: 0x8000_0000), .init(0, .max),
    ]
    let bytes = MovieMaker.progressive([track], media: Self.media, timescale: 0)
    let movie = try quickly { try opened(bytes) }
    let found = Delivery(movie.samples(of: movie.tracks[0]))
    #expect(found.error == nil)
    #expect(found.records.map(\.decodeTime) == [0, -0x8000_0000, -1])
    #expect(found.records.map(\.presentationTime) == [-0x8000_0000, -1, -2])
    #expect(movie.tracks[0].timescale == 1)
    #expect(movie.tracks[0].edits.map { $0.mediaTime?.value } == [nil, .max, nil, 0, .max])
    #expect(movie.duration.timescale > 0)
    var reader = movie.samples(of: movie.tracks[0])
    for value in [Int64.min, 0, .max] {
      _ = try reader.seek(to: MediaTime(value: value, timescale: 1))
      #expect(try reader.nextRecord() != nil)
    }
  }

  @Test("a sample before the start of the file is an error without a place", arguments: [0, 5] as [UInt32])
  func beforeTheStart(size: UInt32) throws {
    var fragment = MadeFragment(runs: [MadeRun(dataOffset: -2_000_000, samples: [.init(duration: 10, size: size)])])
    fragment.isBaseMoof = true
    let bytes = MadeFragments(tracks: [MadeTrack()], defaults: [.init(1)], fragments: [[fragment]]).file().bytes
    let movie = try opened(bytes)
    var reader = movie.samples(of: movie.tracks[0])
    let error = #expect(throws: MP4Error.self) { while try reader.nextRecord() != nil {} }
    #expect(error?.code == .sampleOutsideFile(number: 0, missingBytes: .max) && error?.offset == nil)
    #expect(error?.description.contains("sample 0 lies outside of the file") == true)
  }

  @Test("a sample beyond the end is an error with its number and place, each time it is asked for")
  func saysWhatIsMissing() throws {
    var track = Self.track()
    track.places = [50, 100_000, 200]
    let bytes = MovieMaker.progressive([track], media: Self.media)
    let movie = try opened(bytes)
    var reader = movie.samples(of: movie.tracks[0])
    #expect(try reader.nextRecord()?.offset == 50)
    for _ in 0..<3 {
      let error = #expect(throws: MP4Error.self) { try reader.nextRecord() }
      #expect(error?.code == .sampleOutsideFile(number: 1, missingBytes: 20))
      #expect(error?.offset == 100_000)
      #expect(error?.trackID == 1)
      #expect(reader.state == .failed)
    }
  }

  /// Encryption data was made up for each of them.
  @Test(
    "of four billion frames of sound no more are believed than fit in the file", arguments: ["mp4a", "enca", "sowt"])
  func packedSound(codec: String) throws {
    var track = MadeTrack(samples: [10], at: 50)
    track.handler = "soun"
    track.entries = [Self.soundEntry(codec)]
    track.sizes = .constant(1, count: .max)
    track.chunks = [.init(1, .max)]
    let bytes = MovieMaker.progressive([track], media: Self.media)
    let movie = try quickly { try opened(bytes) }
    #expect(movie.tracks[0].sampleCount <= UInt64(bytes.count) + 1)
  }

  /// Hertz were converted to a whole number.
  @Test("a sampling rate beyond all numbers is none", arguments: [1e300, 9.3e18, 0x1p63, .nan, -1])
  func hugeRate(rate: Double) throws {
    var track = Self.track()
    track.handler = "soun"
    track.entries = [Self.wideSoundEntry(rate: rate)]
    let bytes = MovieMaker.progressive([track], media: Self.media)
    let movie = try opened(bytes)
    #expect(movie.tracks[0].audioFormat?.sampleRate == 0)
    _ = try? movie.presentationTime(ofFrame: 3, in: movie.tracks[0])
  }

  private static func soundEntry(_ codec: String) -> [UInt8] {
    Plain.box(
      codec, [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8) + [0, 2, 0, 16, 0, 0, 0, 0, 0xAC, 0x44, 0, 0])
  }

  /// An entry of version 2: QuickTime File Format, Sound Sample Description (Version 2).
  private static func wideSoundEntry(rate: Double) -> [UInt8] {
    let bits = (0..<8).reversed().map { UInt8(truncatingIfNeeded: rate.bitPattern >> UInt64(8 * $0)) }
    let fixed: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 16, 0xFF, 0xFE, 0, 0, 0, 1, 0, 0]
    let counts: [UInt8] = [0, 0, 0, 2, 0x7F, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1]
    return Plain.box("lpcm", fixed + [0, 0, 0, 72] + bits + counts)
  }
}
