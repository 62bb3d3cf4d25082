internal import Lyrebird

/// Builds one JSON object, written by hand: the objects are flat or nearly so, and Foundation's encoder alone would
/// double what the command needs to start.
struct JSONObject {
  private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

  mutating func add(_ name: String, _ value: some BinaryInteger) {
    key(name)
    bytes.appendDecimal(Int128(value))
  }

  mutating func add(_ name: String, _ value: Bool) {
    key(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  mutating func add(_ name: String, _ value: String) {
    key(name)
    bytes.appendJSONString(value)
  }

  /// A number; `null` for values that JSON cannot express.
  mutating func add(_ name: String, _ value: Double) {
    key(name)
    bytes.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
  }

  /// A list of objects.
  mutating func add(_ name: String, _ values: [JSONObject]) {
    key(name)
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: value.closed)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// A list of strings.
  mutating func add(_ name: String, _ values: [String]) {
    key(name)
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.appendJSONString(value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// A nested object.
  mutating func add(_ name: String, _ value: JSONObject) {
    key(name)
    bytes.append(contentsOf: value.closed)
  }

  /// A list of numbers.
  mutating func add(_ name: String, numbers: [Int64]) {
    key(name)
    bytes.append(contentsOf: ("[" + Text.list(numbers.map { "\($0)" }, ",") + "]").utf8)
  }

  /// Rows of numbers.
  mutating func add(_ name: String, rows: [[Int64]]) {
    key(name)
    let lists = rows.map { "[" + Text.list($0.map { "\($0)" }, ",") + "]" }
    bytes.append(contentsOf: ("[" + Text.list(lists, ",") + "]").utf8)
  }

  mutating func addNull(_ name: String) {
    key(name)
    bytes.append(contentsOf: "null".utf8)
  }

  /// The object with its closing brace.
  var closed: [UInt8] { bytes + [UInt8(ascii: "}")] }

  /// The object as text.
  var text: String { String(decoding: closed, as: UTF8.self) }

  private mutating func key(_ name: String) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.appendJSONString(name)
    bytes.append(UInt8(ascii: ":"))
  }
}

extension [UInt8] {
  /// Appends a number in decimal.
  mutating func appendDecimal(_ value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    let start = count
    repeat {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    self[start...].reverse()
  }

  /// Appends a number in decimal, right-aligned in a column.
  mutating func appendDecimal(_ value: Int64, width: Int) {
    let start = count
    appendDecimal(value)
    let missing = width - (count - start)
    if missing > 0 { insert(contentsOf: repeatElement(UInt8(ascii: " "), count: missing), at: start) }
  }

  mutating func appendDecimal(_ value: Int128) {
    if let narrow = Int64(exactly: value) { appendDecimal(narrow) } else { append(contentsOf: "\(value)".utf8) }
  }

  /// Appends text in quotes, escaped as RFC 8259 requires; characters that could drive a terminal are escaped, too.
  mutating func appendJSONString(_ text: String) {
    append(UInt8(ascii: "\""))
    text.forEachPrintable { scalar, isEscaped in
      switch scalar {
      case "\"", "\\":
        append(UInt8(ascii: "\\"))
        append(UInt8(ascii: scalar))
      case _ where isEscaped: appendEscaped(scalar)
      default: append(contentsOf: scalar.utf8)
      }
    }
    append(UInt8(ascii: "\""))
  }

  /// Four digits, or twice four from U+10000 on: a UTF-16 surrogate pair.
  private mutating func appendEscaped(_ scalar: Unicode.Scalar) {
    for unit in scalar.utf16 {
      append(contentsOf: "\\u".utf8)
      append(contentsOf: hexadecimal([UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]).utf8)
    }
  }
}
