public import MediaCore

/// Writes PCM as a WAVE file, of integers of 16, 24 or 32 bits, or 32-bit floats.
///
/// ```swift
/// var wav = try WAVWriter(path: "out.wav", format: decoder.format)
/// while let sound = try decoder.next() { try wav.append(sound) }
/// let summary = try wav.finish()
/// ```
///
/// Samples of another format are converted: rounded to the nearest, and clipped. Small pieces are gathered, large ones
/// go straight to the sink. If the sink cannot be patched, because it is a pipe, the header says that the length is
/// unknown, which most readers take as "to the end". A file above 4 GiB becomes RF64. A writer dropped without
/// `finish()` leaves no file.
public struct WAVWriter: ~Copyable {
  /// What was written.
  public struct Summary: Sendable, Hashable {
    /// Frames.
    public var frames: UInt64
    /// Bytes, the header included.
    public var bytes: UInt64
  }

  /// The format of the file.
  public let format: AudioFormat
  /// Frames appended so far.
  public var frameCount: UInt64 { dataBytes / UInt64(format.bytesPerFrame) }

  /// Released when the writer fails or finishes: an unfinished output is then discarded.
  private var sink: (any ByteSink)?
  /// How it ended; `nil` while samples can be appended.
  private var outcome: Result<Summary, PCMFileError>?
  /// `nil` if there is none.
  private let header: WAVHeader?
  private let headerBytes: Int
  /// Bytes of samples, including those still gathered.
  private var dataBytes: UInt64 = 0
  /// Bytes after the samples.
  private var padding: UInt64 = 0
  private let gathered = WorkBuffer(count: WAVWriter.gatheredBytes)
  private var gatheredCount = 0

  /// Enough to make system calls rare, few enough to stay in the processor's second-level cache.
  private static let gatheredBytes = 128 << 10

  /// A writer into a sink; the header is written at once.
  ///
  /// - Parameters:
  ///   - sink: where the bytes go.
  ///   - format: the format of the samples in the file.
  ///   - hasHeader: whether there is one; without, there is nothing but samples, and their reader has to know the
  ///     format.
  /// - Throws: `PCMFileError`: `.cannotWrite` where WAVE cannot hold the format, before anything is written; `.sink`.
  public init(sink: any ByteSink, format: AudioFormat, hasHeader: Bool = true) throws(PCMFileError) {
    let header = WAVHeader(format: try WAVFormat(format), isPatchable: sink.canPatch)
    let bytes = hasHeader ? header.bytes(dataBytes: nil) : []
    do {
      try sink.write(bytes)
    } catch {
      throw PCMFileError(.sink(error))
    }
    self.init(sink: sink, format: format, header: hasHeader ? header : nil, headerBytes: bytes.count)
  }

  private init(sink: any ByteSink, format: AudioFormat, header: WAVHeader?, headerBytes: Int) {
    self.sink = sink
    self.format = format
    self.header = header
    self.headerBytes = headerBytes
  }

  /// A writer into a new file, which appears under its name when it is finished.
  ///
  /// - Parameters:
  ///   - path: where the file is to appear.
  ///   - format: the format of the samples in the file.
  ///   - clobber: whether an existing file may be replaced.
  /// - Throws: `PCMFileError`: `.cannotWrite` where WAVE cannot hold the format, before there is a file; `.sink`.
  public init(path: String, format: AudioFormat, clobber: Bool = true) throws(PCMFileError) {
    _ = try WAVFormat(format)
    let sink: FileSink
    do {
      sink = try FileSink(path: path, clobber: clobber)
    } catch {
      throw PCMFileError(.sink(error))
    }
    try self.init(sink: sink, format: format)
  }

  /// Appends the frames of a sample directly after those before; its time is ignored.
  ///
  /// - Throws: `PCMFileError`: `.formatChanged` if rate or channels differ from the file's, which changes nothing;
  ///   `.sink`, after which there is no output, and all later calls throw the same; `.finished` after `finish()`.
  public mutating func append(_ sample: PCMSample) throws(PCMFileError) {
    try append(sample.payload)
  }

