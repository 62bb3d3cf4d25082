public import MediaCore

/// Writes packets of AAC as an .aac file: a header, a packet, a header, a packet.
///
/// ```swift
/// var aac = try ADTSWriter(path: "out.aac", track: track)
/// while let packet = try packets.next() { try aac.append(packet) }
/// let summary = try aac.finish()
/// ```
///
/// Samples may still be in their file: they are queued as ranges, read in long runs and written in large pieces, so the
/// cost is that of copying the bytes. Memory is a quarter of a megabyte. A writer that is dropped without `finish()`
/// leaves no file.
///
/// Source: ISO/IEC 14496-3, 1.A.3.2.
public struct ADTSWriter: ~Copyable {
  /// What was written.
  public struct Summary: Sendable, Hashable {
    /// Frames, each of one packet.
    public var packets: UInt64 = 0
    /// Bytes, headers included.
    public var bytes: UInt64 = 0
    /// Samples without any bytes, which are not packets, and were left out.
    public var emptySamples: UInt64 = 0
  }

  /// Bytes written at once: enough to make system calls rare, few enough to stay in the processor's second-level cache
  /// between reading and writing, and whole pages, which are the least work for the kernel.
  private static let batchBytes = 131_072

  /// What determines how packets are framed.
  private enum Coding {
    case track([SampleDescription])
    case encoder(ADTSFraming)
  }

  /// Released when the writer fails or is finished: an unfinished output is then discarded.
  private var sink: (any ByteSink)?
  /// The final result; `nil` while packets can be added.
  private var outcome: Result<Summary, AACError>?
  private var coding: Coding
  /// The description of the packet before, and its header but for the length.
  private var current: Int?
  private var template: UInt64 = 0
  /// What is still to be written before the next packet; see `ADTSFraming`.
  private var prefix: [UInt8] = []
  private var gatherer = PayloadGatherer(capacity: ADTSWriter.batchBytes + ADTSBits.maximumFrameLength)
  private var summary = Summary()

  /// A writer into a sink.
  ///
  /// - Throws: `AACError` if no description of the track is AAC that ADTS can carry: `.notAAC`, `.encrypted`,
  ///   `.noConfiguration`, `.notInADTS`, or what is wrong with the AudioSpecificConfig.
  public init(sink: any ByteSink, track: Track) throws(AACError) {
    self.init(sink: sink, coding: try ADTSWriter.coding(of: track))
  }

  /// A writer into a new file, which appears under its name when it is finished.
  ///
  /// - Parameters:
  ///   - path: where the file is to appear.
  ///   - track: the track whose packets will be appended.
  ///   - clobber: whether an existing file may be replaced.
  /// - Throws: `AACError` if no description of the track is AAC that ADTS can carry, before any file is touched:
  ///   `.notAAC`, `.encrypted`, `.noConfiguration`, `.notInADTS`, or what is wrong with the AudioSpecificConfig. Also
  ///   `.sink`.
  public init(path: String, track: Track, clobber: Bool = true) throws(AACError) {
    try self.init(path: path, coding: try ADTSWriter.coding(of: track), clobber: clobber)
  }

  /// A writer into a new file, for packets from an encoder.
  ///
  /// - Parameters:
  ///   - path: where the file is to appear, under its name when it is finished.
  ///   - configuration: the encoder's configuration.
  ///   - clobber: whether an existing file may be replaced.
  /// - Throws: `AACError`: `.notInADTS`, before any file is touched, and `.sink`.
  public init(path: String, configuration: AudioSpecificConfig, clobber: Bool = true) throws(AACError) {
    try self.init(path: path, coding: .encoder(try ADTSFraming(configuration)), clobber: clobber)
  }

  /// A writer into a sink, for packets from an encoder.
  ///
  /// - Throws: `AACError` `.notInADTS`.
  public init(sink: any ByteSink, configuration: AudioSpecificConfig) throws(AACError) {
    self.init(sink: sink, coding: .encoder(try ADTSFraming(configuration)))
  }

  private init(path: String, coding: Coding, clobber: Bool) throws(AACError) {
    let sink: FileSink
    do {
      sink = try FileSink(path: path, clobber: clobber)
    } catch {
      throw AACError(.sink(error))
    }
    self.init(sink: sink, coding: coding)
  }

  private init(sink: any ByteSink, coding: Coding) {
    self.sink = sink
    self.coding = coding
  }

  /// Takes what is known of a stream's descriptions by now: they are found while it is read.
  ///
  /// - Parameter descriptions: those from before, and any that came since.
  package mutating func update(_ descriptions: [SampleDescription]) {
    if case .track = coding { coding = .track(descriptions) }
  }

  private static func coding(of track: Track) throws(AACError) -> Coding {
    guard let first = track.descriptions.first else { throw AACError(.noConfiguration) }
    // A track may change its coding midway: what counts is whether any packet at all can be written.
    let canWrite = track.descriptions.contains { (try? ADTSFraming($0)) != nil }
    if !canWrite { _ = try ADTSFraming(first) }
    return .track(track.descriptions)
  }

