package import MediaCore

/// A kind of box with known fields.
///
/// A box describes its fields once, in `code(with:)`, in the standard's order and under its names; that one description
/// reads, writes and prints it, so the three can never disagree. What follows the fields (child boxes, or bytes that no
/// version of the standard explains) is kept by the `BoxNode` around it.
package protocol Box: Sendable {
  /// A box with every field at its default.
  init()

  /// Visits the fields in order with a coder that reads, writes or prints each.
  ///
  /// - Throws: `BoxError` when reading, if the bytes end early or a count is impossible. Never when writing.
  mutating func code(with coder: inout FieldCoder) throws(BoxError)

  /// Whether child boxes follow the fields.
  static var hasChildren: Bool { get }
}

extension Box {
  /// By default, a box has fields only.
  package static var hasChildren: Bool { false }

  /// Reads a box from the bytes of its payload.
  ///
  /// - Returns: the box, and how many bytes its fields took.
  /// - Throws: `BoxError` if the bytes end early or a count is impossible.
  package static func read(_ payload: ArraySlice<UInt8>, context: BoxContext = BoxContext()) throws(BoxError) -> (
    Self, used: Int
  ) {
    var coder = FieldCoder(reading: payload, context: context)
    var box = Self()
    try box.code(with: &coder)
    return (box, coder.position)
  }

  /// Reads a box without its static type; also returns what its lists cost in memory.
  static func readAny(_ payload: ArraySlice<UInt8>, context: BoxContext) throws(BoxError) -> (
    any Box, used: Int, cost: Int
  ) {
    var coder = FieldCoder(reading: payload, context: context)
    var box = Self()
    try box.code(with: &coder)
    return (box, coder.position, coder.listCost)
  }

  /// The fields as bytes.
  package func written(context: BoxContext = BoxContext()) -> [UInt8] {
    var coder = FieldCoder(writing: context)
    var copy = self
    // Only reading can fail.
    try? copy.code(with: &coder)
    return coder.output
  }

  /// The fields by name, for display.
  package func fields(context: BoxContext = BoxContext()) -> [Field] {
    var coder = FieldCoder(printing: context)
    var copy = self
    try? copy.code(with: &coder)
    return coder.printed
  }
}

/// What the meaning of a box may depend on besides its own bytes.
package struct BoxContext: Sendable, Hashable {
  /// Handler type of the track that contains it: decides whether a sample entry is audio or video.
  package var handler: FourCC?
  /// Version of the `stsd` around a sample entry: with version 0, audio entries follow QuickTime's rules.
  package var sampleDescriptionVersion: UInt8 = 0

  /// A context in which nothing is known.
  package init() {}
}

/// Version and flags: the first 32 bits of what the standard calls a FullBox (ISO/IEC 14496-12, 4.2.2).
package struct VersionAndFlags: Sendable, Hashable {
  /// Decides the layout of the fields.
  package var version: UInt8
  /// 24 flags, whose meaning depends on the box.
  package var flags: UInt32

  /// Version 0 without flags, by default.
  package init(version: UInt8 = 0, flags: UInt32 = 0) {
    self.version = version
    self.flags = flags
  }
}