  /// Appends a buffer.
  ///
  /// - Throws: `PCMFileError`: `.formatChanged` if rate or channels differ from the file's, which changes nothing;
  ///   `.sink`, after which there is no output, and all later calls throw the same; `.finished` after `finish()`.
  public mutating func append(_ buffer: PCMBuffer) throws(PCMFileError) {
    guard buffer.format.sampleRate == format.sampleRate, buffer.format.channels == format.channels else {
      throw PCMFileError(.formatChanged(format, to: buffer.format))
    }
    switch buffer.samples {
    case .int16(let samples): try append(samples.span)
    case .int32(let samples): try append(samples.span)
    case .float32(let samples): try append(samples.span)
    }
  }

  /// Appends interleaved 16-bit samples; those of a last, incomplete frame are left out.
  ///
  /// - Throws: `PCMFileError` `.sink`.
  public mutating func append(_ samples: Span<Int16>) throws(PCMFileError) {
    let whole = samples.extracting(0..<(samples.count - samples.count % format.channels))
    switch format.sampleFormat {
    case .int16: try appendSamples(whole)
    case .int24: try appendThreeBytes(whole.indices.map { Int32(whole[$0]) << 16 })
    case .int32: try appendConverted(whole.indices.map { Int32(whole[$0]) << 16 })
    case .float32: try appendConverted(whole.indices.map { Float(whole[$0]) * (1 / 32_768) })
    }
  }

  /// Appends interleaved samples of full scale at the ends of `Int32`, be it of 24 bits or 32; those of a last,
  /// incomplete frame are left out.
  ///
  /// - Throws: `PCMFileError` `.sink`.
  public mutating func append(_ samples: Span<Int32>) throws(PCMFileError) {
    let whole = samples.extracting(0..<(samples.count - samples.count % format.channels))
    switch format.sampleFormat {
    case .int16: try appendConverted(whole.indices.map { Int16(pcm: whole[$0]) })
    case .int24: try appendThreeBytes(whole.indices.map { whole[$0] })
    case .int32: try appendSamples(whole)
    case .float32: try appendConverted(whole.indices.map { Float(pcm: whole[$0]) })
    }
  }

  /// Appends interleaved float samples, full scale at -1 and 1; those of a last, incomplete frame are left out.
  ///
  /// - Throws: `PCMFileError` `.sink`.
  public mutating func append(_ samples: Span<Float>) throws(PCMFileError) {
    let whole = samples.extracting(0..<(samples.count - samples.count % format.channels))
    switch format.sampleFormat {
    case .int16: try appendConverted(whole.indices.map { Int16(pcm: whole[$0]) })
    case .int24: try appendThreeBytes(whole.indices.map { Int32(pcm: whole[$0]) })
    case .int32: try appendConverted(whole.indices.map { Int32(pcm: whole[$0]) })
    case .float32: try appendSamples(whole)
    }
  }

  /// Appends the upper three bytes of each sample, the lowest first. What does not fit in 24 bits is rounded.
  private mutating func appendThreeBytes(_ samples: [Int32]) throws(PCMFileError) {
    var bytes = [UInt8](repeating: 0, count: 3 * samples.count)
    var target = bytes.mutableSpan
    for index in samples.indices {
      let sample = samples[index].rounded(toBits: 24)
      target[3 * index] = UInt8(truncatingIfNeeded: sample >> 8)
      target[3 * index + 1] = UInt8(truncatingIfNeeded: sample >> 16)
      target[3 * index + 2] = UInt8(truncatingIfNeeded: sample >> 24)
    }
    try appendSamples(bytes.span)
  }

  private mutating func appendConverted<Sample: BitwiseCopyable>(_ samples: [Sample]) throws(PCMFileError) {
    try appendSamples(samples.span)
  }

