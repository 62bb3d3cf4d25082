internal import Lyrebird

/// How long a recording is, and how loud.
struct LevelMeter: ~Copyable {
  private var line = StatusLine()
  private let sampleRate: Int

  /// What the left end of the bar stands for, in decibels below full scale.
  private static let floor = -60.0

  init(sampleRate: Int) {
    self.sampleRate = sampleRate
  }

  mutating func show(_ status: Recorder.Status) {
    let peak = AudioLevel.decibels(status.level.peak)
    var fields = StatusFields()
    fields.add("● " + Text.clock(Double(status.summary.frames) / Double(sampleRate)), importance: 3)
    fields.addBar(1 - AudioLevel.decibels(status.level.rms) / LevelMeter.floor, importance: 2)
    fields.add(peak <= -120 ? "silence" : Text.decimals(peak, 0) + " dB", importance: 1, width: 7)
    line.show(fields)
  }

  func clear() { StatusLine.clear() }
}
