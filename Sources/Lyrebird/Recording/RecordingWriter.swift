internal import AAC
internal import MP4
public import MediaCore

/// Writes PCM to a file that plays while it grows, and is an ordinary file in the end.
///
/// Until it is finished the recording is called `voice.recording.m4a`, and holds what was appended up to half a second
/// ago: whatever happens to this process, that stays. `finish()` makes an ordinary file of it, index in front, and
/// gives it its name, where it replaces an older file in one step.
///
/// A gap in what is captured becomes silence, so that what follows stays at its time.
public final class RecordingWriter {
  /// How to record.
  public struct Options: Sendable {
    /// Bits a second of AAC.
    public var bitrate = 96_000
    /// Whether an older file of the name may be replaced.
    public var clobber = true

    /// The usual.
    public init() {}
  }

  /// What was recorded.
  public struct Summary: Sendable, Hashable {
    /// The file.
    public internal(set) var path: String
    /// Frames in it, silence in gaps included.
    public internal(set) var frames: UInt64 = 0
    /// How many of them are silence in place of what was not captured.
    public internal(set) var silentFrames: UInt64 = 0
    /// Times that something was not captured.
    public internal(set) var gaps = 0
  }

  /// What is recorded.
  public let format: AudioFormat
  /// The file that grows.
  public let workingPath: String
  /// What was recorded so far.
  public private(set) var summary: Summary
  private let type: RecordingFileType
  private let options: Options
  private let sink: FileSink
  private var file: (any GrowingFile)?
  /// Frames since the file last held everything.
  private var pendingFrames = 0
  /// Bytes of the file when it last held whole packets only.
  private var wholeSize: UInt64 = 0
  private var hasFailed = false

  /// Opens the file that is to grow.
  ///
  /// - Parameters:
  ///   - path: what the file is called in the end; `.m4a`, `.aac` and `.wav` tell its kind.
  ///   - format: what will be appended.
  ///   - options: how to record.
  /// - Throws: `RecordingError`; `AACError.cannotEncode` for what AAC cannot do; `MP4Error`, `WAVError`, `SinkError`.
  public init(path: String, format: AudioFormat, options: Options = Options()) throws {
    type = try RecordingFileType(path: path)
    self.format = format
    self.options = options
    summary = Summary(path: path)
    workingPath = RecordingFileType.workingPath(for: path)
    if !options.clobber, EditableFile.exists(path) { throw RecordingError(.exists, file: path) }
    if EditableFile.exists(workingPath) { throw RecordingError(.leftover, file: workingPath) }
    // What the codec refuses is refused before there is a file.
    if type != .wav { _ = try AACEncoder(format: format, bitrate: options.bitrate) }
    sink = try FileSink(growingPath: workingPath)
    do {
      file =
        switch type {
        case .m4a: try GrowingM4A(sink: sink, encoder: AACEncoder(format: format, bitrate: options.bitrate))
        case .aac: try GrowingADTS(sink: sink, encoder: AACEncoder(format: format, bitrate: options.bitrate))
        case .wav: try GrowingWAV(sink: sink, format: format)
        }
      wholeSize = sink.position
    } catch {
      sink.cancel()
      throw error
    }
  }

  /// Appends what was captured.
  ///
  /// - Parameters:
  ///   - buffer: the frames, in the format that was promised.
  ///   - missing: frames between these and the ones before that could not be captured.
  /// - Throws: `AACError`, `MP4Error`, `WAVError`: the disk is full. What the file holds stays.
  public func append(_ buffer: PCMBuffer, missing: UInt64 = 0) throws {
    if missing > 0 {
      summary.gaps += 1
      try appendSilence(missing)
    }
    try write(buffer)
  }

  private func appendSilence(_ frames: UInt64) throws {
    summary.silentFrames += frames
    var rest = frames
    while rest > 0 {
      let count = Int(min(rest, UInt64(flushInterval)))
      let silence = [Int16](repeating: 0, count: count * format.channels)
      try write(PCMBuffer(silence, sampleRate: format.sampleRate, layout: format.layout))
      rest -= UInt64(count)
    }
  }

  private func write(_ buffer: PCMBuffer) throws {
    guard buffer.frameCount > 0, let file else { return }
    do {
      try file.append(buffer)
      pendingFrames += buffer.frameCount
      if pendingFrames >= (summary.frames > flushInterval ? flushInterval : firstFlush) {
        try file.flush()
        wholeSize = sink.position
        pendingFrames = 0
      }
    } catch {
      self.file = nil
      hasFailed = true
      throw error
    }
    summary.frames += UInt64(buffer.frameCount)
  }

  /// Half a second: with what is still on its way through the encoder, less than a second can be lost.
  private var flushInterval: Int { max(format.sampleRate / 2, 1) }

  /// In the beginning, as soon as the encoder has given its first packets: only from then on is there a file that plays.
  private var firstFlush: Int { min(4096, flushInterval) }

  /// Ends the recording and gives it its name. One that could not be written on, as the disk was full, ends where it
  /// was whole.
  ///
  /// - Returns: what was recorded; the same again when it is called again.
  /// - Throws: `MP4Error`, `WAVError`, `AACError`, `SinkError`; the recording then stays under its working name, and
  ///   plays.
  @discardableResult
  public func finish() throws -> Summary {
    if hasFailed {
      hasFailed = false
      try EditableFile(path: workingPath).truncate(to: wholeSize)
    } else {
      guard let file else { return summary }
      self.file = nil
      try file.finish()
    }
    if type == .m4a, try !RecordingFinisher(path: workingPath).run() { return try finishBeside() }
    try EditableFile(path: workingPath).moveIntoPlace(of: summary.path, clobber: options.clobber)
    return summary
  }

  /// Makes the ordinary file out of a copy, where the file system cannot make room in a file.
  private func finishBeside() throws -> Summary {
    var remux = Remuxer.Options()
    remux.clobber = options.clobber
    remux.sync = true
    try Remuxer(from: MP4Demuxer(path: workingPath), to: summary.path, options: remux).run()
    EditableFile.remove(workingPath)
    return summary
  }

  /// Gives the recording up and leaves no file.
  public func cancel() {
    file = nil
    sink.cancel()
  }
}
