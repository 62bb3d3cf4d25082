/// A field of a box, for display.
public struct Field: Sendable {
  /// The name in the standard.
  public let name: String
  /// The value.
  public let value: Value

  /// What a field holds.
  public enum Value: Sendable {
    /// An integer.
    case integer(Int128)
    /// A fraction.
    case number(Double)
    /// Text, a code, or flags.
    case text(String)
    /// Bytes that are not interpreted.
    case bytes(ArraySlice<UInt8>)
    /// The first rows of a table of numbers.
    case table(TablePreview)
    /// The first elements of a list, each with fields of its own, and the total number.
    case list([[Field]], total: Int)
  }

  /// A field from its parts.
  package init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}
