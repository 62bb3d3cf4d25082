internal import Lyrebird

/// Shows how playing is progressing, and handles keys.
struct Playback: ~Copyable {
  private let player: Player
  private let name: String
  private let startTime: Double
  private var keyboard = Keyboard()
  private var line = StatusLine()
  private var isPaused = false

  /// Seconds that an arrow key skips.
  private static let step = 5
  private static let interval: Int32 = 50

  /// - Parameters:
  ///   - player: what is shown, and moved by keys.
  ///   - name: the name of the file.
  ///   - startTime: when its first frame is heard in the movie, in seconds.
  init(_ player: Player, name: String, startTime: Double) {
    self.player = player
    self.name = Text.fileName(name)
    self.startTime = startTime
  }

  /// Runs until everything was heard, the user quits or a signal comes.
  ///
  /// - Returns: the status at the end.
  mutating func run() -> Player.Status {
    while player.status.state == .running, Interrupt.status == nil {
      line.show(fields(player.status))
      if let key = keyboard.next(within: Playback.interval), !handle(key) { break }
    }
    StatusLine.clear()
    return player.status
  }

  /// - Returns: whether to continue.
  private mutating func handle(_ key: Key) -> Bool {
    switch key {
    case .pause:
      isPaused.toggle()
      player.setPaused(isPaused)
    case .left: player.seek(by: Int64(-Playback.step * player.format.sampleRate))
    case .right: player.seek(by: Int64(Playback.step * player.format.sampleRate))
    case .louder: changeVolume(by: 5)
    case .quieter: changeVolume(by: -5)
    case .stop: stop()
    case .quit: return false
    }
    return true
  }

  /// In hundredths, so that each step is a whole number.
  private func changeVolume(by step: Int) {
    let volume = Int((player.volume * 100).rounded()) + step
    player.volume = Float(min(max(volume, 0), 100)) / 100
  }

  /// Ctrl-Z. Sound not played meanwhile is no underrun.
  private func stop() {
    player.setPaused(true)
    StatusLine.clear()
    KeyMode.stop()
    // A virtual device catches up on the time that it missed: with silence while it is paused.
    Blocking.sleep(milliseconds: 100)
    player.setPaused(isPaused)
  }

  private func fields(_ status: Player.Status) -> StatusFields {
    let rate = Double(player.format.sampleRate)
    var fields = StatusFields()
    fields.add(isPaused ? "❚❚" : "▶ ", importance: 4)
    let position = Text.clock((startTime + Double(status.position) / rate).rounded(.down))
    if let count = player.frameCount {
      fields.addBar(Double(status.position) / Double(max(count, 1)), importance: 3)
      let length = Text.clock((startTime + Double(count) / rate).rounded(.down))
      fields.add(position + " / " + length, importance: 5, width: 2 * length.count + 3)
    } else {
      fields.add(position, importance: 5)
    }
    if keyboard.isListening {
      fields.add("vol \(Int((player.volume * 100).rounded())) %", importance: 2, width: 9)
    }
    fields.add(name, importance: 1)
    return fields
  }
}
