internal import ArgumentParser
internal import Lyrebird

struct EncodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encode",
    abstract: "Encode sound as AAC or Apple Lossless.",
    discussion: """
      Reads PCM (WAVE, AIFF, CAF, raw), the sound of movies, and streams of AAC, with one to eight channels, at any \
      sampling rate: AAC takes the next higher rate that it has, up to 96 kHz. Below 40 kb/s for stereo and 24 for mono, \
      at 32 kHz and above, the output is HE-AAC, which describes high frequencies instead of coding them. For Apple \
      Lossless, floats are rounded to 24 bits. Tags and chapters are kept in movies.

      The output's name decides its format: MP4 for .m4a, .m4b, .mp4 and .mov, which plays without gaps; an ADTS stream \
      for .aac and .adts, and for standard output, pipes and devices. Input from a pipe is encoded as it arrives; \
      Ctrl-C ends it and finishes the output. In a file, short AAC, up to some ten seconds of stereo, is planned as a \
      whole once the sound ends, so it has less noise than in a pipe, where each packet is written at once.

      EXAMPLES:
        lyrebird encode in.wav out.m4a                     96 kb/s if it is stereo
        lyrebird encode in.wav out.aac --bitrate 160k
        lyrebird encode in.wav out.m4a --bitrate 32k       HE-AAC, as the rate is low
        lyrebird encode in.wav out.m4a --bitrate 64k --average
        lyrebird encode in.wav out.m4a --bitrate 64k --speed slow
        lyrebird encode in.wav out.m4a --quality 4         constant quality
        lyrebird encode in.wav out.m4a --codec alac        every bit kept
        lyrebird encode in.wav out.m4a --loudness -16      for streaming services
        lyrebird encode film.mov talk.m4a --rate 24000 --channels 1
        arecord -f cd | lyrebird encode - voice.m4a        until Ctrl-C
        arecord -f cd | lyrebird encode - - --low-delay | nc host 5000
        lyrebird encode dump.raw dump.m4a --raw s16le:44100:2
      """)

  @Argument(help: "The file to read; - for standard input.", completion: .file())
  var input: String

  @Argument(help: "The file to write; - for standard output.", completion: .file(extensions: ["m4a", "aac"]))
  var output: String

  @Option(
    help: """
      The codec: aac-lc; he-aac, for low rates; he-aac-v2, for stereo at the lowest; aac, whichever of them suits the \
      rate; or alac, which is lossless.
      """)
  var codec = Codec.aac

  @Option(
    help: ArgumentHelp(
      """
      Bit rate in bits per second: 96k or 96000. (default: what suits the sound: 96k for stereo, 64k for mono, 320k for \
      5.1, 448k for 7.1; less below 44.1 kHz)
      """, valueName: "bits/s"))
  var bitrate: BitRate?

  @Flag(
    help: """
      Meet the bit rate on average over the file: difficult passages take more bits, simple ones fewer. Not for streams that \
      are sent at a constant rate.
      """)
  var average = false

  @Option(
    help: ArgumentHelp("Constant quality instead of a bit rate: 1 (smallest file) to 5 (best).", valueName: "1…5"))
  var quality: Int?

  @Option(
    help: ArgumentHelp(
      "Bits per sample of Apple Lossless: 16, 20, 24 or 32. (default: the input's own; 24 for floats)",
      valueName: "bits"))
  var depth: Int?

  @Option(help: ArgumentHelp("Sampling rate in Hz. (default: the input's own, if the codec has it)", valueName: "Hz"))
  var rate: Int?

  @Option(help: ArgumentHelp("Number of channels to mix to, 1 to 8. (default: the input's own)", valueName: "n"))
  var channels: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Make it this loud, -70 to -5 LUFS, such as -16; peaks are kept below --true-peak. Needs room for a temporary file.
      """, valueName: "LUFS"))
  var loudness: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The highest true peak with --loudness, -20 to 0 dBTP. (default: -1)", valueName: "dBTP"))
  var truePeak: Double?

  @Option(
    help: "How fast AAC is encoded; slow sounds better at the same bit rate.")
  var speed = Speed.normal

  @Flag(
    help: """
      Look no further ahead than AAC-LC must, for live streams: 23 ms less delay at 44.1 kHz, but worse at sudden onsets, \
      and never HE-AAC.
      """)
  var lowDelay = false

  @Option(
    help: ArgumentHelp(
      """
      How many threads encode AAC at once; the bytes are the same. (default: as many as there are processors; one into \
      a pipe and with --low-delay, so that each packet is written at once)
      """, valueName: "n"))
  var threads: Int?

  @Option(
    help: "Where the index goes: to the front, to the end, or into fragments, for streaming. (default: fast-start)")
  var layout: MovieOptions.Layout?

  @Flag(help: "Refuse to replace an existing file.")
  var noClobber = false

  @Flag(help: "Print the result as JSON, on standard error if the sound goes to standard output.")
  var json = false

  @OptionGroup var soundOptions: SoundOptions

  @OptionGroup var messages: MessageOptions

  enum Codec: String, ExpressibleByArgument, CaseIterable {
    case aac
    case lowComplexity = "aac-lc"
    case highEfficiency = "he-aac"
    case highEfficiencyV2 = "he-aac-v2"
    case alac
  }

  enum Speed: String, ExpressibleByArgument, CaseIterable {
    case fast, normal, slow
  }

  func validate() throws {
    guard codec != .alac || bitrate == nil && quality == nil && !average && speed == .normal && !lowDelay else {
      throw ValidationError(
        "--bitrate, --average, --quality, --speed and --low-delay are for AAC; Apple Lossless keeps every bit.")
    }
    guard codec != .alac || AudioFileType(path: output) == .m4a else {
      throw ValidationError("Apple Lossless goes into a movie: give the output a name that ends in .m4a.")
    }
    guard depth == nil || codec == .alac else {
      throw ValidationError("--depth is for Apple Lossless: AAC has no depth of its own. Add --codec alac.")
    }
    if let depth, ![16, 20, 24, 32].contains(depth) { throw ValidationError("--depth must be 16, 20, 24 or 32.") }
    if codec == .highEfficiency || codec == .highEfficiencyV2 {
      if quality != nil { throw ValidationError("--quality is for AAC-LC; give a --bitrate.") }
      if lowDelay { throw ValidationError("--low-delay is for AAC-LC: HE-AAC takes longer in any case.") }
    }
    if bitrate != nil || average, quality != nil {
      throw ValidationError(
        "--quality cannot be combined with --bitrate or --average: the rate follows the sound.")
    }
    try bitrate?.check()
    if let quality, !(1...5).contains(quality) { throw ValidationError("--quality must be 1 to 5.") }
    try SampleRate.check(rate)
    if let channels, !(1...8).contains(channels) { throw ValidationError("--channels must be 1 to 8.") }
    if let threads, threads < 1 { throw ValidationError("--threads must be 1 or more.") }
    if let loudness, !LoudnessTarget.range.contains(loudness) {
      throw ValidationError("--loudness must be -70 to -5 LUFS, such as -16.")
    }
    if let truePeak {
      if loudness == nil { throw ValidationError("--true-peak needs --loudness.") }
      if !(-20...0).contains(truePeak) { throw ValidationError("--true-peak must be -20 to 0 dBTP, such as -1.") }
    }
    if layout != nil, AudioFileType(path: output) != .m4a {
      throw ValidationError("--layout is for movies: give the output a name that ends in .m4a.")
    }
  }

  func run() throws {
    let target = try OutputFile(output, input: input, writing: .encode)
    do {
      let sound = try AudioReader.open(input, soundOptions, finishesInput: true)
      try mix(sound)
      let writer = try writer(for: sound, target)
      let summary = try Encoding.run(sound, to: writer, file: input)
      try report(summary, writer, to: target)
    } catch let error as AudioDecodingError {
      throw Failure(error, file: input)
    } catch let error as AudioWritingError {
      throw Failure(error, file: input)
    }
    try Interrupt.checkFinished(target.name)
  }

  /// Has the sound delivered at the rate and in the channels that were asked for.
  private func mix(_ sound: AudioReader) throws(AudioDecodingError) {
    var format = sound.format
    format.layout = format.layout(channels: channels)
    if let rate { format.sampleRate = rate }
    try sound.setFormat(format)
  }

  private func writer(for sound: AudioReader, _ target: OutputFile) throws -> AudioWriter {
    var options = AudioWriter.Options()
    options.codec = codec.writerCodec
    (options.bitRate, options.quality, options.bitDepth) = (bitrate?.bitsPerSecond, quality, depth)
    (options.averagesBitRate, options.speed, options.threads) = (average, speed.encoderSpeed, threads)
    options.lowDelay = lowDelay
    options.loudness = loudness.map { LoudnessTarget(integrated: $0, truePeak: truePeak ?? -1) }
    options.layout = (layout ?? .fastStart).muxerLayout
    (options.metadata, options.chapters) = (sound.metadata, try sound.chapters())
    let type: AudioFileType = AudioFileType(path: output) ?? .aac
    if type == .aac { warnOfLostText(options) }
    let writer = try AudioWriter(
      to: try target.sink(clobber: !noClobber), type: type, name: output, format: sound.format, options: options)
    let (from, to) = (sound.format.sampleRate, writer.fileFormat.sampleRate)
    if from != to { Messages.warning("\(input): AAC has no rate of \(from) Hz; converted to \(to) Hz") }
    let layout = sound.format.layout
    if layout.mask != 0, layout != writer.fileLayout {
      Messages.warning(
        "\(input): players will send its channels to other loudspeakers, because Apple Lossless has only one layout of "
          + Text.count(layout.channels, "channel"))
    }
    return writer
  }

  /// Says what a stream has no place for. What another encoder noted about itself is not missed.
  private func warnOfLostText(_ options: AudioWriter.Options) {
    let tags = options.metadata.tags.contains { $0.name != "encoder" && !$0.isGaplessText }
    let lost = [
      tags ? "tags" : nil, options.metadata.artwork.isEmpty ? nil : "covers",
      options.chapters.isEmpty ? nil : "chapters",
    ].compactMap { $0 }
    if !lost.isEmpty {
      Messages.warning(
        "\(input): its \(Text.list(lost, " and ")) are left out, as an AAC stream has no place for them; use .m4a")
    }
  }

  private func report(_ summary: AudioWriter.Summary, _ writer: AudioWriter, to target: OutputFile) throws {
    if summary.alteredSamples > 0 {
      let count = Text.count(summary.alteredSamples, "sample")
      Messages.warning("\(input): \(count) clipped (far beyond full scale) or silenced (not a number)")
    }
    if json {
      var object = JSONObject()
      object.add("frames", summary.frames)
      object.add("packets", summary.packets)
      object.add("bytes", summary.bytes)
      object.add("priming", UInt64(summary.priming))
      object.add("remainder", UInt64(summary.remainder))
      object.add("sample_rate", writer.fileFormat.sampleRate)
      object.add("altered_samples", summary.alteredSamples)
      if let change = summary.loudness { object.add("loudness", EncodeCommand.object(change)) }
      return try Output.result(object, isTaken: target.isStandard)
    }
    let seconds = Double(summary.frames) / Double(writer.fileFormat.sampleRate)
    var parts = [writer.codecName, Text.clock(seconds), Text.bytes(summary.bytes)]
    if let change = summary.loudness { parts.append(EncodeCommand.text(change)) }
    Messages.line("\(target.name): \(Text.list(parts))")
  }

  private static func text(_ change: LoudnessChange) -> String {
    func number(_ value: Double) -> String { Text.decimals(value, 1, isPadded: true) }
    guard let before = change.before, let after = change.after else { return "too short or too quiet to change" }
    return "\(number(before)) → \(number(after)) LUFS" + (change.isLimited ? ", peaks limited" : "")
  }

  private static func object(_ change: LoudnessChange) -> JSONObject {
    var object = JSONObject()
    for (name, value) in [("before", change.before), ("after", change.after)] {
      if let value { object.add(name, value) } else { object.addNull(name) }
    }
    object.add("gain", change.gain)
    object.add("limited", change.isLimited)
    return object
  }
}

extension EncodeCommand.Codec {
  /// The same, for a writer.
  var writerCodec: AudioWriter.Codec {
    switch self {
    case .aac: .aac
    case .lowComplexity: .lowComplexityAAC
    case .highEfficiency: .highEfficiencyAAC
    case .highEfficiencyV2: .highEfficiencyAACv2
    case .alac: .appleLossless
    }
  }
}

extension EncodeCommand.Speed {
  /// The same, for an encoder.
  var encoderSpeed: AACEncoder.Speed {
    switch self {
    case .fast: .fast
    case .normal: .normal
    case .slow: .slow
    }
  }
}

extension MovieOptions.Layout {
  /// The same, for a muxer.
  var muxerLayout: MuxerOptions.Layout {
    switch self {
    case .fastStart: .fastStart
    case .moovLast: .moovLast
    case .fragmented: .fragmented(seconds: Remuxer.Options.defaultFragmentDuration)
    }
  }
}
