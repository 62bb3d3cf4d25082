internal import ArgumentParser
internal import Lyrebird

struct WaveformCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waveform",
    abstract: "Draw the waveform of sound, or write it for players on the web.",
    discussion: """
      Reads the sound of movies, streams of AAC, and PCM. The output's name decides what is written: .json and .dat are \
      the data of audiowaveform, version 2, from which peaks.js and wavesurfer.js draw; .svg and .png are pictures with \
      a transparent background. Channels are mixed unless --split-channels keeps them apart, in pictures one above the \
      other.

      EXAMPLES:
        lyrebird waveform song.m4a song.json            for peaks.js
        lyrebird waveform song.m4a song.dat --bits 8    a twelfth of the size
        lyrebird waveform talk.mp4 talk.json --pixels-per-second 20
        lyrebird waveform song.wav song.svg             in the page's text colour
        lyrebird waveform song.wav song.png --width 1800 --color '#e4572e'
        arecord -f cd -d 10 | lyrebird waveform - - --format svg > voice.svg
      """)

  @Argument(help: "The file to read; - for standard input.", completion: .file())
  var input: String

  @Argument(
    help: "The file to write; - for standard output, with --format.",
    completion: .file(extensions: ["json", "dat", "png", "svg"]))
  var output: String

  @Option(help: "What to write. (default: what the output's name says)")
  var format: Format?

  @Option(
    help: ArgumentHelp(
      "Audio frames per pixel, 1 or more. (default: 256; for pictures, what fits the width)", valueName: "n"))
  var samplesPerPixel: Int?

  @Option(help: ArgumentHelp("Pixels per second, 1 or more, instead of --samples-per-pixel.", valueName: "n"))
  var pixelsPerSecond: Int?

  @Option(help: ArgumentHelp("Bits of each value of data: 8 or 16. (default: 16)", valueName: "8|16"))
  var bits: Int?

  @Flag(help: "Keep the channels apart.")
  var splitChannels = false

  @Option(
    help: ArgumentHelp(
      "Width of a picture in pixels, 1 to \(WaveformPicture.sides.upperBound). (default: 1000)", valueName: "pixels"))
  var width: Int?

  @Option(
    help: ArgumentHelp(
      "Height of a picture in pixels, 1 to \(WaveformPicture.sides.upperBound). (default: 160)", valueName: "pixels"))
  var height: Int?

  @Option(help: "Colour of the wave: #rgb, #rrggbb or #rrggbbaa. (default: blue; in SVG that of the surrounding text)")
  var color: String?

  @Option(help: "Colour behind it. (default: none)")
  var background: String?

  @Flag(help: "Refuse to replace an existing file.")
  var noClobber = false

  @Flag(help: "Print the result as JSON, on standard error if the waveform goes to standard output.")
  var json = false

  @OptionGroup var soundOptions: SoundOptions

  @OptionGroup var messages: MessageOptions

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case json, dat, png, svg

    var isPicture: Bool { self == .png || self == .svg }
  }

  func validate() throws {
    if samplesPerPixel != nil, pixelsPerSecond != nil {
      throw ValidationError("--samples-per-pixel and --pixels-per-second cannot be combined.")
    }
    if let samplesPerPixel, !(1...Int(Int32.max)).contains(samplesPerPixel) {
      throw ValidationError("--samples-per-pixel must be 1 or more.")
    }
    if let pixelsPerSecond, pixelsPerSecond < 1 { throw ValidationError("--pixels-per-second must be 1 or more.") }
    if let bits, bits != 8, bits != 16 { throw ValidationError("--bits must be 8 or 16.") }
    for (name, side) in [("width", width), ("height", height)] {
      if let side, !WaveformPicture.sides.contains(side) {
        throw ValidationError("--\(name) must be 1 to \(WaveformPicture.sides.upperBound).")
      }
    }
    for (name, text) in [("color", color), ("background", background)] {
      if let text, WaveformPicture.Color(text) == nil {
        throw ValidationError("--\(name) must be a colour such as '#3a86c8', in quotes.")
      }
    }
  }

  func run() throws {
    let target = try OutputFile(output, input: input, writing: format == nil ? .waveform : .namedWaveform)
    guard let kind = format ?? Format(rawValue: OutputKinds.ending(of: output)) else {
      throw Failure(status: .usage, "\(target.name): add --format json, dat, png or svg to say what to write")
    }
    try check(kind)
    do {
      let sound = try AudioReader.open(input, soundOptions, finishesInput: true)
      let sink = try target.sink(clobber: !noClobber)
      let builder = WaveformBuilder(
        sampleRate: sound.format.sampleRate, channels: sound.format.channels,
        samplesPerPixel: try samplesPerPixel(of: sound, kind), splitChannels: splitChannels,
        expectedFrames: sound.frameCount)
      let waveform = try Drawing.run(sound, builder, file: input)
      try waveform.write(written(as: kind), to: sink)
      try sink.finish()
      try report(waveform, kind, to: target)
    } catch let error as AudioDecodingError {
      throw Failure(error, file: input)
    }
    try Interrupt.checkFinished(target.name)
  }

  /// - Throws: `Failure` for an option that would do nothing.
  private func check(_ kind: Format) throws(Failure) {
    if kind.isPicture {
      if bits != nil { throw Failure(status: .usage, "--bits is for data: .json and .dat") }
    } else if width != nil || height != nil || color != nil || background != nil {
      throw Failure(status: .usage, "--width, --height, --color and --background are for pictures: .svg and .png")
    }
  }

  private var pictureWidth: Int { width ?? 1000 }
  private var pictureHeight: Int { height ?? 160 }

  /// A picture of little sound is drawn from as many pixels as it has columns, and some more.
  private func samplesPerPixel(of sound: AudioReader, _ kind: Format) throws(Failure) -> Int {
    if let samplesPerPixel { return samplesPerPixel }
    if let pixelsPerSecond {
      let rate = sound.format.sampleRate
      guard pixelsPerSecond <= rate else {
        throw Failure(status: .usage, "\(input): has only \(rate) samples a second; lower --pixels-per-second")
      }
      return rate / pixelsPerSecond
    }
    let usual = 256
    guard kind.isPicture, let frames = sound.frameCount else { return usual }
    return Int(min(max(frames / Int64(4 * pictureWidth), 1), Int64(usual)))
  }

  private func written(as kind: Format) -> WaveformFormat {
    let depth: WaveformFormat.Depth = bits == 8 ? .eight : .sixteen
    let picture = WaveformPicture(
      width: pictureWidth, height: pictureHeight, color: color.flatMap { .init($0) },
      background: background.flatMap { .init($0) })
    return switch kind {
    case .json: .json(depth)
    case .dat: .binary(depth)
    case .png: .png(picture)
    case .svg: .svg(picture)
    }
  }

  private func report(_ waveform: Waveform, _ kind: Format, to target: OutputFile) throws {
    if json {
      var object = JSONObject()
      object.add("format", kind.rawValue)
      object.add("sample_rate", waveform.sampleRate)
      object.add("channels", waveform.channels)
      object.add("samples_per_pixel", waveform.samplesPerPixel)
      object.add("length", waveform.length)
      return try Output.result(object, isTaken: target.isStandard)
    }
    let channels = splitChannels ? " of each of \(waveform.channels) channels" : ""
    Messages.line(
      "\(target.name): "
        + (kind.isPicture
          ? "\(pictureWidth) × \(pictureHeight) pixels"
          : "\(waveform.length) pixels\(channels), \(Text.count(waveform.samplesPerPixel, "frame")) each"))
  }
}
