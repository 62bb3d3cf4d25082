import Foundation
import Lyrebird
import TestSupport
import Testing

/// Sound without an index: the packets that the index named, found without it.
@Suite(.inTurn) struct SoundRepairTests {
  /// Noise and silence in AAC, made by ffmpeg.
  private static func made(_ options: [String] = [], seconds: Int = 8) throws -> WholeMovie {
    let folder = try TemporaryFolder()
    let path = folder.path("made.m4a")
    let source = "anoisesrc=d=\(seconds):c=pink:a=0.3:r=44100:seed=1,volume='if(lt(mod(t,5),4),1,0)':eval=frame"
    try MadeMedia.make(["-f", "lavfi", "-i", source, "-c:a", "aac"] + options + [path])
    defer { withExtendedLifetime(folder) {} }
    return try WholeMovie(path: path)
  }

  /// Whether a corpus file is a movie of one track, in AAC that the decoder supports.
  private static func isSound(_ movie: MP4Demuxer) -> Bool {
    let tracks = movie.tracks.filter { $0.sampleCount > 0 }
    guard tracks.count == 1, let track = tracks.first, track.kind == .audio, let description = track.descriptions.first,
      movie.defect(of: track) == nil, !movie.isExternal(track),
      let configuration = try? AudioSpecificConfig(description)
    else { return false }
    return (try? AACDecoder(configuration: configuration, coreOnly: true)) != nil
  }

  @Test(
    "of each movie of the corpus with nothing but AAC, 99 % of the packets are found without its index",
    .needs(.corpus))
  func corpus() throws {
    var (files, wanted, found) = (0, 0, 0)
    // Their indexes name bytes that lie before the packets: what is found is right, and what they name is not.
    let exempt = ["testMP4_coverArt.m4a", "testMP4_twoCovers.m4a"]
    for file in try Shared.corpusFiles() where !exempt.contains(where: file.path.hasSuffix) {
      guard let whole = try? WholeMovie(path: file.url.path), Self.isSound(whole.movie) else { continue }
      let track = try #require(whole.movie.tracks.first { $0.sampleCount > 0 })
      // Some files of the corpus are cut themselves.
      guard let payloads = try? whole.payloads(track) else { continue }
      let saved = try WholeMovie(try repaired(whole.withoutIndex()).bytes)
      let count = kept(payloads, in: try saved.payloads(saved.movie.tracks[0]))
      #expect(100 * count >= 99 * payloads.count, "\(file): \(count) of \(payloads.count)")
      (files, wanted, found) = (files + 1, wanted + payloads.count, found + count)
    }
    #expect(files >= 25 && 1000 * found >= 999 * wanted, "\(files) files, \(found) of \(wanted) packets")
  }

  @Test("zeros that a recorder filled the file with, and never wrote to, are not missed", .needs(.ffmpeg))
  func zeros() throws {
    let whole = try Self.made()
    let report = try repaired(whole.withoutIndex() + [UInt8](repeating: 0, count: 5_000_000)).report
    #expect(report.tracks.map(\.found) == [whole.movie.tracks[0].sampleCount])
    #expect(report.tracks[0].gapCount == 0 && report.tracks[0].lost == 0)
  }

  @Test("what is saved plays in ffmpeg without a message, and is the same sound", .needs(.ffmpeg))
  func plays() throws {
    let folder = try TemporaryFolder()
    let whole = try Self.made()
    try Data(whole.withoutIndex()).write(to: URL(fileURLWithPath: folder.path("cut.m4a")))
    try Data(whole.bytes).write(to: URL(fileURLWithPath: folder.path("whole.m4a")))
    try MovieRepair(path: folder.path("cut.m4a")).run(to: folder.path("saved.m4a"))
    func sums(_ name: String, _ options: [String]) throws -> String {
      let output = try Tool.ffmpeg.run(
        ["-nostdin", "-v", "warning"] + options + ["-i", folder.path(name), "-f", "md5", "-"])
      #expect(output.status == 0 && output.errors.isEmpty, "\(output.errors)")
      return String(decoding: output.output, as: UTF8.self)
    }
    #expect(try sums("saved.m4a", []) == sums("whole.m4a", ["-ignore_editlist", "1"]))
  }

