internal import Lyrebird

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A progress bar on standard error, for work that takes longer than a moment, and only on a terminal.
struct Progress: ~Copyable {
  private let title: String
  private let started = ContinuousClock.now
  private var lastDrawn: ContinuousClock.Instant
  private var line = StatusLine()

  /// Nothing is drawn before this: most work is done by then.
  private static let patience = Duration.milliseconds(250)
  private static let interval = Duration.milliseconds(100)
  private static let barWidth = 28

  init(_ title: String) {
    self.title = title
    lastDrawn = started
  }

  /// Notes that `done` of `total` pieces of work are done, `bytes` long together; also where a signal ends the work.
  mutating func update(_ done: UInt64, of total: UInt64, bytes: UInt64) throws(Failure) {
    try Interrupt.check()
    guard Terminal.isErrorTerminal else { return }
    let now = ContinuousClock.now
    guard now - started > Progress.patience, now - lastDrawn > Progress.interval else { return }
    lastDrawn = now
    draw(Double(done) / Double(max(total, 1)), bytes, elapsed: now - started)
  }

  private mutating func draw(_ part: Double, _ bytes: UInt64, elapsed: Duration) {
    let fraction = min(part, 1)
    let seconds = max(elapsed.seconds, 0.001)
    let filled = Int(fraction * Double(Progress.barWidth))
    let bar = String(repeating: "━", count: filled) + String(repeating: "·", count: Progress.barWidth - filled)
    let left = fraction > 0 ? seconds / fraction - seconds : 0
    let percent = Text.padded("\(Int(fraction * 100))", 3)
    let rate = Text.bytes(UInt64(Double(bytes) / seconds))
    line.show(
      "\(title) \(bar) \(percent) %  \(Text.bytes(bytes))  \(rate)/s  \(Text.clock(left)) left")
  }

  /// Takes the bar away, so that something else can be said.
  mutating func clear() { line.clear() }
}

extension Duration {
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
