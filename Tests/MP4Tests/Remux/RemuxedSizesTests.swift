import MP4
import MediaCore
import TestSupport
import Testing

/// Samples of one size, which an index may say once: of sound, readers then take that for something else.
///
/// Source: QuickTime File Format, sound sample descriptions; `PackingTests` has the rules.
@Suite(.inTurn)
struct RemuxedSizesTests {
  /// A movie of sound, one sample after another in a fragment, with what its samples hold.
  private static func movie(_ entry: [UInt8], _ samples: [MadeRun.Sample]) -> (bytes: [UInt8], payloads: [[UInt8]]) {
    var track = MadeTrack()
    track.handler = "soun"
    track.timescale = 48000
    track.entries = [entry]
    var next: UInt8 = 0
    let payloads = samples.map { sample in
      (0..<sample.size).map { _ in
        next &+= 1
        return next
      }
    }
    func moof(_ offset: Int32) -> [UInt8] {
      let run = MadeRun(dataOffset: offset, fields: 0xF00, samples: samples)
      var fragment = MadeFragment(id: 1, time: 0, runs: [run])
      fragment.isBaseMoof = true
      return MadeFragment.moof([fragment])
    }
    // Bytes after the samples, for readers that take more than a sample has.
    let media = payloads.flatMap { $0 } + [UInt8](repeating: 0xEE, count: 1000)
    let bytes =
      MovieMaker.fileType + MovieMaker.moov([track], timescale: 1000, defaults: [.init(1)])
      + moof(Int32(moof(0).count + 8)) + Plain.box("mdat", media)
    return (bytes, payloads)
  }

  /// What the samples hold once the movie is progressive.
  private static func payloads(of bytes: [UInt8]) throws -> [[UInt8]] {
    let folder = try TemporaryFolder()
    let path = folder.path("out.mp4")
    let summary = try Remuxer(from: try opened(bytes), to: path).run()
    #expect(summary.retimed == [] && summary.dropped == [])
    let movie = try MP4Demuxer(path: path)
    var samples = movie.samples(of: movie.tracks[0])
    var payloads: [[UInt8]] = []
    while let sample = try samples.next() { payloads.append(Array(try sample.payload.load())) }
    return payloads
  }

  private static func sample(_ size: UInt32, lasting duration: UInt32 = 1, shown offset: Int32 = 0) -> MadeRun.Sample {
    .init(duration: duration, size: size, flags: 0x200_0000, offset: offset)
  }

  @Test(
    "sound in samples of a byte and a tick stays that, and is not taken for PCM whose frames the entry describes",
    arguments: ["mp4a", "Opus", "sowt"], [1, 3])
  func samplesOfOneByteKeepTheirSize(codec: String, count: Int) throws {
    let made = Self.movie(MadeEntry.audio(codec), (0..<count).map { _ in Self.sample(1) })
    #expect(try Self.payloads(of: made.bytes) == made.payloads)
  }

  @Test("frames of PCM of another size than their entry says keep it")
  func framesKeepTheirSize() throws {
    let entry = MadeEntry.audio1(
      "twos", channels: 2, samplesPerPacket: 1, bytesPerPacket: 2, bytesPerFrame: 4, bytesPerSample: 2)
    let made = Self.movie(entry, [Self.sample(6), Self.sample(6)])
    #expect(try Self.payloads(of: made.bytes) == made.payloads)
  }

  @Test("samples of PCM that do not last a tick each, or are not shown in turn, stay apart")
  func samplesWithTimesStayApart() throws {
    let entry = MadeEntry.audio("sowt")
    let uneven = Self.movie(entry, [Self.sample(4, lasting: 0), Self.sample(4, lasting: 2)])
    #expect(try Self.payloads(of: uneven.bytes) == uneven.payloads)
    let late = Self.movie(entry, [Self.sample(4, shown: 5), Self.sample(4, shown: 5)])
    #expect(try Self.payloads(of: late.bytes) == late.payloads)
  }

  @Test("frames of PCM need no table of sizes, however many there are")
  func framesTakeNoTable() throws {
    let made = Self.movie(MadeEntry.audio("sowt"), (0..<100).map { _ in Self.sample(4) })
    // All that lies together comes at once.
    #expect(try Self.payloads(of: made.bytes) == [made.payloads.flatMap { $0 }])
  }
}
