internal import AAC
internal import MP4
public import MediaCore

/// Writes PCM to a file that plays while it grows, and is an ordinary file in the end.
///
/// Until it is finished the recording is called `voice.recording.m4a`, in the folder of the file it is to replace, and
/// holds what was appended up to half a second ago: whatever happens to this process, that stays. `finish()` turns it
/// into an ordinary file, index in front, and renames it, replacing an older file in one step.
///
/// A gap in what is captured, of up to an hour, becomes silence, so that what follows keeps its time.
///
/// ```swift
/// let writer = try RecordingWriter(path: "voice.m4a", format: capture.format)
/// capture: while !Task.isCancelled {
///   switch try capture.next() {
///   case .sample(let sound, _): try writer.append(sound)
///   case .nothingYet: continue
///   case .ended: break capture
///   }
/// }
/// try writer.finish()
/// ```
public final class RecordingWriter {
  /// The format of the recorded sound.
  public let format: AudioFormat
  /// The file that grows.
  public var workingPath: String { target.workingPath }
  /// What was recorded so far. After a failure, the part of it that is in the file.
  public private(set) var summary: Summary
  private let target: RecordingTarget
  private let options: Options
  private let sink: FileSink
  private var sync: BackgroundSync?
  private var state: State
  /// The expected time of the next sample; `nil` before the first one.
  private var nextFrame: Int64?
  /// Frames appended since the file last held everything.
  private var pendingFrames = 0
  /// The file when it last ended with a whole packet.
  private var whole: (size: UInt64, summary: Summary)

  /// The longest gap that is filled with silence, in seconds. No device that is away for longer goes on where it was: a
  /// time further ahead is wrong, and would fill the disk.
  private static let longestGap = 3600
  /// Seconds of silence from which on filling a gap can be cancelled. A shorter one never is: what is captured while a
  /// task is cancelled is part of the recording.
  private static let longGap = 10

  private enum State {
    case growing(any SoundOutput)
    /// Writing failed; the whole part can still be finished.
    case failed(RecordingError)
    /// The file has its name; the error says why the last of the recording is not in it.
    case finished(RecordingError?)
    case unfinished(RecordingError)
    case cancelled
  }

  /// Opens the file that is to grow.
  ///
  /// - Parameters:
  ///   - path: the final name of the file; `.m4a`, `.aac` or `.wav` selects its kind.
  ///   - format: the format of what will be appended.
  ///   - options: how to record.
  /// - Throws: `RecordingError`: `.unknownType`, `.exists`, `.notReplaceable`, `.leftover`, `.beingRecorded`;
  ///   `AACError.cannotEncode` for what AAC cannot do; `MP4Error`, `PCMFileError`, `SinkError`. There is no new file
  ///   then.
  public init(path: String, format: AudioFormat, options: Options = Options()) throws {
    let target = try RecordingTarget(path, clobber: options.clobber)
    // A format that the codec refuses is rejected before there is a file.
    if target.type != .wav { _ = try RecordingWriter.encoder(format, options) }
    let sink = try target.open()
    do {
      let file: any SoundOutput =
        switch target.type {
        case .m4a: try PacketOutput(RecordingWriter.encoder(format, options), growing: sink)
        case .aac: try PacketOutput(RecordingWriter.encoder(format, options), stream: sink)
        case .wav: try WAVOutput(sink: sink, format: format)
        }
      state = .growing(file)
    } catch {
      sink.cancel()
      throw error
    }
    self.format = format
    self.options = options
    self.target = target
    self.sink = sink
    summary = Summary(path: path)
    whole = (sink.position, summary)
    sync = options.sync ? sink.dataSync.map { data in BackgroundSync { () throws(SinkError) in try data.run() } } : nil
    if options.sync { target.output.syncFolder() }
  }

  private static func encoder(_ format: AudioFormat, _ options: Options) throws(AACError) -> AACSoundEncoder {
    // Whatever happens, sound is in the file as soon as it can be.
    AACSoundEncoder(try AACEncoder(format: format, bitRate: options.bitRate, waits: false))
  }

