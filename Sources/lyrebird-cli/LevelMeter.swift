internal import Lyrebird

/// How long a recording is, and how loud.
struct LevelMeter: ~Copyable {
  private var line = StatusLine()
  private let sampleRate: Int

  private static let width = 30
  /// What the left end of the bar stands for, in decibels below full scale.
  private static let floor = -60.0

  init(sampleRate: Int) {
    self.sampleRate = sampleRate
  }

  mutating func show(_ status: Recorder.Status) {
    let seconds = Double(status.summary.frames) / Double(sampleRate)
    let loudness = AudioLevel.decibels(status.level.rms)
    let peak = AudioLevel.decibels(status.level.peak)
    let filled = Int((1 - max(loudness, LevelMeter.floor) / LevelMeter.floor) * Double(LevelMeter.width))
    let bar = String(repeating: "━", count: filled) + String(repeating: "·", count: LevelMeter.width - filled)
    let words = peak <= -120 ? "silence" : Text.decimals(peak, 0) + " dB"
    line.show("● \(Text.clock(seconds))  \(bar)  \(words)")
  }

  mutating func clear() { line.clear() }
}
