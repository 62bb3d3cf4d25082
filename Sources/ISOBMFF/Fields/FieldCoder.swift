package import MediaCore

/// Reads, writes or prints the fields of a box, one after another.
///
/// A box calls the same methods in the same order in each case; a method takes the field's name and the variable that
/// holds it. When reading, the variable is set; when writing, its bytes are appended; when printing, its name and value
/// are noted.
package struct FieldCoder {
  enum Mode { case reading, writing, printing }

  let mode: Mode
  private let input: ArraySlice<UInt8>
  /// Bytes read so far.
  package internal(set) var position = 0
  /// Bytes written so far.
  package internal(set) var output: [UInt8] = []
  /// Memory taken by lists so far, in bytes: elements of a few bytes each can take many times more than in the file.
  var listCost = 0
  /// Fields noted so far.
  package internal(set) var printed: [Field] = []
  /// The byte that bits are being read from, and how many of its bits are used, written or read: 0 to 7.
  var bitByte: UInt8 = 0
  var bitOffset = 0
  /// What is known about the surroundings.
  package let context: BoxContext

  /// A coder that reads from these bytes.
  package init(reading input: ArraySlice<UInt8>, context: BoxContext = BoxContext()) {
    mode = .reading
    self.input = input
    self.context = context
  }

  /// A coder that collects bytes in `output`.
  package init(writing context: BoxContext = BoxContext()) {
    mode = .writing
    input = []
    self.context = context
  }

  /// A coder that collects names and values in `printed`.
  package init(printing context: BoxContext = BoxContext()) {
    mode = .printing
    input = []
    self.context = context
  }

  /// Whether the variables are being set.
  package var isReading: Bool { mode == .reading }

  /// Whether names and values are being noted.
  package var isPrinting: Bool { mode == .printing }

  /// Bytes still to be read; 0 when writing or printing.
  package var remaining: Int { mode == .reading ? input.count - position : 0 }

  // MARK: Numbers

  /// A number of the variable's own width.
  package mutating func integer<Number: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ name: String, _ value: inout Number
  ) throws(BoxError) {
    switch mode {
    case .reading:
      let bytes = try take(Number.bitWidth / 8, name)
      value = bytes.span.bigEndian(at: 0)
    case .writing: output.appendBigEndian(value)
    case .printing: note(name, .integer(Int128(value)))
    }
  }

  /// A number of 64 bits in newer versions of a box and 32 in older ones.
  package mutating func integer(_ name: String, _ value: inout UInt64, wide: Bool) throws(BoxError) {
    if wide { return try integer(name, &value) }
    var narrow = UInt32(truncatingIfNeeded: value)
    try integer(name, &narrow)
    value = UInt64(narrow)
  }

  /// A signed number of 64 bits in newer versions of a box and 32 in older ones.
  package mutating func integer(_ name: String, _ value: inout Int64, wide: Bool) throws(BoxError) {
    if wide { return try integer(name, &value) }
    var narrow = Int32(truncatingIfNeeded: value)
    try integer(name, &narrow)
    value = Int64(narrow)
  }

  /// A number of 0 to 8 bytes, as other fields say. With 0 bytes it is 0, and is not shown.
  package mutating func integer(_ name: String, _ value: inout UInt64, bytes count: Int) throws(BoxError) {
    switch mode {
    case .reading: value = try take(count, name).reduce(0) { $0 << 8 | UInt64($1) }
    case .writing:
      for place in stride(from: count - 1, through: 0, by: -1) {
        output.append(UInt8(truncatingIfNeeded: value >> UInt64(place * 8)))
      }
    case .printing where count == 0: break
    case .printing: note(name, .integer(Int128(value)))
    }
  }

  /// The lowest 24 bits of a variable.
  package mutating func integer24(_ name: String, _ value: inout UInt32) throws(BoxError) {
    switch mode {
    case .reading:
      value = 0
      for byte in try take(3, name) { value = value << 8 | UInt32(byte) }
    case .writing:
      for shift in [16, 8, 0] as [UInt32] { output.append(UInt8(truncatingIfNeeded: value >> shift)) }
    case .printing: note(name, .integer(Int128(value)))
    }
  }

  /// A fixed-point number, kept as it is in the file and printed as the fraction it represents.
  package mutating func fixed<Number: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ name: String, _ value: inout Number, fractionBits: Int
  ) throws(BoxError) {
    guard mode == .printing else { return try integer(name, &value) }
    note(name, .number(Double(value) / Double(1 << fractionBits)))
  }

  /// A four-character code.
  package mutating func fourCC(_ name: String, _ value: inout FourCC) throws(BoxError) {
    guard mode != .printing else { return note(name, .text(value.description)) }
    var number = value.rawValue
    try integer(name, &number)
    value = FourCC(number)
  }

  /// The version and flags that begin most boxes.
  ///
  /// - Parameter newest: the newest version whose layout is known. A newer one is an error, so that the parser keeps
  ///   the box as bytes instead of misreading it.
  package mutating func versionAndFlags(_ value: inout VersionAndFlags, newest: UInt8 = .max) throws(BoxError) {
    try integer("version", &value.version)
    guard !isReading || value.version <= newest else {
      throw BoxError(.invalidValue(Int64(value.version)), field: "version")
    }
    switch mode {
    case .printing: note("flags", .text("0x" + String(value.flags, radix: 16)))
    default: try integer24("flags", &value.flags)
    }
  }

  // MARK: Bytes

  /// The next bytes without consuming them, at most `count`; empty when writing or printing.
  package func peek(_ count: Int) -> ArraySlice<UInt8> {
    isReading ? input.dropFirst(position).prefix(count) : []
  }

  /// Whether fields follow that some writers omit at the end of a box.
  ///
  /// - Parameters:
  ///   - flag: stores the answer: when reading, it is set if `count` bytes are left.
  ///   - count: the fewest bytes the fields can take.
  package func isPresent(_ flag: inout Bool, bytes count: Int = 1) -> Bool {
    if isReading { flag = remaining >= count }
    return flag
  }

  /// A number of bytes known beforehand.
  package mutating func bytes(_ name: String, _ value: inout [UInt8], count: Int) throws(BoxError) {
    switch mode {
    case .reading: value = Array(try take(count, name))
    case .writing: output.append(contentsOf: value)
    case .printing: note(name, .bytes(value[...]))
    }
  }

  /// A number of bytes known beforehand, kept as a slice instead of copied.
  package mutating func slice(_ name: String, _ value: inout ArraySlice<UInt8>, count: Int) throws(BoxError) {
    switch mode {
    case .reading: value = try take(count, name)
    case .writing: output.append(contentsOf: value)
    case .printing: note(name, .bytes(value))
    }
  }

  /// Bytes that the standard reserves: kept for the round trip, and shown only if they are not as expected.
  package mutating func reserved(_ value: inout [UInt8], count: Int) throws(BoxError) {
    if mode == .printing, value.allSatisfy({ $0 == 0 }) { return }
    if mode == .writing, value.count != count {
      output.append(contentsOf: repeatElement(0, count: count))
      return
    }
    try bytes("reserved", &value, count: count)
  }

  /// All remaining bytes.
  package mutating func rest(_ name: String, _ value: inout [UInt8]) throws(BoxError) {
    try bytes(name, &value, count: remaining)
  }

  // MARK: Tables

  /// A table whose entries all have the same size.
  ///
  /// - Parameter count: the number of entries that the file claims; checked against the bytes that are left.
  package mutating func table<Entry: TableEntry>(
    _ name: String, _ value: inout PackedTable<Entry>, count: UInt64
  ) throws(BoxError) {
    switch mode {
    case .reading:
      let room = UInt64(remaining / Entry.size)
      guard count <= room else { throw BoxError(.countExceedsBox(claimed: count, room: room), field: name) }
      value = PackedTable(bytes: try take(Int(count) * Entry.size, name))
    case .writing: output.append(contentsOf: value.bytes)
    case .printing: note(name, .table(value.preview()))
    }
  }

  /// A 32-bit count, then a table of that many entries: the layout of most tables.
  package mutating func countedTable<Entry: TableEntry>(
    _ name: String, _ value: inout PackedTable<Entry>, countName: String = "entry_count"
  ) throws(BoxError) {
    var count = UInt32(truncatingIfNeeded: value.count)
    try integer(countName, &count)
    try table(name, &value, count: UInt64(count))
  }

  // MARK: Common ground

  /// Red, green and blue in sixteen bits each.
  package mutating func colour(_ name: String, _ value: inout [UInt16]) throws(BoxError) {
    if isPrinting { return note(name, .text(value.map { "\($0)" }.joined(separator: " "))) }
    for index in 0..<3 {
      var component = index < value.count ? value[index] : 0
      try integer(name, &component)
      if index < value.count { value[index] = component } else { value.append(component) }
    }
  }

  /// Adds a value worth showing that is not a field of its own: a codec string, a unit.
  package mutating func remark(_ name: String, _ value: @autoclosure () -> Field.Value) {
    if mode == .printing { note(name, value()) }
  }

  mutating func note(_ name: String, _ value: Field.Value) {
    printed.append(Field(name: name, value: value))
  }

  mutating func take(_ count: Int, _ name: String) throws(BoxError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else { throw BoxError(.truncated, field: name) }
    let start = input.startIndex + position
    position += count
    return input[start..<(start + count)]
  }
}
