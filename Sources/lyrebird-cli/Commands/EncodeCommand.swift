internal import ArgumentParser
internal import Lyrebird

struct EncodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encode",
    abstract: "Encode a WAVE file as AAC-LC, or as Apple Lossless.",
    discussion: """
      Reads 8- to 32-bit or floating-point PCM with one to six channels, at one of the twelve AAC sampling rates from \
      8 to 96 kHz; for Apple Lossless integers with one to eight channels, at any rate.

      The output's name decides its format: MP4 for .m4a, .m4b, .mp4 and .mov, which plays without gaps; an ADTS stream \
      for .aac and .adts, and for standard output, pipes and devices. Input from a pipe is encoded as it arrives; \
      Ctrl-C ends it and finishes the output.

      EXAMPLES:
        lyrebird encode in.wav out.m4a                     96 kb/s
        lyrebird encode in.wav out.aac --bitrate 160k
        lyrebird encode in.wav out.m4a --quality 4         constant quality
        lyrebird encode in.wav out.m4a --codec alac        every bit kept
        arecord -f cd | lyrebird encode - voice.m4a        until Ctrl-C
      """)

  @Argument(help: "The WAVE file to read; - for standard input.", completion: .file(extensions: ["wav"]))
  var input: String

  @Argument(help: "The file to write; - for standard output.", completion: .file(extensions: ["m4a", "aac"]))
  var output: String

  @Option(help: "The codec: aac, or alac, which is lossless.")
  var codec = Codec.aac

  @Option(help: "Bit rate in bits per second: 96k or 96000. (default: 96k)")
  var bitrate: BitRate?

  @Option(help: "Constant quality from 1 to 5, instead of a bit rate.")
  var quality: Int?

  @Option(help: "Where the index of an MP4 goes.")
  var layout = RemuxCommand.Layout.fastStart

  @Flag(help: "Refuse to replace an existing file.")
  var noClobber = false

  @Flag(help: "Print the result as JSON, on standard error if the stream goes to standard output.")
  var json = false

  @OptionGroup var messages: MessageOptions

  enum Codec: String, ExpressibleByArgument, CaseIterable {
    case aac, alac
  }

  func validate() throws {
    guard codec == .aac || bitrate == nil && quality == nil else {
      throw ValidationError("--bitrate and --quality are for AAC; Apple Lossless keeps every bit.")
    }
    guard codec == .aac || OutputKinds.isMovieOfSound(output) else {
      throw ValidationError("Apple Lossless goes into a movie: give the output a name that ends in .m4a.")
    }
    if bitrate != nil, quality != nil { throw ValidationError("--bitrate and --quality exclude each other.") }
    if let quality, !(1...5).contains(quality) { throw ValidationError("--quality takes 1 to 5.") }
  }

  func run() throws {
    let target = try OutputFile(output, input: input, writing: .encode)
    var wav = try openInput()
    let summary: Encoding.Summary
    do {
      summary = try encode(&wav, to: target)
    } catch let error as AACError {
      throw Failure(error, file: input)
    } catch let error as AudioCodecError {
      throw Failure(error, file: input)
    } catch let error as PCMFileError {
      throw Failure(error, file: input)
    }
    wav.reportMissing(file: input)
    try report(summary, to: target, rate: wav.format.sampleRate)
    try Interrupt.checkFinished(target.name)
  }

  private func encode(_ wav: inout PCMFileReader, to target: OutputFile) throws -> Encoding.Summary {
    guard codec == .alac else { return try encoding(of: wav.format, to: target).run(&wav) }
    return try LosslessEncoding(wav, to: target, clobber: !noClobber, path: output, layout: layout.muxerLayout).run(
      &wav)
  }

  private func encoding(of format: AudioFormat, to target: OutputFile) throws -> Encoding {
    let encoder =
      if let quality {
        try AACEncoder(format: format, quality: quality)
      } else {
        try AACEncoder(format: format, bitRate: (bitrate ?? .standard).bitsPerSecond)
      }
    let sink = try target.sink(clobber: !noClobber)
    guard OutputKinds.isMovieOfSound(output) else { return try Encoding(encoder: encoder, stream: sink) }
    return try Encoding(
      encoder: encoder, movie: sink, path: output, layout: layout.muxerLayout,
      bitRate: quality == nil ? (bitrate ?? .standard).bitsPerSecond : 0)
  }

  private func openInput() throws -> PCMFileReader {
    do {
      let reader = try InputFile.reader(input)
      if reader.isStream { Interrupt.endInputOnly() }
      return try PCMFileReader(reader)
    } catch let error as PCMFileError {
      throw Failure(error, file: input)
    }
  }

  private func report(_ summary: Encoding.Summary, to target: OutputFile, rate: Int) throws {
    if json {
      var object = JSONObject()
      object.add("frames", summary.frames)
      object.add("packets", summary.packets)
      object.add("bytes", summary.bytes)
      object.add("priming", UInt64(summary.priming))
      object.add("remainder", UInt64(summary.remainder))
      try Output.result(object, isTaken: target.isStandard)
    } else {
      let seconds = Double(summary.frames) / Double(rate)
      Messages.line(
        "\(target.name): \(codec == .aac ? "AAC-LC" : "Apple Lossless"), \(Text.clock(seconds)), \(Text.bytes(summary.bytes))"
      )
    }
  }
}

extension RemuxCommand.Layout {
  /// The same, for a muxer; fragments last two seconds.
  var muxerLayout: MuxerOptions.Layout {
    switch self {
    case .fastStart: .fastStart
    case .moovLast: .moovLast
    case .fragmented: .fragmented(seconds: 2)
    }
  }
}