  /// Appends sound at its time.
  ///
  /// The first sample's time is where the recording begins. A later one that begins after the end of what is recorded
  /// makes a gap, which is filled with silence and counted; one without frames only says how far the recording goes.
  /// What is recorded is never taken back: a sample that begins before its end is refused, and changes nothing. So is
  /// one that begins more than an hour after it.
  ///
  /// - Parameter sample: the frames, at the rate and in the channels given to `init`. Its presentation time counts; its
  ///   duration does not.
  /// - Throws: `RecordingError`: `.formatChanged`, `.overlap` and `.gapTooLong`, which change nothing; `.endedEarly` if
  ///   writing fails, as on a full disk, and `.removed`: what the file holds can then be finished, but nothing appended
  ///   any more, which throws the same again; `.finished`, `.cancelled`. `CancellationError` if the task is cancelled
  ///   while a gap of more than ten seconds is filled: the silence so far stays, the sample is not appended.
  public func append(_ sample: PCMSample) throws {
    _ = try growingFile()
    let other = sample.payload.format
    guard other.sampleRate == format.sampleRate, other.channels == format.channels else {
      throw RecordingError(.formatChanged(format, to: other), file: target.name)
    }
    let start = sample.firstFrame
    let expected = nextFrame ?? start
    guard start >= expected else {
      throw RecordingError(.overlap(frames: UInt64(bitPattern: expected &- start)), file: target.name)
    }
    // The later of two numbers minus the earlier: the bit pattern holds even what Int64 cannot.
    let missing = UInt64(bitPattern: start &- expected)
    guard missing <= UInt64(format.sampleRate * RecordingWriter.longestGap) else {
      throw RecordingError(.gapTooLong(frames: missing), file: target.name)
    }
    if missing > 0 {
      summary.gaps += 1
      try appendSilence(missing)
    }
    try write(sample.payload)
    nextFrame = sample.endFrame
  }

  /// Appends sound that has no time: directly after what is recorded.
  ///
  /// - Parameter buffer: the frames, at the rate and in the channels given to `init`.
  /// - Throws: `RecordingError`: `.formatChanged`, which changes nothing; `.endedEarly` if writing fails, as on a full
  ///   disk, and `.removed`: what the file holds can then be finished, but nothing appended any more, which throws the
  ///   same again; `.finished`, `.cancelled`.
  public func append(_ buffer: PCMBuffer) throws {
    try append(PCMSample(buffer, at: nextFrame ?? 0))
  }

  private func appendSilence(_ frames: UInt64) throws {
    var rest = frames
    while rest > 0 {
      let isLong = frames - rest >= UInt64(format.sampleRate * RecordingWriter.longGap)
      if isLong, Cancellation.isRequested { throw CancellationError() }
      let count = Int(min(rest, UInt64(flushInterval)))
      let silence = [Int16](repeating: 0, count: count * format.channels)
      try write(PCMBuffer(silence, sampleRate: format.sampleRate, layout: format.layout), isSilence: true)
      rest -= UInt64(count)
      nextFrame? += Int64(count)
    }
  }

  private func write(_ buffer: PCMBuffer, isSilence: Bool = false) throws {
    let file = try growingFile()
    guard buffer.frameCount > 0 else { return }
    do {
      // A recording continues to its end, even if the task that stops it was cancelled.
      // In the file, time counts from the first frame.
      let sample = PCMSample(buffer, at: Int64(clamping: summary.frames))
      try Cancellation.shielded { try file.append(sample) }
      summary.frames += UInt64(buffer.frameCount)
      if isSilence { summary.silentFrames += UInt64(buffer.frameCount) }
      pendingFrames += buffer.frameCount
      if pendingFrames >= (summary.frames > flushInterval ? flushInterval : firstFlush) { try flush(file) }
    } catch {
      throw fail(error)
    }
  }

  private func growingFile() throws -> any SoundOutput {
    switch state {
    case .growing(let file): return file
    case .failed(let error), .unfinished(let error): throw error
    case .finished: throw RecordingError(.finished, file: target.name)
    case .cancelled: throw RecordingError(.cancelled, file: target.name)
    }
  }

  private func flush(_ file: any SoundOutput) throws {
    try file.flush()
    guard !sink.isGone else { throw RecordingError(.removed(workingPath), file: target.name) }
    noteWhole(file)
    try sync?.request()
  }

  private func noteWhole(_ file: any SoundOutput) {
    pendingFrames = 0
    whole = (sink.position, summary)
    whole.summary.frames = min(file.playableFrames, summary.frames)
    whole.summary.silentFrames = min(summary.silentFrames, whole.summary.frames)
  }

  /// Notes that no more can be written. What was recorded is what the file held when it was last whole.
  private func fail(_ error: any Error) -> RecordingError {
    let failure =
      error as? RecordingError
      ?? RecordingError(.endedEarly(because: RecordingError.reason(error)), file: target.name)
    state = .failed(failure)
    summary = whole.summary
    return failure
  }

