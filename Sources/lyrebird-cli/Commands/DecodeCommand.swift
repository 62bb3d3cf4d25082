internal import ArgumentParser
internal import Lyrebird

struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Decode sound to a WAVE file, without the encoder's padding, at any rate.",
    discussion: """
      Reads an audio track of a movie, a stream of AAC (ADTS, LOAS), or PCM (WAVE, AIFF, CAF, raw). Priming and \
      padding that the encoder added are trimmed, if the file says how long they are. Broken packets are concealed and \
      reported. Apple Lossless and PCM come out bit for bit. Times count from the beginning of the movie, whose sound may \
      begin later than its pictures; what is written begins with the sound.

      EXAMPLES:
        lyrebird decode song.m4a song.wav
        lyrebird decode song.m4a song.wav --format f32   floats, never clipped
        lyrebird decode movie.mov --format s16 sound.wav
        lyrebird decode film.mp4 second.wav --track 3
        lyrebird decode talk.m4a talk.wav --rate 16000 --channels 1   for speech
        lyrebird decode talk.m4a part.wav --from 1:00 --to 1:30
        lyrebird decode song.m4a - | aplay
        lyrebird decode talk.m4a - --no-header --rate 16000 | recognizer
        lyrebird encode in.wav - | lyrebird decode - out.wav
      """)

  @Argument(help: "The file to read; - for standard input.", completion: .file())
  var input: String

  @Argument(help: "The file to write; - for standard output.", completion: .file(extensions: ["wav"]))
  var output: String

  @Option(help: "Sample format: integers of 16, 24 or 32 bits, or floats. (default: the track's own; s16 for AAC)")
  var format: Format?

  @Option(help: ArgumentHelp("Sampling rate in Hz. (default: the track's own)", valueName: "Hz"))
  var rate: Int?

  @Option(help: ArgumentHelp("Number of channels to mix to, 1 to 8. (default: the track's own)", valueName: "n"))
  var channels: Int?

  @Option(
    help: ArgumentHelp("Where to begin: seconds, 1:30 or 1:02:03.5. (default: the beginning)", valueName: "time"))
  var from: TimeSpan?

  @Option(help: ArgumentHelp("Where to end: seconds, 1:30 or 1:02:03.5. (default: the end)", valueName: "time"))
  var to: TimeSpan?

  @Flag(help: "Write samples only, little-endian, without a header.")
  var noHeader = false

  @Flag(help: "Refuse to replace an existing file.")
  var noClobber = false

  @Flag(help: "Print the result as JSON, on standard error if the sound goes to standard output.")
  var json = false

  @OptionGroup var soundOptions: SoundOptions

  @OptionGroup var messages: MessageOptions

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case s16, s24, s32, f32

    /// The one that keeps what was encoded. A lossy codec has no depth of its own: it gets 16 bits, which everything
    /// plays.
    init(_ sound: AudioReader) {
      let sampleFormat = sound.isLossless ? sound.fileFormat.sampleFormat : .int16
      self = Format.allCases.first { $0.sampleFormat == sampleFormat } ?? .s16
    }

    var sampleFormat: AudioFormat.SampleFormat {
      switch self {
      case .s16: .int16
      case .s24: .int24
      case .s32: .int32
      case .f32: .float32
      }
    }
  }

  func validate() throws {
    try SampleRate.check(rate)
    if let channels, !(1...8).contains(channels) { throw ValidationError("--channels must be 1 to 8.") }
    if let to, to.seconds <= from?.seconds ?? 0 { throw ValidationError(Failure.endsBeforeStart.description + ".") }
  }

  func run() throws {
    let file = try OutputFile(output, input: input, writing: noHeader ? .decodeSamples : .decode)
    do {
      let sound = try AudioReader.open(input, soundOptions, finishesInput: true)
      let format = format ?? Format(sound)
      let own = sound.fileFormat
      let target = AudioFormat(
        sampleRate: rate ?? own.sampleRate, sampleFormat: format.sampleFormat, layout: own.layout(channels: channels))
      try sound.setFormat(target)
      let frames = try select(sound)
      let sink = try file.sink(clobber: !noClobber)
      let writer = try WAVWriter(sink: sink, format: target, hasHeader: !noHeader)
      var decoding = Decoding(sound, file: input, frames: frames)
      // An .aac file does not say how long it is.
      let failure = from.map { _ in Failure.beyondEnd(input, seconds: nil) }
      let summary = try decoding.run(to: writer, isPiped: !sink.canPatch, ifEmpty: failure)
      if json {
        try Output.result(result(summary, target, format), isTaken: file.isStandard)
      } else {
        Messages.line(
          "\(file.name): \(format.rawValue), \(target.sampleRate) Hz, \(target.channelText), \(Text.count(summary.frames, "frame")), "
            + Text.bytes(summary.bytes))
      }
    } catch let error as AudioDecodingError {
      throw Failure(error, file: input)
    } catch let error as PCMFileError {
      throw Failure(error, file: file.name)
    }
    try Interrupt.checkFinished(file.name)
  }

  /// Moves to the beginning that is wanted.
  ///
  /// - Returns: how many frames are wanted from there on.
  private func select(_ sound: AudioReader) throws -> Int64 {
    let rate = Double(sound.format.sampleRate)
    // Times are those of the movie, whose sound may begin later than its pictures.
    let late = sound.startTime.seconds
    let start = Int64((max((from?.seconds ?? 0) - late, 0) * rate).rounded())
    if start > 0 {
      if let count = sound.frameCount, start >= count {
        throw Failure.beyondEnd(input, seconds: late + Double(count) / rate)
      }
      try sound.seek(to: start)
    }
    guard let to else { return .max }
    let end = ((to.seconds - late) * rate).rounded()
    guard end > 0 || late == 0 else { throw Failure.beforeSound(input, seconds: late) }
    return Int64(end) - start
  }

  private func result(_ summary: WAVWriter.Summary, _ target: AudioFormat, _ format: Format) -> JSONObject {
    var object = JSONObject()
    object.add("format", format.rawValue)
    object.add("sample_rate", target.sampleRate)
    object.add("channels", target.channels)
    object.add("frames", summary.frames)
    object.add("bytes", summary.bytes)
    return object
  }
}
