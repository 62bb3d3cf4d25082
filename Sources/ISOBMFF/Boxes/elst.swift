internal import MediaCore

/// How the presentation is cut from the media.
///
/// Source: ISO/IEC 14496-12, 8.6.6.
package struct EditListBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The edits, if times take 32 bits (version 0).
  package var edits32 = PackedTable<EditEntry32>()
  /// The edits, if times take 64 bits (version 1).
  package var edits64 = PackedTable<EditEntry64>()

  package init() {}

  /// The edits, whatever the width of their times.
  package var edits: [EditEntry64] {
    edits32.entries.map {
      EditEntry64(
        segmentDuration: UInt64($0.segmentDuration), mediaTime: Int64($0.mediaTime), mediaRate: $0.mediaRate)
    } + edits64.entries
  }

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    if versionAndFlags.version == 1 {
      try coder.countedTable("edits", &edits64)
    } else {
      try coder.countedTable("edits", &edits32)
    }
  }
}

/// An edit with 32-bit times.
package struct EditEntry32: TableEntry {
  /// Duration in the movie's timescale.
  package var segmentDuration: UInt32
  /// Start in the media's timescale; -1 for an empty edit.
  package var mediaTime: Int32
  /// Speed, 16.16.
  package var mediaRate: Int32

  package static let size = 12
  package static let columns = ["segment_duration", "media_time", "media_rate"]

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    segmentDuration = bytes.bigEndian(at: offset)
    mediaTime = bytes.bigEndian(at: offset + 4)
    mediaRate = bytes.bigEndian(at: offset + 8)
  }

  package func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(segmentDuration)
    bytes.appendBigEndian(mediaTime)
    bytes.appendBigEndian(mediaRate)
  }

  package var values: [Int64] { [Int64(segmentDuration), Int64(mediaTime), Int64(mediaRate)] }
}

/// An edit with 64-bit times.
package struct EditEntry64: TableEntry {
  /// Duration in the movie's timescale.
  package var segmentDuration: UInt64
  /// Start in the media's timescale; -1 for an empty edit.
  package var mediaTime: Int64
  /// Speed, 16.16.
  package var mediaRate: Int32

  package static let size = 20
  package static let columns = ["segment_duration", "media_time", "media_rate"]

  /// An edit from its columns.
  package init(segmentDuration: UInt64, mediaTime: Int64, mediaRate: Int32) {
    self.segmentDuration = segmentDuration
    self.mediaTime = mediaTime
    self.mediaRate = mediaRate
  }

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    segmentDuration = bytes.bigEndian(at: offset)
    mediaTime = bytes.bigEndian(at: offset + 8)
    mediaRate = bytes.bigEndian(at: offset + 16)
  }

  package func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(segmentDuration)
    bytes.appendBigEndian(mediaTime)
    bytes.appendBigEndian(mediaRate)
  }

  package var values: [Int64] { [Int64(clamping: segmentDuration), mediaTime, Int64(mediaRate)] }
}
