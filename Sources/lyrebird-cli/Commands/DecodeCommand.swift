internal import ArgumentParser
internal import Lyrebird

struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Decode AAC, Apple Lossless or PCM to a WAVE file, without the encoder's padding.",
    discussion: """
      Reads a sound track of a movie, or an .aac stream. Priming and padding added by the encoder are trimmed, if the \
      file says how long they are. Broken packets are concealed and reported. Apple Lossless and PCM come out bit for \
      bit.

      EXAMPLES:
        lyrebird decode song.m4a song.wav
        lyrebird decode song.m4a song.wav --format f32   floats, never clipped
        lyrebird decode movie.mov --format s16 sound.wav
        lyrebird decode song.m4a - | aplay
        lyrebird encode in.wav - | lyrebird decode - out.wav
      """)

  @Argument(help: "The movie or .aac file to read; - for standard input.", completion: .file())
  var input: String

  @Argument(help: "The file to write; - for standard output.", completion: .file(extensions: ["wav"]))
  var output: String

  @Option(help: "Sample format: integers of 16, 24 or 32 bits, or floats. (default: the track's own; s16 for AAC)")
  var format: Format?

  @Option(help: "Number of the track. (default: the first audio track)")
  var track: UInt32?

  @Flag(help: "Decode only the AAC-LC core of HE-AAC: no upper frequencies, and mono with PS.")
  var coreOnly = false

  @Flag(help: "Refuse to replace an existing file.")
  var noClobber = false

  @Flag(help: "Print the result as JSON, on standard error if the sound goes to standard output.")
  var json = false

  @OptionGroup var messages: MessageOptions

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case s16, s24, s32, f32

    /// The one that keeps what was encoded. A lossy codec has no depth of its own: then what everything plays.
    init(_ decoder: AudioTrackDecoder) {
      let sampleFormat = decoder.isLossless ? decoder.format.sampleFormat : .int16
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

  func run() throws {
    let file = try OutputFile(output, input: input, writing: .decode)
    do {
      let media = try MediaInput(path: input)
      if case .adts(let stream) = media, stream.source.isStream { Interrupt.endInputOnly() }
      let decoder = try media.decoder(track: track, coreOnly: coreOnly, file: input)
      let format = format ?? Format(decoder)
      var target = decoder.format
      target.sampleFormat = format.sampleFormat
      let sink = try file.sink(clobber: !noClobber)
      let summary = try Decoding(decoder, file: input).run(
        to: try WAVWriter(sink: sink, format: target), isPiped: !sink.canPatch)
      if json {
        try Output.result(result(summary, target, format), isTaken: file.isStandard)
      } else {
        let channels = target.channels == 1 ? "1 channel" : "\(target.channels) channels"
        Messages.line(
          "\(file.name): \(format.rawValue), \(target.sampleRate) Hz, \(channels), \(summary.frames) frames, "
            + Text.bytes(summary.bytes))
      }
    } catch let error as AudioDecodingError {
      throw Failure(error, file: input)
    } catch let error as WAVError {
      throw Failure(error, file: file.name)
    }
    try Interrupt.checkFinished(file.name)
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
