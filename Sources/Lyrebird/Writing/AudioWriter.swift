internal import AAC
internal import ALAC
internal import AudioConversion
internal import Loudness
internal import MP4
public import MediaCore
internal import PCM

/// Writes sound to a file: `.m4a` (AAC or Apple Lossless), `.aac` or `.wav`.
///
/// ```swift
/// let sound = try AudioReader(path: "in.wav")
/// let writer = try AudioWriter(path: "out.m4a", format: sound.format)
/// while let block = try sound.next() { try writer.append(block) }
/// try writer.finish()
/// ```
///
/// It takes any sampling rate and sample format; where the file cannot have them, it converts: `fileFormat` says to
/// what. Channels stay as they are, and are refused if the codec does not have them: to mix them, have an `AudioReader`
/// deliver others.
///
/// The file appears under its name when it is finished. `cancel()` leaves no file, and neither does a writer that is
/// released without `finish()`. Use a `RecordingWriter` for what must survive a crash.
public final class AudioWriter {
  /// A codec, for files that can have one of several.
  public enum Codec: Sendable, Hashable {
    /// AAC of the profile that suits the bit rate: from 32 kHz up, if a bit rate is given and no low delay is wanted,
    /// HE-AAC v2 for stereo below 24 kb/s, HE-AAC for stereo below 40 and for mono below 24; otherwise AAC-LC.
    case aac
    /// AAC-LC.
    case lowComplexityAAC
    /// HE-AAC, of mono and stereo.
    case highEfficiencyAAC
    /// HE-AAC v2, of stereo: one channel, and a description of how the two differ.
    case highEfficiencyAACv2
    /// Apple Lossless: every bit is kept. Floats are rounded to 24 bits.
    case appleLossless
  }

  /// What was written.
  public struct Summary: Sendable, Hashable {
    /// Frames of sound, at the file's rate.
    public var frames: UInt64 = 0
    /// Packets; 0 in a WAVE file.
    public var packets: UInt64 = 0
    /// Bytes of the file.
    public var bytes: UInt64 = 0
    /// Frames that a decoder yields before the sound. A movie says so, and players leave them out.
    public var priming = 0
    /// Frames that a decoder yields after the sound, likewise.
    public var remainder = 0
    /// Samples of AAC that were not encoded as they are, summed over all channels: not a number, infinite, or more than
    /// 12 dB above full scale. Where it is not 0, what made the sound is probably broken.
    public var alteredSamples: UInt64 = 0
    /// What was done about loudness, if that was asked for.
    public var loudness: LoudnessChange?
  }

  /// The format of what is appended.
  public let format: AudioFormat
  /// The format of the file: for AAC, of what is encoded, as floats.
  public let fileFormat: AudioFormat
  /// Which loudspeakers players take the file's channels for: those of `fileFormat`, unless it is Apple Lossless, which
  /// has one layout for each number of channels.
  public let fileLayout: ChannelLayout
  /// The name of the file's codec: `AAC-LC`, `HE-AAC`, `HE-AAC v2`, `Apple Lossless`, `PCM`.
  public let codecName: String
  /// Frames appended so far.
  public private(set) var frameCount: UInt64 = 0

  private let name: String
  private let sink: any ByteSink
  private let output: any SoundOutput
  /// Whether to write packets as soon as they are made, because the reader of a pipe waits for them. A movie says by
  /// itself how long its fragments are.
  private let flushes: Bool
  private var converter: AudioConverter?
  /// What is to be made louder or softer, once all of it is there.
  private var spool: LoudnessSpool?
  private var framesWritten: UInt64 = 0
  private var outcome: Result<Summary, AudioWritingError>?

  /// A writer of a new file.
  ///
  /// - Parameters:
  ///   - path: where the file is to appear; its extension selects its kind, see `AudioFileType`.
  ///   - format: the format of what will be appended.
  ///   - options: how to write it.
  /// - Throws: `AudioWritingError`: there is no new file then.
  public convenience init(
    path: String, format: AudioFormat, options: Options = Options()
  ) throws(AudioWritingError) {
    guard let type = AudioFileType(path: path) else { throw .unknownType(file: path) }
    // What cannot be encoded is refused before there is a file.
    _ = try Coding(format, as: type, options)
    let sink: FileSink
    do { sink = try FileSink(path: path, clobber: options.clobber) } catch { throw .sink(error) }
    try self.init(to: sink, type: type, name: path, format: format, options: options)
  }

  /// A writer into any sink. If that cannot be patched, as a pipe cannot (`ByteSink.canPatch`), a movie that is not in
  /// fragments waits in a temporary file until it is finished, and a stream (AAC, WAVE) is written with each `append`.
  ///
  /// - Parameters:
  ///   - sink: where the bytes go.
  ///   - type: the kind of the file.
  ///   - name: the output's name in error messages.
  ///   - format: the format of what will be appended.
  ///   - options: how to write it.
  /// - Throws: `AudioWritingError`.
  public init(
    to sink: any ByteSink, type: AudioFileType, name: String = "output", format: AudioFormat,
    options: Options = Options()
  ) throws(AudioWritingError) {
    var options = options
    if !sink.canPatch, options.threads == nil { options.threads = 1 }
    options.plansShortSounds = options.plansShortSounds && sink.canPatch && options.speed != .fast
    let coding = try Coding(format, as: type, options)
    (self.format, self.name, self.sink) = (format, name, sink)
    (fileFormat, fileLayout) = (coding.format, coding.fileLayout)
    (codecName, flushes) = (coding.codecName, !sink.canPatch && type != .m4a)
    do {
      output = try AudioWriter.output(coding, type, sink, name, options)
      var converted = fileFormat
      if let loudness = options.loudness {
        spool = try LoudnessSpool(fileFormat, loudness)
        // It is rounded once, when it has its loudness.
        converted.sampleFormat = .float32
      }
      // Encoders and WAVE files take samples of any kind and round them; noise before 16 bits they do not add.
      let isDithered = converted.sampleFormat == .int16 && format.sampleFormat != .int16
      if converted.sampleRate != format.sampleRate || isDithered {
        converter = try AudioConverter(from: format, to: converted)
      }
    } catch {
      throw AudioWritingError(error)
    }
  }

