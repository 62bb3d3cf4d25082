/// A field of a box, to be shown.
public struct Field: Sendable {
  /// The name in the standard.
  public let name: String
  /// The value.
  public let value: Value

  /// What a field holds.
  public enum Value: Sendable {
    /// A whole number.
    case integer(Int128)
    /// A fraction.
    case number(Double)
    /// Text, a code, or flags.
    case text(String)
    /// Bytes that are not looked into.
    case bytes(ArraySlice<UInt8>)
    /// The first rows of a table of numbers.
    case table(TablePreview)
    /// The first elements of a list, each with fields of its own, and how many there are in all.
    case list([[Field]], total: Int)
  }

  /// A field from its parts.
  public init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}
