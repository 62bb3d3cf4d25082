internal import MediaCore

/// An index of a segment: the size and duration of its parts.
///
/// Source: ISO/IEC 14496-12, 8.16.3.
package struct SegmentIndexBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The stream that is indexed: a track.
  package var referenceID: UInt32 = 1
  /// Ticks per second.
  package var timescale: UInt32 = 1
  /// When the presentation of the first part begins, in ticks.
  package var earliestPresentationTime: UInt64 = 0
  /// Bytes from the end of this box to the first part.
  package var firstOffset: UInt64 = 0
  /// Kept as is.
  package var reserved: UInt16 = 0
  /// The parts, one after another; at most 65535.
  package var references = PackedTable<SegmentReference>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 1)
    let wide = versionAndFlags.version == 1
    try coder.integer("reference_ID", &referenceID)
    try coder.integer("timescale", &timescale)
    try coder.integer("earliest_presentation_time", &earliestPresentationTime, wide: wide)
    try coder.integer("first_offset", &firstOffset, wide: wide)
    try coder.reservedBits(&reserved, 16)
    var count = UInt16(clamping: references.count)
    try coder.integer("reference_count", &count)
    try coder.table("references", &references, count: UInt64(count))
  }
}

/// A part of a segment.
package struct SegmentReference: TableEntry {
  /// Highest bit: whether the part is a further index instead of media; below it the part's size in bytes.
  package var typeAndSize: UInt32
  /// Duration in ticks.
  package var subsegmentDuration: UInt32
  /// Whether it begins with a stream access point (highest bit), the type of the access point (3 bits), and its
  /// distance from the start in ticks (28 bits).
  package var streamAccessPoint: UInt32

  /// Whether the part is a further index.
  package var isIndex: Bool { typeAndSize >> 31 == 1 }
  /// Size in bytes.
  package var referencedSize: UInt32 { typeAndSize & 0x7FFF_FFFF }
  /// Whether decoding can begin at its start.
  package var startsWithAccessPoint: Bool { streamAccessPoint >> 31 == 1 }

  package static let size = 12
  package static let columns = ["reference_type_and_size", "subsegment_duration", "SAP"]

  /// A part from its numbers.
  package init(typeAndSize: UInt32, subsegmentDuration: UInt32, streamAccessPoint: UInt32) {
    self.typeAndSize = typeAndSize
    self.subsegmentDuration = subsegmentDuration
    self.streamAccessPoint = streamAccessPoint
  }

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    typeAndSize = bytes.bigEndian(at: offset)
    subsegmentDuration = bytes.bigEndian(at: offset + 4)
    streamAccessPoint = bytes.bigEndian(at: offset + 8)
  }

  package func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(typeAndSize)
    bytes.appendBigEndian(subsegmentDuration)
    bytes.appendBigEndian(streamAccessPoint)
  }

  package var values: [Int64] { [Int64(typeAndSize), Int64(subsegmentDuration), Int64(streamAccessPoint)] }
}