  @Test(
    "channels, rates and kinds of coding are told by the packets", .needs(.ffmpeg),
    arguments: [
      (["-ac", "1"], 1, 44100), (["-ac", "6", "-b:a", "320k"], 6, 44100), (["-ar", "16000"], 1, 16000),
      (["-ar", "96000", "-ac", "2", "-b:a", "256k"], 2, 96000), (["-ar", "8000"], 1, 8000),
      (["-profile:a", "aac_main", "-ac", "2"], 2, 44100),
    ])
  func kinds(options: [String], channels: Int, rate: Int) throws {
    let whole = try Self.made(options)
    let (report, bytes) = try repaired(whole.withoutIndex())
    let saved = try WholeMovie(bytes)
    #expect(try saved.payloads(saved.movie.tracks[0]) == whole.payloads(whole.movie.tracks[0]))
    let configuration = try AudioSpecificConfig(saved.movie.tracks[0].descriptions[0])
    #expect(configuration.channels == channels && Int(configuration.sampleRate) == rate)
    #expect(report.method == .packets && report.unusedBytes == 0 && report.tracks[0].gapCount == 0)
  }

  @Test("a tag that is left of the index says which frames are heard", arguments: [true, false])
  func gapless(isInFront: Bool) throws {
    let format = AudioFormat(sampleRate: 44_100, channels: 1)
    var encoder = try AACEncoder(format: format)
    var noise = Noise(seed: 11)
    let sound = (0..<50_001).map { _ in Int16.random(in: -8000...8000, using: &noise) }
    let sink = MemorySink()
    var options = MuxerOptions()
    options.layout = isInFront ? .fastStart : .moovLast
    let track = MuxerTrack(
      audio: try SampleDescription(encoder), timescale: 44_100, priming: Int64(encoder.priming), id: encoder.trackID)
    let muxer = try MP4Muxer(to: sink, tracks: [track], options: options)
    for packet in try encoder.encode(PCMBuffer(sound, sampleRate: 44_100, layout: .mono)) { try muxer.append(packet) }
    for packet in encoder.finish().packets { try muxer.append(packet) }
    _ = try muxer.finish()
    var bytes = sink.bytes
    let index = try #require(try WholeMovie(bytes).boxes("moov").first)
    bytes.replaceSubrange(Int(index.offset) + 4..<Int(index.offset) + 8, with: "free".utf8)
    let (report, output) = try repaired(bytes)
    #expect(!report.assumptions.contains(.noPriming))
    let reader = try AudioReader(SourceReader(MemorySource(output)))
    var heard = 0
    while let part = try reader.next() { heard += part.payload.frameCount }
    #expect(heard == sound.count)
  }

  @Test("a rate that is known is taken, and one that cannot be is refused", .needs(.ffmpeg))
  func rates() throws {
    let cut = try Self.made(["-ar", "48000"]).withoutIndex()
    var options = MovieRepair.Options()
    options.sampleRate = 48000
    let (report, bytes) = try repaired(cut, options)
    #expect(try WholeMovie(bytes).movie.tracks[0].audioFormat?.sampleRate == 48000)
    #expect(report.assumptions == [.noPriming])
    options.sampleRate = 16000
    #expect(throws: RepairError.self) { try repaired(cut, options) }
  }

