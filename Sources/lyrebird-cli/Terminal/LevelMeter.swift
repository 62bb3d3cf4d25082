internal import Lyrebird

/// Shows the length of a recording and the level of each channel, and handles keys.
struct LevelMeter: ~Copyable {
  private let recorder: Recorder
  private let name: String
  private var keyboard = Keyboard()
  private var line = StatusLine()

  private static let interval: Int32 = 50
  /// The left end of a bar, in decibels relative to full scale.
  private static let floor = -60.0

  /// - Parameters:
  ///   - recorder: has been started.
  ///   - name: the name of the file.
  init(_ recorder: Recorder, name: String) {
    self.recorder = recorder
    self.name = Text.fileName(name)
  }

  /// Runs until the recording ends by itself, the user quits or a signal comes.
  mutating func run() {
    // The meter disappears while the last captured sound is being encoded, as nothing moves any more.
    defer { StatusLine.clear() }
    while recorder.status.state == .running, Interrupt.status == nil {
      let status = recorder.status
      line.show(LevelMeter.fields(status, sampleRate: recorder.format.sampleRate, name: name))
      switch keyboard.next(within: LevelMeter.interval) {
      case .pause: recorder.setPaused(!status.isPaused)
      case .quit: return
      case .stop: stop(wasPaused: status.isPaused)
      case .left, .right, .louder, .quieter, nil: break
      }
    }
  }

  /// Ctrl-Z. Sound not captured meanwhile was not wanted: it is no gap.
  private func stop(wasPaused: Bool) {
    recorder.setPaused(true)
    StatusLine.clear()
    KeyMode.stop()
    // A virtual device catches up on the time that it missed, all at once.
    Blocking.sleep(milliseconds: 100)
    recorder.setPaused(wasPaused)
  }

  /// The fields shown: a bar for each channel up to its peak, and a word that stays once anything has clipped.
  static func fields(_ status: Recorder.Status, sampleRate: Int, name: String) -> StatusFields {
    let length = Text.clock((Double(status.summary.frames) / Double(sampleRate)).rounded(.down))
    var fields = StatusFields()
    fields.add((status.isPaused ? "❚❚ " : "●  ") + length, importance: 6)
    for channel in status.level.channels {
      let part = status.isPaused ? 0 : 1 - AudioLevel.decibels(channel.peak) / floor
      fields.addBar(part, importance: 4)
    }
    let peak = AudioLevel.decibels(status.level.peak)
    fields.add(
      status.isPaused ? "paused" : peak <= -120 ? "silence" : Text.decimals(peak, 0) + " dB", importance: 3, width: 7)
    fields.add(status.hasClipped ? "CLIP" : "", importance: 5, width: 4, style: .red)
    fields.add(name, importance: 1)
    return fields
  }
}
