internal import Lyrebird

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The second half of the demo: sound, from a virtual microphone to a virtual loudspeaker.
struct DemoSound {
  private let toneFile: String
  private let songFile: String
  private let heardFile: String
  private let report: DemoReport

  /// Seconds recorded and played, in real time, as virtual devices have real clocks.
  private static let toneSeconds = 2
  private static let sampleRate = 44_100

  init(folder: String, report: DemoReport) {
    toneFile = folder + "/tone.m4a"
    songFile = folder + "/song.m4a"
    heardFile = folder + "/heard.wav"
    self.report = report
  }

  func run() throws {
    try record()
    try play()
    let song = Song(seconds: 8, sampleRate: DemoSound.sampleRate)
    try encode(song)
    try decode(song)
  }

  private func record() throws {
    var options = Recorder.Options()
    options.duration = .seconds(DemoSound.toneSeconds)
    let recorder = try Recorder(from: "tone:440", to: toneFile, options: options)
    let summary = try Blocking.run {
      try await recorder.start()
      return try await recorder.finished()
    }
    try report.step(
      "record", "\(DemoSound.toneSeconds) s of a virtual microphone that hums 440 Hz, as AAC in an M4A file")
    let movie = try MP4Demuxer(path: toneFile)
    try report.check(
      summary.frames == UInt64(DemoSound.toneSeconds * DemoSound.sampleRate)
        && movie.duration == MediaTime(value: Int64(summary.frames), timescale: UInt32(DemoSound.sampleRate)),
      "the file says \(summary.frames) frames, as many as were captured")
    if summary.silentFrames > 0 {
      try report.detail("the machine was busy: \(summary.silentFrames) of them came too late, and are silence")
    }
    try report.check(movie.layout == .fastStart, "while it grew it was in fragments; now its index is in front")
  }

  private func play() throws {
    let player = try Player(path: toneFile, device: DeviceName("file:" + heardFile))
    try player.play()
    _ = try Blocking.run { try await player.finished() }
    try report.step("play", "the same, decoded, on a virtual loudspeaker that records what it plays")
    let heard = try AudioReader(path: heardFile).read(channels: 1)
    // The loudspeaker runs a little longer than the sound.
    let hertz = DemoSound.frequency(Array(heard.drop { $0 == 0 }.prefix(Int(player.status.position))))
    try report.check(abs(hertz - 440) < 0.05, "it hums at \(Text.decimals(hertz, 1, isPadded: true)) Hz")
    try report.detail("\(Text.count(player.status.underruns, "underrun"))")
  }

  /// The frequency of a tone, from rising zero crossings, interpolated between two samples.
  ///
  /// It is the median over all stretches of a tenth of a second: on a busy machine there are gaps in the sound, which
  /// would make the mean lower.
  static func frequency(_ samples: [Float]) -> Double {
    var crossings: [Double] = []
    for (index, (before, after)) in zip(samples, samples.dropFirst()).enumerated() where before < 0 && after >= 0 {
      crossings.append(Double(index) + Double(before) / (Double(before) - Double(after)))
    }
    guard crossings.count > 1 else { return 0 }
    let periods = min(44, crossings.count - 1)
    let frequencies = zip(crossings, crossings.dropFirst(periods)).map {
      Double(periods) / ($1 - $0) * Double(sampleRate)
    }
    return frequencies.sorted()[frequencies.count / 2]
  }

  private func encode(_ song: Song) throws {
    let writer = try AudioWriter(path: songFile, format: song.format)
    let clock = ContinuousClock.now
    try writer.append(song.buffer)
    let summary = try writer.finish()
    let speed = song.seconds / max((ContinuousClock.now - clock).seconds, 1e-6)
    try report.step(
      "encode",
      "\(Text.decimals(song.seconds, 0)) s of synthetic music: \(summary.packets) packets, "
        + "\(Text.bytes(summary.bytes)), \(Text.decimals(speed, 0)) times faster than real time")
    let rate = Double(summary.bytes) * 8 / song.seconds
    try report.check(abs(rate - 96_000) < 6000, "that is \(Text.bitRate(rate)); 96 were asked for")
  }

  /// Lossy means that samples differ; how much is measured as the power of the music over that of the difference.
  private func decode(_ song: Song) throws {
    let samples = try AudioReader(path: songFile).read()
    try report.step("decode", "\(samples.count / 2) frames")
    let original = song.buffer.floats
    try report.check(samples.count == original.count, "as many as went in: none added before or after")
    let noise = zip(samples, original).reduce(0.0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
    let signal = original.reduce(0.0) { $0 + Double($1 * $1) }
    let ratio = 10 * log10(signal / max(noise, 1e-12))
    try report.check(ratio > 15, "what the codec changed is \(Text.decimals(ratio, 1)) dB below the music")
  }
}

/// Synthetic music: plucked chords, each note with overtones that die away, and a drum that is noise.
private struct Song {
  let buffer: PCMBuffer
  let seconds: Double
  var format: AudioFormat { buffer.format }

  init(seconds: Int, sampleRate: Int) {
    self.seconds = Double(seconds)
    let chords: [[Double]] = [
      [220, 277.18, 329.63], [196, 246.94, 293.66], [174.61, 220, 261.63], [164.81, 207.65, 246.94],
    ]
    var samples = [Float](repeating: 0, count: seconds * sampleRate * 2)
    let beat = sampleRate / 2
    for start in stride(from: 0, to: seconds * sampleRate, by: beat) {
      let chord = chords[start / beat / 4 % chords.count]
      for (voice, pitch) in chord.enumerated() {
        for overtone in 1...4 {
          let step = 2 * Double.pi * pitch * Double(overtone) / Double(sampleRate)
          let side = Float(voice) / 2
          for frame in 0..<min(beat, seconds * sampleRate - start) {
            let decay = exp(-Double(frame * overtone) / Double(sampleRate) * 3)
            let sample = Float(sin(step * Double(frame)) * decay * 0.08 / Double(overtone))
            samples[2 * (start + frame)] += sample * (1 - side / 2)
            samples[2 * (start + frame) + 1] += sample * (0.5 + side / 2)
          }
        }
      }
      var noise = UInt32(truncatingIfNeeded: start) | 1
      for frame in 0..<min(beat / 8, seconds * sampleRate - start) {
        noise = noise &* 1_664_525 &+ 1_013_904_223
        let level = Float(Int32(bitPattern: noise)) / Float(Int32.max)
        let hit = level * 0.05 * Float(exp(-Double(frame) / Double(sampleRate) * 60))
        samples[2 * (start + frame)] += hit
        samples[2 * (start + frame) + 1] += hit
      }
    }
    buffer = PCMBuffer(samples, sampleRate: sampleRate, layout: .stereo)
  }
}