  private static func output(
    _ coding: Coding, _ type: AudioFileType, _ sink: any ByteSink, _ name: String, _ options: Options
  ) throws -> any SoundOutput {
    var movie = MuxerOptions()
    (movie.layout, movie.metadata, movie.chapters) = (options.layout, options.metadata, options.chapters)
    switch coding {
    case .pcm(let format): return try WAVOutput(sink: sink, format: format)
    case .aac(let encoder, _) where type == .aac: return try PacketOutput(encoder, stream: sink)
    case .aac(let encoder, _): return try PacketOutput(encoder, movie: sink, name: name, options: movie)
    case .appleLossless(let encoder): return try PacketOutput(encoder, movie: sink, name: name, options: movie)
    }
  }

  // MARK: Writing

  /// Appends the frames of a sample directly after those before; its time is ignored.
  ///
  /// - Throws: `AudioWritingError`: `.conversion` for a buffer of another format, which changes nothing; after any
  ///   other, there is no output, and all later calls throw the same.
  public func append(_ sample: PCMSample) throws(AudioWritingError) { try append(sample.payload) }

  /// Appends a buffer.
  ///
  /// - Throws: `AudioWritingError`: `.conversion` for a buffer of another format, which changes nothing; after any
  ///   other, there is no output, and all later calls throw the same.
  public func append(_ buffer: PCMBuffer) throws(AudioWritingError) {
    if let outcome {
      _ = try outcome.get()
      throw .finished(file: name)
    }
    guard buffer.format.sampleRate == format.sampleRate, buffer.format.channels == format.channels else {
      throw .conversion(ConversionError(.formatChanged(format, to: buffer.format)))
    }
    try failing {
      if converter == nil { try take(buffer) } else { try convert(buffer) }
      frameCount += UInt64(buffer.frameCount)
      if flushes { try output.flush() }
    }
  }

  /// Converts a buffer in pieces: from a low rate to a high one, each frame becomes thousands.
  private func convert(_ buffer: PCMBuffer) throws {
    let step = max(AudioWriter.framesAtOnce * format.sampleRate / fileFormat.sampleRate, 1)
    for start in stride(from: 0, to: buffer.frameCount, by: step) {
      let piece = buffer.slice(start..<min(start + step, buffer.frameCount))
      if let converted = try converter?.convert(piece) { try take(converted) }
    }
  }

  /// Frames that a conversion makes at once.
  private static let framesAtOnce = 65_536

  private func take(_ buffer: PCMBuffer) throws {
    if spool == nil { try write(buffer) } else { try spool?.append(buffer) }
  }

  private func write(_ buffer: PCMBuffer) throws {
    guard buffer.frameCount > 0 else { return }
    try output.append(PCMSample(buffer, at: Int64(clamping: framesWritten)))
    framesWritten += UInt64(buffer.frameCount)
  }

  /// Ends the file and gives it its name.
  ///
  /// - Parameter progress: called now and then while the loudness is being changed, which takes as long again as what
  ///   came before, with the part that is done, from 0 to 1.
  /// - Returns: what was written; the same when it is called again.
  /// - Throws: `AudioWritingError`; what `progress` throws: there is no new file then.
  @discardableResult
  public func finish(progress: (_ part: Double) throws -> Void = { _ in }) throws -> Summary {
    if let outcome { return try outcome.get() }
    var summary = Summary()
    do {
      if let rest = converter?.finish() { try take(rest) }
      if let spool { summary.loudness = try spool.finish(into: { try write($0) }, progress: progress) }
      let ending = try output.finish()
      (summary.bytes, summary.remainder) = (ending.bytes, ending.remainder)
    } catch {
      let failure = AudioWritingError(error)
      outcome = .failure(failure)
      // What `progress` throws is the caller's own.
      if error is any MediaError { throw failure }
      throw error
    }
    (summary.frames, summary.packets, summary.priming) = (framesWritten, output.packets, output.priming)
    summary.alteredSamples = UInt64(clamping: output.alteredSamples)
    outcome = .success(summary)
    return summary
  }

  /// Gives up what was written: there is no new file, an older one of the name stays, and all later calls throw
  /// `AudioWritingError` `.stopped`. After `finish()` it does nothing.
  public func cancel() {
    guard outcome == nil else { return }
    outcome = .failure(.stopped)
    sink.cancel()
  }

  /// Does some work; once it fails, nothing else can be done.
  private func failing(_ body: () throws -> Void) throws(AudioWritingError) {
    do {
      try body()
    } catch {
      let failure = AudioWritingError(error)
      outcome = .failure(failure)
      throw failure
    }
  }
}
