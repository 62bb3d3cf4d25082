import Foundation
import Lyrebird
import TestSupport
import Testing

/// Pictures and sound without an index, found with the help of a whole movie like the broken one.
@Suite(.inTurn) struct PatternRepairTests {
  /// Two movies by the same encoder: other pictures, other sound, another length.
  private static func siblings(
    _ options: [String], sound: String = "anoisesrc=c=pink:a=0.3:r=48000:seed=1"
  ) throws -> (broken: WholeMovie, good: WholeMovie) {
    let folder = try TemporaryFolder()
    func make(_ name: String, _ pictures: String, _ sound: String, _ seconds: Int) throws -> WholeMovie {
      let path = folder.path(name)
      try MadeMedia.make(
        ["-f", "lavfi", "-i", "\(pictures)=size=160x120:rate=25", "-f", "lavfi", "-i", sound, "-t", "\(seconds)"]
          + options + [path])
      return try WholeMovie(path: path)
    }
    defer { withExtendedLifetime(folder) {} }
    return (
      try make("broken.mov", "testsrc2", sound, 12),
      try make("good.mov", "mandelbrot", "sine=frequency=300:sample_rate=48000", 5)
    )
  }

  /// How much of each track is saved, the broken movie's index being cut off.
  private static func shares(_ broken: WholeMovie, _ cut: [UInt8], like good: WholeMovie) throws -> [Double] {
    var options = MovieRepair.Options()
    options.pattern = good.movie
    let (report, bytes) = try repaired(cut, options)
    // Fragments have indexes of their own. Those that count from their fragment need only the pattern's movie header.
    #expect(report.method == .pattern || good.movie.layout == .fragmented)
    #expect(!report.wasWhole)
    let saved = try WholeMovie(bytes)
    return try broken.movie.tracks.map { track in
      guard let found = saved.movie.tracks.first(where: { $0.id == track.id }) else { return 0 }
      let wanted = try broken.payloads(track)
      let payloads = try saved.payloads(found)
      if track.descriptions[0].codec == "sowt" { return shareOfPCM(wanted, in: payloads) }
      return Double(kept(wanted, in: payloads)) / Double(max(wanted.count, 1))
    }
  }

  /// How many bytes of PCM are saved, which has other samples then: chunks, which have to be in the sound in the same order.
  private static func shareOfPCM(_ wanted: [[UInt8]], in chunks: [[UInt8]]) -> Double {
    let sound = Data(wanted.joined())
    var (next, count) = (0, 0)
    for chunk in chunks {
      guard let place = sound.range(of: Data(chunk), in: next..<sound.count) else { continue }
      next = place.upperBound
      count += chunk.count
    }
    return Double(count) / Double(max(sound.count, 1))
  }

  private static let x264 = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-bf", "2", "-g", "50"]
  private static let x265 = ["-c:v", "libx265", "-pix_fmt", "yuv420p", "-x265-params", "log-level=none:keyint=50"]

  @Test(
    "pictures and sound are all found, byte for byte, like those of a sibling", .needs(.ffmpeg),
    arguments: [
      x264 + ["-c:a", "aac", "-ac", "2"], x264 + ["-c:a", "aac", "-ac", "1"], x265 + ["-c:a", "aac", "-ac", "2"],
      ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-tune", "zerolatency", "-slices", "4", "-c:a", "aac", "-ac", "2"],
    ])
  func siblings(options: [String]) throws {
    let (broken, good) = try Self.siblings(options)
    let shares = try Self.shares(broken, broken.withoutIndex(), like: good)
    #expect(shares.allSatisfy { $0 == 1 }, "\(shares)")
  }

  private static let pcm = x264 + ["-c:a", "pcm_s16le", "-ac", "2"]

  /// Whether pictures and PCM are all found, byte for byte.
  private static func areAllFound(_ broken: WholeMovie, like good: WholeMovie) throws -> Bool {
    var options = MovieRepair.Options()
    options.pattern = good.movie
    let saved = try WholeMovie(try repaired(broken.withoutIndex(), options).bytes)
    func payloads(_ movie: WholeMovie, _ track: Int) throws -> [[UInt8]] {
      try movie.payloads(movie.movie.tracks[track])
    }
    // Joined, as PCM has other samples in chunks.
    return try payloads(saved, 0) == payloads(broken, 0)
      && payloads(saved, 1).joined().elementsEqual(payloads(broken, 1).joined())
  }

  @Test("chunks of PCM between pictures are found by the sizes they have in the pattern", .needs(.ffmpeg))
  func plain() throws {
    let (broken, good) = try Self.siblings(Self.pcm)
    #expect(try Self.areAllFound(broken, like: good))
  }

  /// One chunk of noise in some ten thousand begins so. It was taken for part of the picture, and all that followed was lost.
  @Test("chunks of PCM that begin like a unit of the picture before, or like another picture, are PCM", .needs(.ffmpeg))
  func deceptivePCM() throws {
    let (plain, good) = try Self.siblings(Self.pcm)
    let slice = try Array(plain.payloads(plain.movie.tracks[0])[5][4..<24])
    for beginning: [UInt8] in [[0, 0, 8, 0, 0x13], [0, 0, 8, 0] + slice] {
      let folder = try TemporaryFolder()
      var noise = Noise(seed: 8)
      var writer = try WAVWriter(
        path: folder.path("sound.wav"), format: AudioFormat(sampleRate: 48_000, layout: .stereo))
      // Not at the end, where the last chunk has a size of its own: that one is not told from a unit.
      for block in 0..<563 {
        let bytes = (block < 550 ? beginning : []) + noise.bytes(4096)
        let samples = stride(from: 0, to: 4096, by: 2).map {
          Int16(bytes[$0]) | Int16(truncatingIfNeeded: Int(bytes[$0 + 1]) << 8)
        }
        try writer.append(PCMBuffer(samples, sampleRate: 48_000, layout: .stereo))
      }
      _ = try writer.finish()
      let sound = "amovie=\(folder.path("sound.wav")),asetnsamples=1024"
      #expect(try Self.areAllFound(Self.siblings(Self.pcm, sound: sound).broken, like: good))
    }
  }

