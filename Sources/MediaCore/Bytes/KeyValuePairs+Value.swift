extension KeyValuePairs where Key: Equatable {
  /// The value stored for a key, or `nil` if there is none.
  ///
  /// Names and kinds are kept in such lists: building a dictionary on every run would take longer than searching a list
  /// of a hundred for the few entries that a movie needs.
  @inlinable
  package func value(of key: Key) -> Value? {
    first { $0.key == key }?.value
  }
}
