internal import MediaCore

/// Which loudspeaker each channel is for, in QuickTime's format.
///
/// Source: QuickTime File Format, Audio Channel Layout Atom.
package struct AudioChannelLayoutBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// A layout number, with the number of channels in the lower 16 bits; 0 for the descriptions below, 0x10000 for the
  /// bitmap.
  package var layoutTag: UInt32 = 0
  /// One bit per loudspeaker.
  package var bitmap: UInt32 = 0
  /// One per channel.
  package var descriptions = PackedTable<AudioChannelDescription>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("channel_layout_tag", &layoutTag)
    try coder.integer("channel_bitmap", &bitmap)
    try coder.countedTable("channel_descriptions", &descriptions, countName: "number_channel_descriptions")
  }
}

/// The loudspeaker of a channel.
package struct AudioChannelDescription: TableEntry {
  /// Which loudspeaker; 100 for the position given by the coordinates.
  package var label: UInt32
  /// The kind of coordinates: 1 rectangular, 2 spherical.
  package var flags: UInt32
  /// Three numbers, each the bits of a 32-bit floating-point number.
  package var coordinates: [UInt32]

  package static let size = 20
  package static let columns = ["label", "flags", "coordinate_0", "coordinate_1", "coordinate_2"]

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    label = bytes.bigEndian(at: offset)
    flags = bytes.bigEndian(at: offset + 4)
    coordinates = [8, 12, 16].map { bytes.bigEndian(at: offset + $0) }
  }

  package func write(to bytes: inout [UInt8]) {
    for number in [label, flags] + coordinates { bytes.appendBigEndian(number) }
  }

  package var values: [Int64] { ([label, flags] + coordinates).map { Int64($0) } }
}
