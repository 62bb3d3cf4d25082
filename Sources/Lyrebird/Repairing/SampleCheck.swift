internal import AAC
internal import MP4
internal import MediaCore

/// Checks whether samples lie where an index says, by reading them.
struct SampleCheck {
  private let reader: SourceReader
  private let tracks: [UInt32: PatternTrack]
  private var scanners: [UInt32: PacketScanner] = [:]
  /// Reads so far.
  private(set) var work = 0

  /// The most units of a picture that are followed.
  private static let maximumUnits = 1024

  /// A check of samples in a source that are coded as those of a pattern.
  init(_ reader: SourceReader, _ pattern: Pattern) {
    self.reader = reader
    tracks = Dictionary(pattern.tracks.map { ($0.track.id, $0) }) { first, _ in first }
    for track in pattern.tracks {
      guard case .sound(let rule) = track.coding else { continue }
      scanners[track.track.id] = PacketScanner(reader, media: 0..<reader.size, rule: rule)
    }
  }

  /// Whether any sample of a track can be checked.
  func canCheck(_ track: UInt32) -> Bool {
    switch tracks[track]?.coding {
    case .pictures, .sound, .sized: true
    case .opaque, nil: false
    }
  }

  /// Whether a sample ends where its size says.
  ///
  /// - Throws: `SourceError` if reading fails.
  mutating func holds(_ track: UInt32, at offset: UInt64, size: Int) throws(SourceError) -> Bool {
    guard let found = tracks[track], offset <= reader.size, UInt64(size) <= reader.size - offset else { return false }
    work += 1
    switch found.coding {
    case .pictures(let coding): return try isPicture(coding, offset..<offset + UInt64(size))
    case .sound: return try scanners[track]?.packet(at: offset)?.bytes == size
    case .sized(let mark):
      let bytes = try reader.bytes(at: offset, count: 8)
      return bytes.count == 8 && bytes.span.bigEndian(at: 0) == UInt64(size) << 32 | UInt64(mark)
    case .opaque: return true
    }
  }

  private mutating func isPicture(_ coding: PictureCoding, _ range: Range<UInt64>) throws(SourceError) -> Bool {
    var position = range.lowerBound
    for _ in 0..<SampleCheck.maximumUnits {
      if position == range.upperBound { return !range.isEmpty }
      work += 1
      let bytes = try reader.bytes(at: position, count: PictureCoding.header)
      guard let (_, count) = coding.unit(bytes[...]), count <= range.upperBound - position else { return false }
      position += count
    }
    return true
  }
}