  /// Adds a packet. It is read and written together with others once there are enough.
  ///
  /// - Throws: `AACError`, with the packet's number: `.notInADTS(.frameBytes)`, `.noDescription`, what is wrong with
  ///   its description; `.source`, `.sink` for packets added before. The output is then discarded, and every later call
  ///   throws the same error. `.finished` after `finish()`.
  public mutating func append(_ sample: EncodedSample) throws(AACError) {
    try append(sample.payload, descriptionIndex: sample.descriptionIndex)
  }

  /// Adds a packet, given only what matters here: its data, and which of the track's descriptions applies.
  ///
  /// - Throws: as `append(_:)`.
  public mutating func append(_ payload: MediaData, descriptionIndex: Int) throws(AACError) {
    try check()
    do throws(AACError) { try add(payload, descriptionIndex: descriptionIndex) } catch { throw fail(error) }
  }

  @inline(__always)
  private mutating func add(_ payload: MediaData, descriptionIndex: Int) throws(AACError) {
    let size = payload.count
    guard size > 0 else {
      summary.emptySamples += 1
      return
    }
    if descriptionIndex != current { try change(to: descriptionIndex, for: payload) }
    let frameLength = size.addingReportingOverflow(prefix.count + ADTSBits.byteCount)
    guard !frameLength.overflow, frameLength.partialValue <= ADTSBits.maximumFrameLength else {
      let limit = AACError.ADTSLimit.frameBytes(frameLength.overflow ? .max : frameLength.partialValue)
      throw AACError(.notInADTS(limit), field: "aac_frame_length", packet: summary.packets)
    }
    // Choosing between two values would cost a copy of each packet.
    if prefix.isEmpty {
      try gather(payload, frameLength: frameLength.partialValue)
    } else {
      try gather(try prefixed(payload), frameLength: frameLength.partialValue)
    }
  }

  /// Queues a packet with its header before it.
  @inline(__always)
  private mutating func gather(_ packet: MediaData, frameLength: Int) throws(AACError) {
    var header = ADTSBits(word: template)
    header[.frameLength] = UInt64(frameLength)
    if !gatherer.add(packet, after: header.word, of: ADTSBits.byteCount) {
      try write(gatherer.count)
      // An empty gatherer takes whatever fits a frame.
      _ = gatherer.add(packet, after: header.word, of: ADTSBits.byteCount)
    }
    if gatherer.count >= ADTSWriter.batchBytes { try write(ADTSWriter.batchBytes) }
    summary.packets += 1
    summary.bytes += UInt64(frameLength)
  }

  private mutating func change(to index: Int, for first: MediaData) throws(AACError) {
    do {
      let framing = try framing(at: index)
      let isThere = try framing.isPrefixed(first)
      template = framing.header.word
      prefix = isThere ? [] : framing.prefix
      current = index
    } catch {
      throw error.located(packet: summary.packets)
    }
  }

  private func framing(at index: Int) throws(AACError) -> ADTSFraming {
    switch coding {
    case .track(let descriptions) where descriptions.indices.contains(index): try ADTSFraming(descriptions[index])
    case .encoder(let framing) where index == 0: framing
    default: throw AACError(.noDescription(index))
    }
  }

  private mutating func prefixed(_ payload: MediaData) throws(AACError) -> MediaData {
    do {
      let bytes = prefix + (try payload.load())
      prefix = []
      return .bytes(bytes[...])
    } catch {
      throw AACError(.source(error), packet: summary.packets)
    }
  }

  /// Reads and writes the packets gathered so far, so that they reach the sink now rather than with later packets.
  ///
  /// - Throws: `AACError`: `.source`, with the offset where a source ended early; `.sink`; `.finished`. As `append`.
  public mutating func flush() throws(AACError) {
    try check()
    do throws(AACError) { try write(gatherer.count) } catch { throw fail(error) }
  }

  private mutating func write(_ count: Int) throws(AACError) {
    guard let sink else { return }
    do {
      try gatherer.write(count, to: sink)
    } catch {
      throw AACError(error)
    }
  }

  /// Writes the rest and completes the output.
  ///
  /// - Returns: what was written; the same summary on every further call.
  /// - Throws: `AACError`: `.source`, `.sink`; what `append` or `flush` threw before. The output is then discarded.
  @discardableResult
  public mutating func finish() throws(AACError) -> Summary {
    if let outcome { return try outcome.get() }
    do throws(AACError) {
      try write(gatherer.count)
      do throws(SinkError) { try sink?.finish() } catch { throw AACError(.sink(error)) }
    } catch {
      throw fail(error)
    }
    outcome = .success(summary)
    sink = nil
    return summary
  }

  private func check() throws(AACError) {
    switch outcome {
    case nil: break
    case .success: throw AACError(.finished)
    case .failure(let error): throw error
    }
  }

  private mutating func fail(_ error: AACError) -> AACError {
    outcome = .failure(error)
    sink = nil
    return error
  }
}
