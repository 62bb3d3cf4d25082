extension KeyValuePairs where Key: Equatable {
  /// The value that stands with a key, or `nil` where there is none.
  ///
  /// Names and kinds are kept in such lists: a dictionary would be made anew in each run, which takes longer than going
  /// through a list of a hundred for the few that a movie needs.
  @inlinable
  package func value(of key: Key) -> Value? {
    first { $0.key == key }?.value
  }
}
