internal import Lyrebird

/// Progress on standard error, for work that takes noticeably long, and only on a terminal.
struct Progress: ~Copyable {
  private let title: String
  private let started = ContinuousClock.now
  private var lastDrawn: ContinuousClock.Instant
  private var line = StatusLine()

  /// Nothing is drawn before this time: most work is done by then.
  private static let patience = Duration.milliseconds(250)
  private static let interval = Duration.milliseconds(100)

  init(_ title: String) {
    self.title = title
    lastDrawn = started
  }

  /// Reports how much of the work is done.
  ///
  /// - Parameters:
  ///   - done: pieces of work that are done.
  ///   - total: the number of pieces; `nil` if it is not known, as for an endless input.
  ///   - bytes: the length of the pieces that are done.
  /// - Throws: `Failure` if a signal ends the work.
  mutating func update(_ done: UInt64, of total: UInt64?, bytes: UInt64) throws(Failure) {
    try Interrupt.check()
    guard Terminal.isErrorTerminal else { return }
    let now = ContinuousClock.now
    guard now - started > Progress.patience, now - lastDrawn > Progress.interval else { return }
    lastDrawn = now
    let part = total.map { min(Double(done) / Double(max($0, 1)), 1) }
    line.show(Progress.fields(title, part, bytes: bytes, seconds: (now - started).seconds))
  }

  /// The fields shown: with a known end a bar and the remaining time, otherwise the elapsed time.
  static func fields(_ title: String, _ part: Double?, bytes: UInt64, seconds: Double) -> StatusFields {
    var fields = StatusFields()
    fields.add(title, importance: 3)
    if let part {
      fields.addBar(part, importance: 4)
      fields.add("\(Int(part * 100)) %", importance: 6, width: 5)
    }
    fields.add(Text.bytes(bytes), importance: part == nil ? 6 : 2, width: 7)
    fields.add(Text.bytes(UInt64(Double(bytes) / max(seconds, 0.001))) + "/s", importance: 1, width: 9)
    if let part {
      if part > 0 { fields.add(Text.clock(seconds / part - seconds) + " left", importance: 5) }
    } else {
      fields.add(Text.clock(seconds), importance: 5)
    }
    return fields
  }

  /// Removes the bar, so that something else can be printed.
  func clear() { StatusLine.clear() }
}

extension Duration {
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
