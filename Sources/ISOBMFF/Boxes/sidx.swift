internal import MediaCore

/// An index of a segment: how long its parts are, in bytes and in time.
///
/// Source: ISO/IEC 14496-12, 8.16.3.
public struct SegmentIndexBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The stream that is indexed: a track.
  public var referenceID: UInt32 = 1
  /// Ticks a second.
  public var timescale: UInt32 = 1
  /// When the first part begins to be shown, in ticks.
  public var earliestPresentationTime: UInt64 = 0
  /// Bytes from the end of this box to the first part.
  public var firstOffset: UInt64 = 0
  /// Kept as it is.
  public var reserved: UInt16 = 0
  /// The parts, one after another; at most 65535.
  public var references = PackedTable<SegmentReference>()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
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
public struct SegmentReference: TableEntry {
  /// Whether the part is a further index and no media: the highest bit; below it the part's size in bytes.
  public var typeAndSize: UInt32
  /// How long it lasts, in ticks.
  public var subsegmentDuration: UInt32
  /// Whether it starts where decoding can begin (highest bit), the kind of such a point (3 bits), and how many ticks
  /// from the start it is (28 bits).
  public var streamAccessPoint: UInt32

  /// Whether the part is a further index.
  public var isIndex: Bool { typeAndSize >> 31 == 1 }
  /// Bytes.
  public var referencedSize: UInt32 { typeAndSize & 0x7FFF_FFFF }
  /// Whether decoding can begin at its start.
  public var startsWithAccessPoint: Bool { streamAccessPoint >> 31 == 1 }

  public static let size = 12
  public static let columns = ["reference_type_and_size", "subsegment_duration", "SAP"]

  /// A part from its numbers.
  public init(typeAndSize: UInt32, subsegmentDuration: UInt32, streamAccessPoint: UInt32) {
    self.typeAndSize = typeAndSize
    self.subsegmentDuration = subsegmentDuration
    self.streamAccessPoint = streamAccessPoint
  }

  public init(_ bytes: RawSpan, at offset: Int) {
    typeAndSize = bytes.bigEndian(at: offset)
    subsegmentDuration = bytes.bigEndian(at: offset + 4)
    streamAccessPoint = bytes.bigEndian(at: offset + 8)
  }

  public func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(typeAndSize)
    bytes.appendBigEndian(subsegmentDuration)
    bytes.appendBigEndian(streamAccessPoint)
  }

  public var values: [Int64] { [Int64(typeAndSize), Int64(subsegmentDuration), Int64(streamAccessPoint)] }
}