  @Test("what is saved is shown in the right order, and plays without a message", .needs(.ffmpeg))
  func order() throws {
    let folder = try TemporaryFolder()
    for options in [Self.x264, Self.x265] {
      let (broken, good) = try Self.siblings(options + ["-c:a", "aac", "-ac", "2"])
      try Data(broken.withoutIndex()).write(to: URL(fileURLWithPath: folder.path("cut.mov")))
      try Data(broken.bytes).write(to: URL(fileURLWithPath: folder.path("whole.mov")))
      var repair = MovieRepair.Options()
      repair.pattern = good.movie
      try MovieRepair(path: folder.path("cut.mov"), options: repair).run(to: folder.path("saved.mp4"))
      func frames(_ name: String) throws -> [String] {
        let output = try Tool.ffmpeg.run(
          ["-nostdin", "-v", "warning", "-i", folder.path(name), "-map", "0:v", "-f", "framemd5", "-"])
        #expect(output.status == 0 && output.errors.isEmpty, "\(output.errors)")
        // The time of each frame, and the sum of its pixels.
        return String(decoding: output.output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
          .map { line in
            let fields = line.split(separator: ",")
            return "\(fields[2]) \(fields[fields.count - 1])"
          }
      }
      #expect(try frames("saved.mp4") == frames("whole.mov"))
    }
  }

  @Test(
    "after zeros in the middle, and without beginning or end, the rest is found", .needs(.ffmpeg),
    arguments: [x264 + ["-c:a", "aac", "-ac", "2"], pcm])
  func damage(options: [String]) throws {
    let (broken, good) = try Self.siblings(options)
    let cut = try broken.withoutIndex()
    var zeros = cut
    for index in cut.count / 2..<cut.count / 2 + cut.count / 50 { zeros[index] = 0 }
    for part in [zeros, Array(cut[(cut.count / 20)...]), Array(cut[..<(cut.count * 19 / 20)])] {
      let shares = try Self.shares(broken, part, like: good)
      #expect(shares.allSatisfy { $0 > 0.9 }, "\(shares)")
    }
  }

  @Test(
    "of each movie of the corpus with H.264 or H.265, or AAC, 95 % of all tracks is found with itself as the pattern",
    .needs(.corpus))
  func corpus() throws {
    var files = 0
    for file in try Shared.corpusFiles() where file.expectation == "read" {
      guard let whole = try? WholeMovie(path: file.url.path), Self.isUsual(whole.movie) else { continue }
      guard let shares = try? Self.shares(whole, whole.withoutIndex(), like: whole) else { print("FAILED", file); continue }
      if !shares.allSatisfy({ $0 >= 0.95 }) { print("SHARES", file, shares, whole.movie.tracks.map { $0.descriptions[0].codec }) }
      files += 1
    }
    print("FILES", files)
  }

  /// Whether a movie has pictures or sound that can be read, and all tracks are whole.
  private static func isUsual(_ movie: MP4Demuxer) -> Bool {
    let areWhole = movie.tracks.allSatisfy {
      movie.defect(of: $0) == nil && !movie.isExternal($0) && $0.descriptions.first?.protection == nil && $0.descriptions.count == 1 && $0.sampleCount > 0
    }
    return areWhole && movie.tracks.contains { track in
      let description = track.descriptions[0]
      if ["avc1", "hvc1", "hev1"].contains(description.codec) { return true }
      guard let configuration = try? AudioSpecificConfig(description) else { return false }
      return (try? AACDecoder(configuration: configuration, coreOnly: true)) != nil
    }
  }

  @Test(
    "damaged in any way, it ends with a movie or an error", .needs(.ffmpeg),
    arguments: [x264 + ["-c:a", "aac", "-ac", "2"], pcm])
  func mutations(options: [String]) throws {
    let (broken, good) = try Self.siblings(options)
    let cut = try broken.withoutIndex()
    var repair = MovieRepair.Options()
    repair.pattern = good.movie
    var noise = Noise(seed: 3)
    for _ in 0..<(Interruptions.isExhaustive ? 1000 : 30) {
      var bytes = Array(cut.prefix(60_000))
      for _ in 0..<Int.random(in: 1...30, using: &noise) {
        let place = Int.random(in: 0..<bytes.count, using: &noise)
        switch Int.random(in: 0..<3, using: &noise) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &noise)
        case 1: bytes.removeSubrange(place..<min(place + Int.random(in: 1...500, using: &noise), bytes.count))
        default: bytes.insert(contentsOf: noise.bytes(Int.random(in: 1...500, using: &noise)), at: place)
        }
      }
      do {
        let saved = try WholeMovie(try repaired(bytes, repair).bytes)
        #expect(!saved.movie.tracks.isEmpty)
      } catch is RepairError {}
    }
  }
}
