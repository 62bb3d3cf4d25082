public import MediaCore

/// Reads the packets of AAC in LATM, as broadcasting and streaming carry it: frames of LOAS, one after another.
///
/// It is a value: a copy is a second reader that continues from the same position. Memory is one window and one frame,
/// whatever the file. Packets begin in the middle of bytes, so they are delivered as bytes and not as places in the
/// file.
///
/// A stream may be joined anywhere: frames before its first configuration are left out, as are bytes that are no frame.
/// `report` counts all of this. Times count from 0 in ticks of the first packet's sampling rate; LATM cannot express
/// priming. Several programs or layers are refused with an error that names them, and so are object types other than 1
/// to 4 if their configuration has no length.
///
/// Source: ISO/IEC 14496-3, 1.7.
public struct LOASReader: Sendable {
  /// What was found so far.
  public struct Report: Sendable, Hashable {
    /// Frames of LOAS, each of which holds one element of LATM.
    public var frames: UInt64 = 0
    /// Packets delivered: an element may hold several.
    public var packets: UInt64 = 0
    /// Bytes of those packets.
    public var payloadBytes: UInt64 = 0
    /// How often a configuration came that is not the one before.
    public var configurationChanges: UInt64 = 0
    /// Frames before the first configuration, which cannot be read without one.
    public var unconfiguredFrames: UInt64 = 0
    /// Frames left out because they make no sense, or because their configuration is not supported.
    public var damagedFrames: UInt64 = 0
    /// Bytes that belong to no frame.
    public var junkBytes: UInt64 = 0
    /// Bytes after the last whole frame and the junk after it: less than a header, or the beginning of a frame.
    public var tailBytes: UInt64 = 0
    /// Bytes missing from the last frame, if the file ends inside one; otherwise 0.
    public var missingBytes = 0

    /// Whether the file ends inside a frame.
    public var isTruncated: Bool { missingBytes > 0 }
  }

  /// The source of the bytes.
  public var source: SourceReader { scanner.reader }

  /// What was found so far; complete once `next()` has returned `nil`.
  public var report: Report { scanner.report }

  /// The offset in the source of the frame that holds the packet delivered last.
  public private(set) var frameOffset: UInt64 = 0

  private var scanner: LOASScanner
  private var latm = LATMReader()
  private var formats = LOASFormats()
  private var timescale: UInt32 = 1
  private var time: Int64 = 0
  /// Remaining packets of the current element, the last one first.
  private var pending: [Range<Int>] = []
  private var element: ArraySlice<UInt8> = []
  private var format: LOASFormats.Format?
  /// What is wrong with the first frame that this reader cannot read, if there was one.
  private var refusal: AACError?

  /// Frames that may come before the first configuration: half a minute and more. Streams repeat it every second.
  private static let patience = 4096

  /// A reader at the first packet of a source that can be decoded.
  ///
  /// - Throws: `AACError`: `.noFrames`; `.noConfiguration` if no frame has one; `.notDecodable` for what LATM can hold
  ///   and this reader cannot read; `.source`.
  public init(_ reader: SourceReader) throws(AACError) {
    let file = reader.source.name
    scanner = LOASScanner(reader)
    var probe = self
    while probe.format == nil, probe.scanner.report.frames < LOASReader.patience,
      let frame = try probe.scanner.nextFrame()
    {
      try probe.take(frame)
    }
    guard let format = probe.format else {
      throw probe.refusal?.located(in: file)
        ?? AACError(probe.scanner.report.frames > 0 ? .noConfiguration : .noFrames, file: file)
    }
    timescale = format.sampleRate
    (formats, self.format) = (probe.formats, format)
  }

  /// The next packet, or `nil` at the end.
  ///
  /// - Throws: `AACError` `.source` when reading fails; a copy made before can ask for the packet again.
  public mutating func next() throws(AACError) -> EncodedSample? {
    while true {
      if let range = pending.popLast(), let format { return sample(range, format) }
      guard let frame = try scanner.nextFrame() else { return nil }
      try take(frame)
    }
  }

