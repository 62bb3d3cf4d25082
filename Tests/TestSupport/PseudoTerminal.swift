internal import Foundation

/// A terminal that a test watches and types on, in place of a person.
public final class PseudoTerminal: Sendable {
  /// What programs open.
  public let path: String
  private let state: State
  /// Held open, so that the terminal lives while no program has it open.
  private let program: Int32

  private final class State: @unchecked Sendable {
    let file: Int32
    private let lock = NSLock()
    private var shown: TerminalScreen
    private var isOver = false

    init(file: Int32, columns: Int) {
      self.file = file
      shown = TerminalScreen(columns: columns)
    }

    func use<Result>(_ body: (inout TerminalScreen) -> Result) -> Result { lock.withLock { body(&shown) } }
    func end() { lock.withLock { isOver = true } }

    /// Reads what programs write, until the terminal is gone.
    func run() {
      var bytes = [UInt8](repeating: 0, count: 4096)
      var event = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      while !lock.withLock({ isOver }) {
        guard unsafe poll(&event, 1, 50) > 0 else { continue }
        let count = unsafe read(file, &bytes, bytes.count)
        guard count > 0 else { break }
        lock.withLock { shown.write(bytes[..<count]) }
      }
      close(file)
    }
  }

  /// A terminal of so many columns.
  public init(columns: Int = 80, rows: Int = 24) throws {
    let file = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (lock, number): (Int32, UInt32) = (0, 0)
    guard file >= 0, unsafe ioctl(file, PseudoTerminal.setLock, &lock) == 0,
      unsafe ioctl(file, PseudoTerminal.getNumber, &number) == 0
    else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    path = "/dev/pts/\(number)"
    program = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    state = State(file: file, columns: columns)
    resize(columns: columns, rows: rows)
    Thread.detachNewThread { [state] in state.run() }
  }

  /// `TIOCSPTLCK` and `TIOCGPTN`, which are not imported.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  deinit {
    close(program)
    state.end()
  }

  /// What it shows now.
  public var screen: TerminalScreen { state.use { $0 } }

  /// Changes the window's size; the program that it belongs to is told by SIGWINCH.
  public func resize(columns: Int, rows: Int = 24) {
    state.use { $0.columns = columns }
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(state.file, UInt(TIOCSWINSZ), &size)
  }

  /// Presses keys.
  public func press(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(state.file, $0.baseAddress, $0.count) }
  }

  /// Whether it waits for whole lines, and shows what is typed, as terminals do unless a program changes that.
  public var isLineByLine: Bool {
    var settings = termios()
    return unsafe tcgetattr(program, &settings) == 0 && settings.c_lflag & UInt32(ICANON) != 0
      && settings.c_lflag & UInt32(ECHO) != 0
  }

  /// Waits until a line holds a text.
  @discardableResult
  public func waitUntil(shows text: String, seconds: Double = 20) -> Bool {
    TestSupport.waitUntil(seconds: seconds) { screen.lines.contains { $0.contains(text) } }
  }
}
