extension String {
  /// The text with as many zeros before it as make it this many characters long.
  package func zeroPadded(to width: Int) -> String { String(repeating: "0", count: max(width - count, 0)) + self }
}
