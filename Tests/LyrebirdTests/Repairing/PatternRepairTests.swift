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
      let captions = folder.path("captions.srt")
      try Self.captions(seconds: seconds).write(toFile: captions, atomically: true, encoding: .utf8)
      try MadeMedia.make(
        ["-f", "lavfi", "-i", "\(pictures)=size=160x120:rate=25", "-f", "lavfi", "-i", sound, "-i", captions]
          + ["-t", "\(seconds)"] + options + [path])
      return try WholeMovie(path: path)
    }
    defer { withExtendedLifetime(folder) {} }
    return (
      try make("broken.mov", "testsrc2", sound, 12),
      try make("good.mov", "mandelbrot", "sine=frequency=300:sample_rate=48000", 5)
    )
  }

  /// A line for each second, as drones write their position: each has another length.
  private static func captions(seconds: Int) -> String {
    var noise = Noise(seed: UInt64(seconds))
    return (0..<seconds).map { second in
      let place = String(repeating: "7", count: Int.random(in: 1...12, using: &noise))
      let (start, end) = (second < 10 ? "0\(second)" : "\(second)", second < 9 ? "0\(second + 1)" : "\(second + 1)")
      return "\(second + 1)\n00:00:\(start),000 --> 00:00:\(end),000\n\(second) m, GPS (\(place))\n\n"
    }.joined()
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
      guard let found = saved.movie.tracks.first(where: { $0.id == track.id }) else {
        // It has to be said that it is left out.
        let isNamed = report.assumptions.contains(.unreadable(codec: track.descriptions[0].codecName))
        return isNamed && track.kind != .video && track.kind != .audio ? .nan : 0
      }
      #expect(found.descriptions.map(\.codec) == track.descriptions.map(\.codec))
      let wanted = try broken.payloads(track)
      let payloads = try saved.payloads(found)
      if track.audioFormat?.pcmCoding != nil { return shareOfPCM(wanted, in: payloads) }
      return Double(kept(wanted, in: payloads)) / Double(max(wanted.count, 1))
    }
  }

  /// How many bytes of PCM are saved, which has other samples then: chunks, which have to be in the sound in the same
  /// order.
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
  /// In both, most samples hold frames that are not shown, or show one decoded before.
  private static let aom = ["-f", "mp4", "-c:v", "libaom-av1", "-pix_fmt", "yuv420p", "-cpu-used", "8", "-g", "50"]
  private static let svt = ["-f", "mp4", "-c:v", "libsvtav1", "-pix_fmt", "yuv420p", "-preset", "10", "-g", "50"]

  @Test(
    "pictures and sound are all found, byte for byte, like those of a sibling", .needs(.ffmpeg),
    arguments: [
      x264 + ["-c:a", "aac", "-ac", "2"], x264 + ["-c:a", "aac", "-ac", "1"], x265 + ["-c:a", "aac", "-ac", "2"],
      aom + ["-c:a", "aac", "-ac", "1"], svt + ["-c:a", "aac", "-ac", "2"], svt + ["-an"],
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

  /// One chunk of noise in some ten thousand begins so. It was taken for part of the picture, and all that followed was
  /// lost.
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

  private static let bothPCM = [
    "-map", "0", "-map", "1", "-map", "1", "-c:a:0", "pcm_s16le", "-ac:a:0", "2", "-c:a:1", "pcm_s24le", "-ac:a:1", "1",
  ]
  private static let twoPCM = x264 + bothPCM
  private static let proRes = ["-c:v", "prores_ks", "-pix_fmt", "yuv422p10le", "-timecode", "01:02:03:04"] + bothPCM
  private static let captioned =
    x264 + [
      "-c:a", "aac", "-ac", "2", "-c:s", "mov_text", "-timecode", "01:02:03:04",
    ]

  @Test(
    "several tracks of PCM are told apart by the order of their chunks in the pattern", .needs(.ffmpeg),
    arguments: [twoPCM, proRes])
  func severalPCM(options: [String]) throws {
    let (broken, good) = try Self.siblings(options)
    let shares = try Self.shares(broken, broken.withoutIndex(), like: good)
    // At the end, where no picture follows, it is not known how the last chunks are divided.
    #expect(shares.count >= 3 && shares[0] == 1 && shares.allSatisfy { $0 > 0.97 }, "\(shares)")
  }

  private static let twoAAC =
    x264 + ["-map", "0", "-map", "1", "-map", "1", "-c:a", "aac", "-ac", "2", "-filter:a:1", "volume=0.3"]

  /// All packets went to the first track, which was twice as long as the pictures.
  @Test("packets of two tracks of AAC that look alike are told by their order", .needs(.ffmpeg))
  func alike() throws {
    let (broken, good) = try Self.siblings(Self.twoAAC)
    let shares = try Self.shares(broken, broken.withoutIndex(), like: good)
    #expect(shares.count == 3 && shares.allSatisfy { $0 == 1 }, "\(shares)")
  }

  @Test(
    "samples of two tracks that look alike and come several at a time are told by their order", .needs(.ffmpeg),
    arguments: [twoAAC, x264 + lenses])
  func alikeInChunks(options: [String]) throws {
    let (broken, good) = try Self.siblings(options + ["-chunk_duration", "400000"])
    let shares = try Self.shares(broken, broken.withoutIndex(), like: good)
    // ffmpeg begins with the second track, and goes on with the first one in front.
    #expect(shares.count >= 2 && shares.allSatisfy { $0 > 0.95 }, "\(shares)")
  }

  private static let lenses = ["-map", "0", "-map", "0", "-map", "1", "-filter:v:1", "negate,hflip", "-c:a", "aac"]

  /// All pictures went to the first track, which was twice as long as the sound.
  @Test(
    "pictures of two tracks that look alike are told by their order, also if their parameter sets differ",
    .needs(.ffmpeg),
    arguments: [
      x264 + lenses, x265 + lenses, svt + lenses,
      x264 + lenses + ["-s:v:1", "80x60", "-g:v:1", "25", "-flags:v:1", "+ildct+ilme", "-slices:v:1", "3"],
    ])
  func alikePictures(options: [String]) throws {
    let (broken, good) = try Self.siblings(options)
    let shares = try Self.shares(broken, broken.withoutIndex(), like: good)
    #expect(shares.count == 3 && shares.allSatisfy { $0 == 1 }, "\(shares)")
    var repair = MovieRepair.Options()
    repair.pattern = good.movie
    let saved = try WholeMovie(repaired(broken.withoutIndex(), repair).bytes)
    for (track, original) in zip(saved.movie.tracks, broken.movie.tracks) where track.kind == .video {
      #expect(try Self.shown(saved.movie, track) == Self.shown(broken.movie, original))
    }
  }

  /// When pictures are shown, counted from the first, in the order of decoding.
  private static func shown(_ movie: MP4Demuxer, _ track: Track) throws -> [Int64] {
    var samples = movie.samples(of: track)
    var times: [Int64] = []
    while let record = try samples.nextRecord() { times.append(record.presentationTime) }
    let first = times.min() ?? 0
    return times.map { $0 - first }
  }

  /// The second track begins a little later, so that pictures come between the packets of a turn.
  @Test("packets that no order tells apart are in one track, and the report says so", .needs(.ffmpeg))
  func undivided() throws {
    let (broken, good) = try Self.siblings(Self.twoAAC + ["-bsf:a:1", "setts=ts=TS+624"])
    var options = MovieRepair.Options()
    options.pattern = good.movie
    let report = try repaired(broken.withoutIndex(), options).report
    #expect(report.assumptions.contains(.oneTrack(alike: 2)))
    #expect(report.tracks.map(\.found) == [300, 2 * broken.movie.tracks[1].sampleCount])
  }

  @Test(
    "captions, whose sizes are never the same, and a time code are found between pictures and sound", .needs(.ffmpeg))
  func data() throws {
    let (broken, good) = try Self.siblings(Self.captioned)
    var options = MovieRepair.Options()
    options.pattern = good.movie
    let (report, bytes) = try repaired(broken.withoutIndex(), options)
    #expect(report.unusedBytes == 0 && report.tracks.allSatisfy { $0.gapCount == 0 && $0.doubtful == 0 })
    let saved = try WholeMovie(bytes)
    #expect(saved.movie.tracks.map(\.sampleCount) == broken.movie.tracks.map(\.sampleCount))
    for (track, found) in zip(broken.movie.tracks, saved.movie.tracks) {
      #expect(try saved.payloads(found) == broken.payloads(track))
    }
    // The time code lasts as long as the movie, and the captions change each second until it ends.
    let (captions, timecode) = (saved.movie.tracks[2], saved.movie.tracks[3])
    #expect(timecode.duration == broken.movie.tracks[3].duration && captions.duration <= timecode.duration)
    var (wanted, times) = (broken.movie.samples(of: broken.movie.tracks[2]), saved.movie.samples(of: captions))
    while let caption = try wanted.nextRecord() {
      #expect(try times.nextRecord()?.presentationTime == caption.presentationTime)
    }
  }

  /// Sixteen thousand pictures were reported as lost, and each byte was searched, for a minute.
  @Test("zeros that a camera filled the file with, and never wrote to, are not missed", .needs(.ffmpeg))
  func zeros() throws {
    let (broken, good) = try Self.siblings(Self.x264 + ["-c:a", "aac", "-ac", "2"])
    var options = MovieRepair.Options()
    options.pattern = good.movie
    let report = try repaired(broken.withoutIndex() + [UInt8](repeating: 0, count: 20_000_000), options).report
    #expect(report.tracks.map(\.found) == broken.movie.tracks.map(\.sampleCount))
    #expect(report.tracks.allSatisfy { $0.gapCount == 0 && $0.lost == 0 })
  }

  @Test("what is saved is shown in the right order, and plays without a message", .needs(.ffmpeg))
  func order() throws {
    let folder = try TemporaryFolder()
    for options in [Self.x264, Self.x265, Self.svt] {
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
    arguments: [x264 + ["-c:a", "aac", "-ac", "2"], svt + ["-c:a", "aac"], pcm, twoPCM, captioned, twoAAC])
  func damage(options: [String]) throws {
    let (broken, good) = try Self.siblings(options)
    let cut = try broken.withoutIndex()
    var zeros = cut
    for index in cut.count / 2..<cut.count / 2 + cut.count / 50 { zeros[index] = 0 }
    for part in [zeros, Array(cut[(cut.count / 20)...]), Array(cut[..<(cut.count * 19 / 20)])] {
      let shares = try Self.shares(broken, part, like: good)
      // A track of text that is left out is named, see `shares`; no other is not a number.
      #expect(shares.allSatisfy { $0 > 0.9 || $0.isNaN }, "\(shares)")
    }
  }

  @Test(
    "of each movie of the corpus with H.264, H.265, AV1 or AAC, 95 % of each track is found with itself as the pattern",
    .needs(.corpus))
  func corpus() throws {
    var files = 0
    for file in try Shared.corpusFiles() where file.expectation == "read" {
      if Self.exempt.contains(where: file.path.hasSuffix) { continue }
      guard let whole = try? WholeMovie(path: file.url.path), Self.isUsual(whole.movie) else { continue }
      let shares = try Self.shares(whole, whole.withoutIndex(), like: whole)
      #expect(shares.allSatisfy { $0 >= 0.95 || $0.isNaN }, "\(file): \(shares)")
      files += 1
    }
    #expect(files >= 100)
  }

  /// Files whose index does not name what their media holds: bytes that lie before the samples, or beyond the file; no
  /// media; sound that is still encrypted; pictures that are parted by start codes, against the standard. And pictures
  /// with their transparency in a second track, 11 to 13 samples of each at a time.
  private static let exempt = [
    "sample_fragmented_uuid.mp4", "testMP4_coverArt.m4a", "testMP4_twoCovers.m4a", "chunk_out_of_range.mp4",
    "clear_with_enc_boxes.mp4", "decrypted.mp4", "sample_sef_slow_motion.mp4", "sample_sef_super_slow_motion.mp4",
    "alpha_video_avif_major_avis_compatible.avif", "alpha_video_fixed.avif", "alpha_video_no_avis.avif",
  ]

  /// Whether all tracks of a movie are whole, its pictures are in H.264, H.265 or AV1, its sound in AAC or PCM, and it
  /// has any that is not in PCM.
  private static func isUsual(_ movie: MP4Demuxer) -> Bool {
    var canBeRead = false
    for track in movie.tracks {
      guard movie.defect(of: track) == nil, !movie.isExternal(track), track.sampleCount > 0,
        track.descriptions.count == 1, track.descriptions[0].protection == nil
      else { return false }
      let description = track.descriptions[0]
      switch track.kind {
      case .video:
        guard ["avc1", "hvc1", "hev1", "av01"].contains(description.codec) else { return false }
        canBeRead = true
      case .audio where track.audioFormat?.pcmCoding == nil:
        guard let configuration = try? AudioSpecificConfig(description),
          (try? AACDecoder(configuration: configuration, coreOnly: true)) != nil
        else { return false }
        canBeRead = true
      default: break
      }
    }
    return canBeRead
  }

  /// Nothing was found in the first, whose camera writes a sample of data after each picture and each packet; three
  /// pictures of 86 in the second, which have metadata of Dolby Vision; not the first picture in the third, as there is
  /// a message between its two views.
  @Test(
    "movies of an action camera, of a phone in Dolby Vision and with pictures for both eyes are saved whole",
    .needs(.corpus), arguments: ["max-heromode.mp4", "sample_edit_list.mp4", "stereo_spatial.mp4"])
  func cameras(name: String) throws {
    let file = try #require(try Shared.corpusFiles().first { $0.path.hasSuffix(name) })
    let whole = try WholeMovie(path: file.url.path)
    let shares = try Self.shares(whole, whole.withoutIndex(), like: whole)
    #expect(shares.allSatisfy { $0 == 1 }, "\(shares)")
  }

  @Test(
    "damaged in any way, it ends with a movie or an error", .needs(.ffmpeg),
    arguments: [x264 + ["-c:a", "aac", "-ac", "2"], svt + ["-c:a", "aac"], pcm, twoPCM, captioned, proRes])
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
