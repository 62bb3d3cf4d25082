extension FixedWidthInteger {
  /// The next multiple of a number above 0, or the number itself. File offsets are below 2^63, so this does not
  /// overflow.
  func roundedUp(to unit: Self) -> Self {
    (self &+ unit &- 1) / unit * unit
  }
}
