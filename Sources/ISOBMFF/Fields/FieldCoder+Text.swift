internal import MediaCore

// Text and bytes that mark their own end or size.
extension FieldCoder {
  /// Text that ends with a zero byte, or with the box if the zero is missing.
  package mutating func text(_ name: String, _ value: inout BoxText) throws(BoxError) {
    switch mode {
    case .reading:
      let left = peek(remaining)
      let end = left.firstIndex(of: 0) ?? left.endIndex
      value = BoxText(bytes: Array(try take(end - left.startIndex, name)), isTerminated: end < left.endIndex)
      if value.isTerminated { _ = try take(1, name) }
    case .writing:
      output.append(contentsOf: value.bytes)
      if value.isTerminated { output.append(0) }
    case .printing: note(name, .text(value.text))
    }
  }

  /// Text in UTF-8 with a zero byte at the end, or, after a byte order mark, in UTF-16 with two.
  package mutating func unicodeText(_ name: String, _ value: inout BoxText) throws(BoxError) {
    let isWide = isReading ? BoxText(bytes: Array(peek(2))).isUTF16 : value.isUTF16
    guard isWide, !isPrinting else { return try text(name, &value) }
    guard isReading else {
      output.append(contentsOf: value.bytes)
      if value.isTerminated { output.append(contentsOf: [0, 0]) }
      return
    }
    let left = peek(remaining)
    let units = stride(from: left.startIndex, to: left.endIndex - 1, by: 2)
    let end = units.first { left[$0] == 0 && left[$0 + 1] == 0 }
    value = BoxText(
      bytes: Array(try take((end ?? left.endIndex) - left.startIndex, name)), isTerminated: end != nil)
    if value.isTerminated { _ = try take(2, name) }
  }

  /// Text preceded by its length in one byte: a Pascal string.
  package mutating func pascalText(_ name: String, _ value: inout BoxText) throws(BoxError) {
    if isPrinting { return note(name, .text(value.text)) }
    try sizedBytes(name, &value.bytes, by: UInt8.self)
  }

  /// Bytes preceded by their number.
  ///
  /// - Parameter by: the type of the number. Bytes in excess of it are not written.
  package mutating func sizedBytes<Size: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ name: String, _ value: inout [UInt8], by: Size.Type
  ) throws(BoxError) {
    var size = Size(clamping: value.count)
    if !isPrinting { try integer(name, &size) }
    if !isReading { value = Array(value.prefix(Int(clamping: size))) }
    try bytes(name, &value, count: Int(clamping: size))
  }

  /// A language in sixteen bits: see `LanguageCode`.
  package mutating func language(_ value: inout UInt16) throws(BoxError) {
    if isPrinting { return note("language", .text(LanguageCode.text(value))) }
    try integer("language", &value)
  }
}
