internal import MP4
internal import MediaCore

/// The packets of a movie's track, one after the other. The frames of PCM, each of which is often a sample of its own,
/// are gathered: adjacent ones become one packet of a practical size, and long ones are divided.
struct MoviePackets {
  /// Number of the sample that comes next.
  private(set) var number: UInt64 = 0
  private var samples: SampleReader
  private let lengths: PacketLengths
  /// All samples, for finding one by its first frame.
  private let first: SampleReader
  private let sampleCount: UInt64
  /// What was read and not delivered yet: the rest of a long sample, or one that could not be joined.
  private var waiting: SampleRecord?
  /// Where every 256th packet begins, as far as was scanned: each of a movie's edits may begin with a seek.
  private var marks: [(number: UInt64, start: Int64)] = []

  private static let markSpacing = 256
  /// The most frames of PCM delivered at once.
  static let maximumFrames = 4096

  init(_ movie: MP4Demuxer, _ track: Track, _ lengths: PacketLengths) {
    samples = movie.samples(of: track)
    first = samples
    sampleCount = track.sampleCount
    self.lengths = lengths
  }

  /// The next packet, or `nil` at the end: the entry of its first sample, with the size of all of it.
  mutating func next() throws(MP4Error) -> SampleRecord? {
    guard let record = try take() else { return nil }
    guard let bytesPerFrame = lengths.bytesPerFrame else {
      number = record.number + 1
      return record
    }
    let limit = bytesPerFrame * min(Int(lengths.full), MoviePackets.maximumFrames)
    guard record.size <= limit else { return divided(record, at: limit) }
    return joined(record, limit)
  }

  private mutating func take() throws(MP4Error) -> SampleRecord? {
    if let waiting {
      self.waiting = nil
      return waiting
    }
    return try samples.nextRecord()
  }

  /// The beginning of a sample; the rest is delivered next.
  private mutating func divided(_ record: SampleRecord, at size: Int) -> SampleRecord {
    var (part, rest) = (record, record)
    part.size = size
    rest.offset += UInt64(size)
    rest.size -= size
    if lengths.equal != nil { rest.number += lengths.samples(in: part) }
    waiting = rest
    number = rest.number
    return part
  }

  /// A sample and those that follow it in the file, while they are within the limit. What is wrong with one of them is
  /// reported when it is its turn.
  private mutating func joined(_ record: SampleRecord, _ limit: Int) -> SampleRecord {
    var record = record
    number = record.number + lengths.samples(in: record)
    while let next = try? take() {
      guard next.offset == record.offset + UInt64(record.size), next.size <= limit - record.size,
        next.descriptionIndex == record.descriptionIndex
      else {
        waiting = next
        break
      }
      record.size += next.size
      number = next.number + lengths.samples(in: next)
    }
    return record
  }

  /// Seeks to the packet that holds a frame, or one a few before it.
  ///
  /// - Parameters:
  ///   - frame: counted from the first one of the first packet.
  ///   - decoder: knows how many packets before it to begin with.
  ///   - isAbandoned: asked now and then where that takes long; if it is true, it has to seek again.
  /// - Returns: number of the first frame of the packet that comes next.
  mutating func seek(
    to frame: Int64, _ decoder: any AudioDecoder, unless isAbandoned: () -> Bool
  ) throws(MP4Error) -> Int64 {
    waiting = nil
    guard let equal = lengths.equal else {
      return try scan(to: frame, preRoll: max(decoder.preRoll, 0), unless: isAbandoned)
    }
    let target = decoder.start(for: frame / max(equal, 1))
    try samples.seek(toSample: UInt64(target))
    number = UInt64(target)
    guard let bytesPerFrame = lengths.bytesPerFrame else { return target * equal }
    // Frames that are samples come in pieces, which may begin before the one that is wanted.
    guard var record = try samples.nextRecord(), record.number <= UInt64(target) else { return target * equal }
    let before = Int(clamping: (UInt64(target) - record.number) * UInt64(equal)).multipliedReportingOverflow(
      by: bytesPerFrame)
    if !before.overflow, before.partialValue < record.size {
      record.offset += UInt64(before.partialValue)
      record.size -= before.partialValue
      record.number = UInt64(target)
    }
    waiting = record
    return target * equal
  }

  /// Goes through the packets, adding up their frames, at some nanoseconds each: from the first one on, or from one that
  /// an earlier scan marked.
  private mutating func scan(
    to frame: Int64, preRoll: Int, unless isAbandoned: () -> Bool
  ) throws(MP4Error) -> Int64 {
    var scan = first
    var start: Int64 = 0
    // The packet found so far, and those before it.
    var last: [(number: UInt64, start: Int64)] = []
    var count = 0
    // Far enough back for the packets before the one that is wanted.
    let mark = marks.partitionPoint { $0.start <= frame } - 2 - preRoll / MoviePackets.markSpacing
    do throws(MP4Error) {
      if mark > 0 {
        try scan.seek(toSample: marks[mark].number)
        (start, count) = (marks[mark].start, mark * MoviePackets.markSpacing)
      }
      while start <= frame, let record = try scan.nextRecord() {
        if count == marks.count * MoviePackets.markSpacing { marks.append((record.number, start)) }
        if last.count > preRoll { last.removeFirst() }
        last.append((record.number, start))
        start = start.saturatingAdd(lengths.frames(of: record))
        count += 1
        if count.isMultiple(of: 1 << 16), isAbandoned() { return 0 }
      }
    } catch {
      // Damage after it does not keep a frame from being found; reading on will report it.
      if case .source = error.code { throw error }
    }
    let found = start > frame ? last.first : nil
    number = found?.number ?? sampleCount
    try samples.seek(toSample: number)
    return found?.start ?? start
  }
}