  /// Appends samples, which are numbers without padding: all of their bytes may be read.
  private mutating func appendSamples<Sample: BitwiseCopyable>(_ samples: Span<Sample>) throws(PCMFileError) {
    try check()
    // The bytes of samples are the file's bytes: as in PCMBuffer, so on Linux's little-endian processors.
    do throws(PCMFileError) {
      try unsafe samples.withUnsafeBytes { (raw) throws(PCMFileError) in try unsafe gather(raw) }
    } catch {
      throw fail(error)
    }
    dataBytes += UInt64(samples.count * MemoryLayout<Sample>.stride)
  }

  /// Gathers bytes, or hands them on if there are more than the buffer holds.
  private mutating func gather(_ bytes: UnsafeRawBufferPointer) throws(PCMFileError) {
    if bytes.count > gathered.count - gatheredCount { try writeGathered() }
    guard bytes.count <= gathered.count else {
      do { try unsafe sink?.write(bytes) } catch { throw PCMFileError(.sink(error)) }
      return
    }
    unsafe gathered[gatheredCount..<(gatheredCount + bytes.count)].copyMemory(from: bytes)
    gatheredCount += bytes.count
  }

  /// Hands the gathered samples to the sink now rather than with later ones.
  ///
  /// - Throws: `PCMFileError`: `.sink`, `.finished`; as `append`.
  public mutating func flush() throws(PCMFileError) {
    try check()
    do throws(PCMFileError) { try writeGathered() } catch { throw fail(error) }
  }

  private mutating func writeGathered() throws(PCMFileError) {
    guard gatheredCount > 0 else { return }
    do {
      // The first bytes of the buffer, all of them written to.
      try unsafe sink?.write(UnsafeRawBufferPointer(gathered[0..<gatheredCount]))
    } catch {
      throw PCMFileError(.sink(error))
    }
    gatheredCount = 0
  }

  /// Makes what the sink holds a whole file as of now: writes the gathered samples, and a header with the current
  /// length if the sink can be patched.
  ///
  /// - Throws: `PCMFileError`: `.sink`, `.finished`; as `append`.
  public mutating func checkpoint() throws(PCMFileError) {
    try check()
    do throws(PCMFileError) { try complete() } catch { throw fail(error) }
  }

  /// Fills a chunk of an odd size up, unless the header cannot say where it ends.
  private mutating func pad() throws(PCMFileError) {
    guard let header, header.isPatchable, !dataBytes.isMultiple(of: 2) else { return }
    try writeGathered()
    do { try sink?.write([0]) } catch { throw PCMFileError(.sink(error)) }
    padding = 1
  }

  private mutating func complete() throws(PCMFileError) {
    try writeGathered()
    guard let header, header.isPatchable else { return }
    do { try sink?.patch(header.bytes(dataBytes: dataBytes), at: 0) } catch { throw PCMFileError(.sink(error)) }
  }

  /// Writes what is left, puts the sizes into the header and makes the output complete.
  ///
  /// - Returns: what was written; the same when it is called again.
  /// - Throws: `PCMFileError` `.sink`, or what `append` threw before; there is no output then.
  @discardableResult
  public mutating func finish() throws(PCMFileError) -> Summary {
    if let outcome { return try outcome.get() }
    do throws(PCMFileError) {
      try pad()
      try complete()
      do throws(SinkError) { try sink?.finish() } catch { throw PCMFileError(.sink(error)) }
    } catch {
      throw fail(error)
    }
    let summary = Summary(frames: frameCount, bytes: UInt64(headerBytes) + dataBytes + padding)
    outcome = .success(summary)
    sink = nil
    return summary
  }

  private func check() throws(PCMFileError) {
    switch outcome {
    case nil: break
    case .success: throw PCMFileError(.finished)
    case .failure(let error): throw error
    }
  }

  private mutating func fail(_ error: PCMFileError) -> PCMFileError {
    outcome = .failure(error)
    sink = nil
    return error
  }
}