  /// Makes the packets of a frame the next ones, if it has any.
  private mutating func take(_ frame: LOASScanner.Frame) throws(AACError) {
    let read: LATMReader.Element?
    // What looked like a frame among other bytes leaves no trace.
    var (latm, formats, format) = (latm, formats, format)
    do throws(AACError) {
      read = try latm.read(frame.element)
      if let config = latm.config { format = try formats.format(of: config.specificConfig) }
    } catch {
      guard frame.isInStep else { return scanner.reject(frame) }
      if case .notDecodable = error.code {
        self.latm = latm
        refusal = refusal ?? error
      }
      scanner.report.damagedFrames += 1
      return try scanner.doubt(frame, size: nil)
    }
    guard let read else {
      scanner.report.unconfiguredFrames += 1
      return
    }
    if read.size < frame.element.count, !frame.isInStep, try !scanner.isChain(frame, length: LOASReader.sniffChain) {
      return scanner.reject(frame)
    }
    if let before = self.latm.config, before != latm.config { scanner.report.configurationChanges += 1 }
    (self.latm, self.formats, self.format) = (latm, formats, format)
    (frameOffset, element) = (frame.offset, read.bytes)
    pending = read.packets.reversed()
    if read.size < frame.element.count { try scanner.doubt(frame, size: read.size) }
  }

  private mutating func sample(_ range: Range<Int>, _ format: LOASFormats.Format) -> EncodedSample {
    let duration = ticks(format.frameLength, rate: format.sampleRate)
    let timing = SampleTiming(
      decodeTime: time, presentationTime: time, duration: duration, timescale: timescale)
    // Rates take 24 bits and may change: damage can make a packet last days.
    time = time.saturatingAdd(duration)
    let bytes = element.bits(from: range.lowerBound, count: range.count)
    scanner.report.packets += 1
    scanner.report.payloadBytes += UInt64(bytes.count)
    return EncodedSample(
      trackID: 1, timing: timing, isSync: true, descriptionIndex: format.index, payload: .bytes(bytes[...]))
  }

  private func ticks(_ samples: Int64, rate: UInt32) -> Int64 {
    guard rate != timescale else { return samples }
    return MediaTime(value: samples, timescale: rate).converted(to: timescale)?.value ?? samples
  }

  /// Makes sure that the file has not changed or grown since it was opened. Code that makes another file of its packets
  /// calls this last, before that file gets its name.
  ///
  /// - Throws: `AACError` `.source`: `.changed`.
  public func checkUnchanged() throws(AACError) {
    do throws(SourceError) { try source.checkUnchanged() } catch { throw AACError(.source(error)) }
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

extension LOASReader {
  /// How far into a source to look for a first frame: a stream that was cut anywhere has one within the 8194 bytes of
  /// the longest, and twice that leaves room for a false start.
  public static let probeSize: UInt64 = 16_388

  /// Consecutive frames that prove a stream: a sync word occurs by chance in one of two thousand places.
  private static let sniffChain = 4

  /// Whether a source holds LOAS: near its beginning there are four consecutive frames, or fewer up to the end of the
  /// source, of which one makes sense.
  ///
  /// - Throws: `AACError` `.source`.
  public static func looksLikeLOAS(_ reader: SourceReader) throws(AACError) -> Bool {
    var scanner = LOASScanner(reader)
    scanner.limit = min(probeSize, reader.size)
    while let frame = try scanner.nextFrame() {
      if try scanner.isChain(frame, length: sniffChain), try isStream(frame, scanner) { return true }
      scanner.reject(frame)
    }
    return false
  }

  /// Whether enough frames follow a first one, or one of the few has a configuration.
  private static func isStream(_ first: LOASScanner.Frame, _ scanner: LOASScanner) throws(AACError) -> Bool {
    var (scanner, latm, number) = (scanner, LATMReader(), 1)
    scanner.limit = .max
    var frame = first
    while true {
      if (try? latm.read(frame.element)) != nil { return true }
      guard number < sniffChain, let next = try scanner.nextFrame() else { return number >= sniffChain }
      (frame, number) = (next, number + 1)
    }
  }
}