  @Test("around zeros, noise and a cut all packets but those hit are found, and the gaps are told", .needs(.ffmpeg))
  func damage() throws {
    let whole = try Self.made(["-ac", "2"])
    let payloads = try whole.payloads(whole.movie.tracks[0])
    let cut = try whole.withoutIndex()
    var noise = Noise(seed: 7)
    let middle = cut.count / 2..<cut.count / 2 + 3000
    for filling in [[UInt8](repeating: 0, count: middle.count), noise.bytes(middle.count)] {
      var broken = cut
      broken.replaceSubrange(middle, with: filling)
      let (report, bytes) = try repaired(broken)
      let saved = try WholeMovie(bytes)
      // The packets that the hole takes, one at each edge, and one that the last one before it may take along.
      let mean = cut.count / payloads.count
      let count = kept(payloads, in: try saved.payloads(saved.movie.tracks[0]))
      #expect(count >= payloads.count - middle.count / mean - 4, "\(count) of \(payloads.count)")
      let track = report.tracks[0]
      #expect((1...2).contains(track.gapCount) && track.lost > 0 && track.doubtful > 0)
      let gap = try #require(track.gaps.first)
      #expect(gap.offset <= UInt64(middle.upperBound) && gap.offset + gap.bytes >= UInt64(middle.lowerBound))
    }
    // Without its first bytes, and without its last.
    let ends = [9000..<cut.count, 0..<cut.count - 9000, 333..<cut.count - 333]
    for range in ends {
      let saved = try WholeMovie(try repaired(Array(cut[range])).bytes)
      let count = kept(payloads, in: try saved.payloads(saved.movie.tracks[0]))
      let places = try whole.places(whole.movie.tracks[0])
      let left = places.count { $0.lowerBound >= range.lowerBound && $0.upperBound <= range.upperBound }
      #expect(count >= left - 1, "\(count) of \(left)")
    }
  }

  @Test("a movie that is whole keeps its samples, and is said to be whole", .needs(.ffmpeg))
  func whole() throws {
    let whole = try Self.made()
    let (report, bytes) = try repaired(whole.bytes)
    let saved = try WholeMovie(bytes)
    #expect(report.wasWhole && report.method == .index && report.tracks.map(\.lost) == [0])
    #expect(try saved.payloads(saved.movie.tracks[0]) == whole.payloads(whole.movie.tracks[0]))
    #expect(saved.movie.tracks[0].edits == whole.movie.tracks[0].edits)
  }

  @Test("where there is no sound, the error says what helps")
  func nothing() throws {
    var noise = Noise(seed: 1)
    let sames = [0, 0x21].map { [UInt8](repeating: $0, count: 30_000) }
    for bytes in [[], noise.bytes(30_000)] + sames {
      let error = #expect(throws: RepairError.self) { try repaired(bytes) }
      #expect(error?.kind == .badData && error?.recoverySuggestion != nil)
    }
  }

  @Test("damaged in any way, it ends with a movie or an error", .needs(.corpus))
  func mutations() throws {
    let aac = Shared.folder.appendingPathComponent("aac")
    let files = ["al_sbr_ps_06_new.mp4", "am00_88.mp4", "al04_44.mp4"].map { aac.appendingPathComponent($0).path }
    let sources = try files.map { try WholeMovie(path: $0) }
    var noise = Noise(seed: 42)
    for round in 0..<(Interruptions.isExhaustive ? 1000 : 15) {
      let source = sources[round % sources.count]
      var bytes = try round.isMultiple(of: 3) ? source.bytes : source.withoutIndex()
      bytes = Array(bytes.prefix(30_000))
      for _ in 0..<Int.random(in: 1...40, using: &noise) {
        let place = Int.random(in: 0..<bytes.count, using: &noise)
        switch Int.random(in: 0..<4, using: &noise) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &noise)
        case 1: bytes.removeSubrange(place..<min(place + Int.random(in: 1...500, using: &noise), bytes.count))
        case 2: bytes.insert(contentsOf: noise.bytes(Int.random(in: 1...500, using: &noise)), at: place)
        default: for index in place..<min(place + 300, bytes.count) { bytes[index] = 0 }
        }
      }
      do {
        let saved = try WholeMovie(try repaired(bytes).bytes)
        #expect(!saved.movie.tracks.isEmpty)
      } catch is RepairError {}
    }
  }
}
