internal import Lyrebird

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Numbers as people read them.
enum Text {
  /// `1.4 MB`: powers of 1000, as disks and networks count.
  static func bytes(_ count: UInt64) -> String {
    scaled(Double(count), ["B", "kB", "MB", "GB", "TB"])
  }

  /// `128 kb/s`.
  static func bitRate(_ rate: Double) -> String {
    scaled(rate, ["b/s", "kb/s", "Mb/s", "Gb/s"])
  }

  private static func scaled(_ value: Double, _ units: [String]) -> String {
    var value = value
    var unit = 0
    while value >= 999.5, unit + 1 < units.count {
      value /= 1000
      unit += 1
    }
    return "\(decimals(value, unit == 0 || value >= 99.95 ? 0 : 1)) \(units[unit])"
  }

  /// `1:02:03.456`, or `0:03` without a fraction.
  static func clock(_ seconds: Double, fraction: Bool = false) -> String {
    guard seconds.isFinite, seconds.magnitude < 1e12 else { return "?" }
    let sign = seconds < 0 ? "-" : ""
    let thousandths = Int64((seconds.magnitude * (fraction ? 1000 : 1)).rounded()) * (fraction ? 1 : 1000)
    let (hours, minutes, rest) = (thousandths / 3_600_000, thousandths / 60_000 % 60, thousandths % 60_000)
    let whole = zeros(rest / 1000, 2)
    let tail = fraction ? "." + zeros(rest % 1000, 3) : ""
    return sign + (hours > 0 ? "\(hours):\(zeros(minutes, 2))" : "\(minutes)") + ":" + whole + tail
  }

  /// A time, rounded to a thousandth: an exact fraction of a second would be tedious to read.
  static func clock(_ time: MediaTime) -> String {
    clock(time.seconds, fraction: true)
  }

  /// `2026-11-22T09:38:35Z`, as in ISO 8601, from seconds since the start of 1970; `?` for a year that the system's
  /// calendar does not reach.
  static func date(_ seconds: Int64) -> String {
    var time = time_t(seconds)
    // `tm` points to the name of the time zone, which is not read here.
    var parts = unsafe tm()
    guard unsafe gmtime_r(&time, &parts) != nil else { return "?" }
    let date = unsafe [
      zeros(Int64(parts.tm_year) + 1900, 4), zeros(Int64(parts.tm_mon) + 1, 2), zeros(Int64(parts.tm_mday), 2),
    ]
    let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map { zeros(Int64($0), 2) }
    return list(date, "-") + "T" + list(clock, ":") + "Z"
  }

  /// A number with up to `count` decimals, without trailing zeros unless `isPadded`.
  static func decimals(_ value: Double, _ count: Int, isPadded: Bool = false) -> String {
    guard value.isFinite, value.magnitude < 1e15 else { return "?" }
    var scale: Int64 = 1
    for _ in 0..<count { scale *= 10 }
    let scaled = Int64((value.magnitude * Double(scale)).rounded())
    var text = (value < 0 && scaled > 0 ? "-" : "") + "\(scaled / scale)"
    var rest = zeros(scaled % scale, count)
    while !isPadded, rest.hasSuffix("0") { rest.removeLast() }
    if count > 0, !rest.isEmpty { text += "." + rest }
    return text
  }

  /// A word as a shell reads it back, quoted if necessary.
  static func shellWord(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      case _ where "/._-+,:@%".utf8.contains(byte): true
      default: false
      }
    }
    if isPlain, !word.isEmpty, !word.hasPrefix("-") { return word }
    return "'" + list(word.split(separator: "'", omittingEmptySubsequences: false).map(String.init), "'\\''") + "'"
  }

  /// The name of a file without its folders, safe to print.
  static func fileName(_ path: String) -> String {
    printable(path.split(separator: "/").last.map(String.init) ?? path, onOneLine: true)
  }

  static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func zeros(_ value: Int64, _ width: Int) -> String {
    width == 0 ? "" : "\(value)".zeroPadded(to: width)
  }

  /// A number of things: `1 track`, `3 tracks`.
  static func count(_ number: some BinaryInteger, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }

  /// Items joined by a separator. The standard library's `joined` looks types up at run time first, which takes a
  /// hundredth of the time of describing a file.
  static func list(_ items: [String], _ separator: String = ", ") -> String {
    var text = ""
    for (index, item) in items.enumerated() {
      if index > 0 { text += separator }
      text += item
    }
    return text
  }

  /// Text from a file or an argument, safe to print: control characters could drive the terminal.
  ///
  /// - Parameters:
  ///   - text: as it came.
  ///   - onOneLine: whether line breaks become spaces; those at the ends are dropped.
  static func printable(_ text: String, onOneLine: Bool = false) -> String {
    guard onOneLine else { return MediaCore.printable(text) }
    var line = ""
    var isBetweenLines = false
    for scalar in text.unicodeScalars {
      if scalar.isLineBreak {
        isBetweenLines = !line.isEmpty
        continue
      }
      if isBetweenLines { line += " " }
      isBetweenLines = false
      line.unicodeScalars.append(scalar)
    }
    return MediaCore.printable(line)
  }
}

extension Unicode.Scalar {
  /// Whether it ends a line, as `Character.isNewline` has it.
  fileprivate var isLineBreak: Bool {
    switch value {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}
