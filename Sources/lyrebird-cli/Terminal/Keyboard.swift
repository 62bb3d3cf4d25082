#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Key presses, if there is a terminal; otherwise none ever comes.
struct Keyboard: ~Copyable {
  private var decoder = KeyDecoder()
  private var waiting: [Key] = []
  /// Whether there is a terminal, as far as is known.
  private var isThere = KeyMode.terminal >= 0

  /// Whether keys are commands now.
  var isListening: Bool { isThere && Terminal.isInForeground(KeyMode.terminal) }

  /// Waits for a key, for at most this many milliseconds.
  mutating func next(within milliseconds: Int32) -> Key? {
    if KeyMode.wasStopAsked { return .stop }
    if !waiting.isEmpty { return waiting.removeFirst() }
    guard isThere, KeyMode.turnOn() else {
      Blocking.sleep(milliseconds: UInt32(milliseconds))
      return nil
    }
    var event = pollfd(fd: KeyMode.terminal, events: Int16(POLLIN), revents: 0)
    // One event, and at most as many bytes as the array has, as the calls are told.
    // Interrupted by a signal: return so that the caller can check.
    guard unsafe poll(&event, 1, milliseconds) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(KeyMode.terminal, &bytes, bytes.count)
    if count > 0 {
      waiting = decoder.keys(bytes[..<count])
    } else if count == 0 || errno != EINTR {
      // The terminal is gone.
      isThere = false
      KeyMode.turnOff()
    }
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  deinit { KeyMode.turnOff() }
}

/// The command of a key.
enum Key: Equatable {
  case pause
  case quit
  case left, right
  case louder, quieter
  /// Ctrl-Z: the caller then stops the process with `KeyMode.stop()`.
  case stop
}

/// Decodes what a terminal sends: single bytes, or sequences of ESC, `[` or `O`, parameters and a letter.
struct KeyDecoder {
  /// The beginning of a sequence whose end has not come yet.
  private var sequence: [UInt8] = []

  mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
    bytes.compactMap { key($0) }
  }

  private mutating func key(_ byte: UInt8) -> Key? {
    switch (sequence.count, byte) {
    case (_, 0x1B):
      sequence = [byte]
      return nil
    case (0, _): return KeyDecoder.plain(byte)
    case (1, UInt8(ascii: "[")), (1, UInt8(ascii: "O")):
      sequence.append(byte)
      return nil
    case (1, _):
      // Alt and a key.
      sequence = []
      return nil
    case (_, 0x40...0x7E):
      sequence = []
      return KeyDecoder.arrow(byte)
    default: return nil
    }
  }

  private static func plain(_ byte: UInt8) -> Key? {
    switch Character(Unicode.Scalar(byte)) {
    case " ", "p": .pause
    case "q", "Q": .quit
    case "0", "*", "+": .louder
    case "9", "/", "-": .quieter
    default: nil
    }
  }

  private static func arrow(_ letter: UInt8) -> Key? {
    switch Character(Unicode.Scalar(letter)) {
    case "A": .louder
    case "B": .quieter
    case "C": .right
    case "D": .left
    default: nil
    }
  }
}