  /// Half a second: together with what is still in the encoder, less than a second can be lost.
  private var flushInterval: Int { max(format.sampleRate / 2, 1) }

  /// At the start, as soon as the encoder has produced its first packets: only then is there a file that plays.
  private var firstFlush: Int { min(4096, flushInterval) }

  /// Ends the recording and gives it its name. If writing failed, as on a full disk, it ends where it was last whole,
  /// and never replaces an older file.
  ///
  /// - Returns: what was recorded; the same when it is called again.
  /// - Throws: `RecordingError`: `.endedEarly` if the last of it could not be written, and the file holds what came
  ///   before; `.unfinished`, which says where the recording is kept; `.nothingRecorded` and `.removed`, when there is
  ///   no file; `.cancelled`. `SinkError` `.notSynced`: it is finished and has its name, but a power cut may take that
  ///   back.
  @discardableResult
  public func finish() throws -> Summary {
    try Cancellation.shielded { try complete() }
  }

  private func complete() throws -> Summary {
    var ending: RecordingError?
    switch state {
    case .finished(let error?): throw error
    case .finished: return summary
    case .cancelled: throw RecordingError(.cancelled, file: target.name)
    case .unfinished(let error): throw error
    case .growing(let file):
      do { try finishGrowing(file) } catch { ending = fail(error) }
    case .failed: break
    }
    do {
      try nameFile()
      state = .finished(ending)
    } catch {
      if case .notSynced? = ((error as? any MediaError)?.root as? SinkError)?.code {
        // It has its name, though a power cut may take it back.
        state = .finished(ending)
        throw error
      }
      let error = error as? RecordingError ?? unfinished(RecordingError.reason(error))
      state = .unfinished(error)
      throw error
    }
    if let ending { throw ending }
    return summary
  }

  private func finishGrowing(_ file: any SoundOutput) throws {
    // Nothing may hold the file any more: finishing opens it again, and locks it exclusively.
    defer { sync = nil }
    try sync?.wait()
    guard !sink.isGone else { throw RecordingError(.removed(workingPath), file: target.name) }
    _ = try file.finish()
  }

  /// Turns the growing file into an ordinary one, and gives it its name.
  private func nameFile() throws {
    guard case .failed(let failure) = state else {
      guard summary.frames > 0 else {
        EditableFile.remove(workingPath)
        throw RecordingError(.nothingRecorded(because: nil), file: target.name)
      }
      return try makeOrdinary(clobber: options.clobber)
    }
    let reason = failure.bareReason
    guard !sink.isGone else { throw RecordingError(.removed(workingPath), file: target.name) }
    guard summary.frames > 0 else {
      sink.cancel()
      throw RecordingError(.nothingRecorded(because: reason), file: target.name)
    }
    sink.close()
    try? sync?.wait()
    sync = nil
    // Even without this it plays, except for an incomplete last piece.
    try? EditableFile(path: workingPath).truncate(to: whole.size)
    if target.output.isTaken { throw unfinished(reason) }
    try makeOrdinary(clobber: false)
  }

  private func makeOrdinary(clobber: Bool) throws {
    if target.type == .m4a, try !RecordingFinisher(path: workingPath).run() {
      return try finishBeside(clobber: clobber)
    }
    try EditableFile(path: workingPath).moveIntoPlace(of: target.output.path, clobber: clobber)
  }

  private func unfinished(_ reason: String) -> RecordingError {
    let isKept = EditableFile.exists(workingPath)
    return RecordingError(
      isKept ? .unfinished(because: reason, kept: workingPath) : .removed(workingPath), file: target.name)
  }

  /// Makes the ordinary file from a copy, if the file system cannot insert ranges.
  private func finishBeside(clobber: Bool) throws {
    var remux = Remuxer.Options()
    remux.clobber = clobber
    remux.sync = true
    // As when it is finished in place, a fragment that is not whole is left out.
    remux.recover = true
    try Remuxer(from: MP4Demuxer(path: workingPath), to: target.output.path, options: remux).run()
    EditableFile.remove(workingPath)
  }

  /// Abandons the recording and leaves no file. One that is finished stays.
  public func cancel() {
    switch state {
    case .growing, .failed:
      state = .cancelled
      sink.cancel()
    case .finished, .unfinished, .cancelled: break
    }
  }
}
