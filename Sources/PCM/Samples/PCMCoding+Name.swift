public import MediaCore

extension PCMCoding {
  /// The short name that tools use: `s16le`, `u8`, `f32be`, `ulaw`, `alaw`.
  public var name: String {
    let letter =
      switch kind {
      case .signed: "s"
      case .unsigned: "u"
      case .float: "f"
      case .muLaw: "ulaw"
      case .aLaw: "alaw"
      }
    guard letter.utf8.count == 1 else { return letter }
    return
      "\(letter)\(byteCount.multipliedReportingOverflow(by: 8).partialValue)\(byteCount == 1 ? "" : isLittleEndian ? "le" : "be")"
  }

  /// A coding from its short name; without `le` or `be`, the least significant byte comes first.
  ///
  /// - Parameter name: `u8`, `s8`, `s16`, `s24`, `s32`, `f32` or `f64`, those above a byte also with `le` or `be`;
  ///   `ulaw`, `alaw`. `nil` for all others.
  public init?(name: some StringProtocol) {
    let kinds: [(name: String, kind: Kind, byteCount: Int)] = [
      ("u8", .unsigned, 1), ("s8", .signed, 1), ("ulaw", .muLaw, 1), ("alaw", .aLaw, 1),
      ("s16", .signed, 2), ("s24", .signed, 3), ("s32", .signed, 4), ("f32", .float, 4), ("f64", .float, 8),
    ]
    for (stem, kind, byteCount) in kinds {
      if name == stem || (byteCount > 1 && name == stem + "le") {
        self.init(kind, byteCount: byteCount, isLittleEndian: true)
        return
      }
      if byteCount > 1, name == stem + "be" {
        self.init(kind, byteCount: byteCount, isLittleEndian: false)
        return
      }
    }
    return nil
  }
}
