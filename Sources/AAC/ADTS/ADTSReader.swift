public import MediaCore

/// Reads the packets of an .aac file, one after another.
///
/// It is a value: a copy is a second reader that continues from the same position. Memory is one window, whatever the
/// file.
///
/// Real files hold more than frames. Tags (ID3 and APE) are skipped, and any other bytes one by one until another frame
/// begins. `report` counts all of this. Times count from 0
/// in ticks of the first frame's sampling rate; ADTS cannot express priming.
///
/// Source: ISO/IEC 14496-3, 1.A.3.2.
public struct ADTSReader: Sendable {
  /// What was found so far.
  public struct Report: Sendable, Hashable {
    /// ADTS frames.
    public var frames: UInt64 = 0
    /// Packets delivered: several per frame if a protected frame holds several.
    public var packets: UInt64 = 0
    /// Bytes of those packets.
    public var payloadBytes: UInt64 = 0
    /// Frames with a checksum.
    public var framesWithChecksum: UInt64 = 0
    /// Frames whose ID, profile, rate or channels are not the first frame's.
    public var headerChanges: UInt64 = 0
    /// Frames whose packets could not be separated, because their positions are missing (as they are without a
    /// checksum) or invalid. They are delivered whole, and only a decoder can separate the packets.
    public var unsplitFrames: UInt64 = 0
    /// Bytes that belong to none of these.
    public var junkBytes: UInt64 = 0
    /// Bytes of tags: of ID3v2, and of ID3v1 and APE where frames follow.
    public var tagBytes: UInt64 = 0
    /// Bytes after the last frame and the junk after it: ID3v1 and APE tags, or less than a header.
    public var tailBytes: UInt64 = 0
    /// Bytes missing from the last frame, if the file ends inside one; otherwise 0.
    public var missingBytes = 0
    /// Bytes of that frame, which count as junk and tail.
    package var cutBytes: UInt64 = 0

    /// Whether the file ends inside a frame.
    public var isTruncated: Bool { missingBytes > 0 }
  }

  /// The source of the bytes.
  public var source: SourceReader { scanner.reader }

  /// What was found so far; complete once `next()` has returned `nil`.
  public var report: Report { scanner.report }

  private var scanner: ADTSScanner
  private var formats: ADTSFormats
  private let timescale: UInt32
  private var time: Int64 = 0
  /// Remaining packets of the current frame, the last one first.
  private var pending: [Range<UInt64>] = []
  private var pendingDescription = 0
  private var pendingDuration: Int64 = 0

  /// A reader at the first frame of a source.
  ///
  /// - Throws: `AACError`: `.noFrames`, `.source`.
  public init(_ reader: SourceReader) throws(AACError) {
    var scanner = ADTSScanner(reader)
    let start = scanner
    guard let first = try scanner.nextFrame() else { throw AACError(.noFrames, file: reader.source.name) }
    timescale = SamplingFrequency.frequency(at: UInt8(first.bits[.samplingFrequencyIndex])) ?? 1
    formats = ADTSFormats()
    _ = try formats.index(of: first, scanner: &scanner)
    self.scanner = start
  }

  /// The next packet, or `nil` at the end.
  ///
  /// - Throws: `AACError` `.source` when reading fails; a copy made before can ask for the packet again.
  public mutating func next() throws(AACError) -> EncodedSample? {
    if let range = pending.popLast() { return sample(range) }
    guard let frame = try scanner.nextFrame() else { return nil }
    pendingDescription = try formats.index(of: frame, scanner: &scanner)
    let rate = SamplingFrequency.frequency(at: UInt8(frame.bits[.samplingFrequencyIndex])) ?? timescale
    let blocks = Int64(frame.bits[.additionalBlocks]) + 1
    if blocks > 1 {
      if let ranges = try scanner.blocks(of: frame) {
        pendingDuration = ticks(1024, rate: rate)
        pending = ranges.reversed()
        return pending.popLast().map { sample($0) }
      }
      scanner.report.unsplitFrames += 1
    }
    pendingDuration = ticks(1024 * blocks, rate: rate)
    return sample(frame.payload)
  }

  /// Makes sure that the file has not changed or grown since it was opened. Code that makes another file of its packets
  /// calls this last, before that file gets its name.
  ///
  /// - Throws: `AACError` `.source`: `.changed`.
  public func checkUnchanged() throws(AACError) {
    do throws(SourceError) { try source.checkUnchanged() } catch { throw AACError(.source(error)) }
  }

  private func ticks(_ samples: Int64, rate: UInt32) -> Int64 {
    guard rate != timescale else { return samples }
    return MediaTime(value: samples, timescale: rate).converted(to: timescale)?.value ?? samples
  }

  @inline(__always)
  private mutating func sample(_ range: Range<UInt64>) -> EncodedSample {
    let timing = SampleTiming(
      decodeTime: time, presentationTime: time, duration: pendingDuration, timescale: timescale)
    // A frame is 8191 bytes at most and files are far from 2^60 frames, so none of these sums overflows.
    time += pendingDuration
    scanner.report.packets += 1
    scanner.report.payloadBytes += UInt64(range.count)
    return EncodedSample(
      trackID: 1, timing: timing, isSync: true, descriptionIndex: pendingDescription,
      payload: .range(scanner.reader, offset: range.lowerBound, count: range.count))
  }

  /// The stream as a track. Nothing in the file states its length: counts and durations cover the packets delivered so
  /// far, and descriptions the configurations found.
  public var track: Track {
    var track = Track(id: 1, kind: .audio, timescale: timescale)
    track.descriptions = formats.descriptions
    track.sampleCount = report.packets
    track.mediaDuration = MediaTime(value: time, timescale: timescale)
    track.duration = track.mediaDuration
    return track
  }
}

extension ADTSReader {
  /// How far into a source to look for a first frame. A stream that was cut anywhere has a header within the 8191 bytes
  /// of the longest frame; twice that leaves room for one false start.
  public static let probeSize: UInt64 = 16_384

  /// Consecutive frames that prove a stream. A single header proves nothing, as one offset in twenty thousand looks
  /// like it by chance; two in a row occur in movies whose video happens to repeat a pattern.
  private static let sniffChain = 4

  /// Whether a source holds ADTS: near its beginning, apart from ID3 tags, there are four consecutive frames of one
  /// stream, or fewer before a tag or the end of the source.
  ///
  /// - Throws: `AACError` `.source`.
  public static func looksLikeADTS(_ reader: SourceReader) throws(AACError) -> Bool {
    var scanner = ADTSScanner(reader)
    while try scanner.skipID3() {}
    scanner.limit = scanner.offset + min(probeSize, reader.size - min(scanner.offset, reader.size))
    while let frame = try scanner.nextFrame() {
      if try scanner.isChain(frame, length: sniffChain) { return true }
      scanner.offset = frame.offset + 1
    }
    return false
  }
}
