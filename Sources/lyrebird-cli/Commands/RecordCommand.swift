internal import ArgumentParser
internal import Lyrebird

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record from a microphone until Ctrl-C.",
    discussion: """
      The name decides the format: AAC for .m4a and .aac, PCM as captured for .wav. While recording, the file is called \
      NAME.recording.m4a (or .aac, .wav) and can already be played: all but the last second survives a crash.

      Ctrl-C is the usual way to end a recording: the file is finished, and the exit status is 0. SIGTERM and SIGHUP \
      finish the file, too; the status is then 143 or 129.

      In a terminal, a level meter shows each channel from -60 dB to full scale; CLIP stays on once a sample has reached \
      full scale.

      KEYS, in a terminal:
        space   pause or resume
        q       stop, like Ctrl-C

      EXAMPLES:
        lyrebird record voice.m4a
        lyrebird record voice.wav --duration 1:30      90 seconds, as captured
        lyrebird record song.m4a --bitrate 128k
        lyrebird record song.m4a --device tone:440     no microphone needed
        lyrebird record copy.m4a --device file:in.wav
        lyrebird record talk.m4a && upload talk.m4a    Ctrl-C ends only the recording
        lyrebird devices                               list the devices
      """)

  @Argument(help: "The file to write.", completion: .file(extensions: ["m4a", "aac", "wav"]))
  var output: String

  @Option(
    help: ArgumentHelp("How long to record: seconds, 1:30 or 1:02:03.5. (default: until Ctrl-C)", valueName: "time"))
  var duration: TimeSpan?

  @Option(help: "A device listed by `lyrebird devices`, or a virtual one: tone:440, file:in.wav.")
  var device = "default"

  @Option(
    help: ArgumentHelp(
      "Bit rate of AAC in bits per second: 96k or 96000. (default: 96k for stereo, 64k for mono)", valueName: "bits/s"))
  var bitrate: BitRate?

  @Option(help: ArgumentHelp("Sampling rate in Hz, 1000 to 768000. (default: the device's own)", valueName: "Hz"))
  var rate: Int?

  @Option(
    help: ArgumentHelp(
      "Number of channels, 1 to 64. (default: the device's own, or stereo where AAC lacks its layout)", valueName: "n"))
  var channels: Int?

  @Flag(help: "Refuse to replace an existing file.")
  var noClobber = false

  @Flag(help: "Do not sync to the disk while recording: a power cut may then lose more than a second or two.")
  var noSync = false

  @Flag(help: "Print the result as JSON.")
  var json = false

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    try bitrate?.check()
    if bitrate != nil, OutputKinds.ending(of: output) == "wav" {
      throw ValidationError("--bitrate is for AAC: a .wav file has as many bits as its samples.")
    }
    if let duration, duration.seconds <= 0 { throw ValidationError("--duration must be more than 0 seconds.") }
    try SampleRate.check(rate)
    if device.hasPrefix("tone:"), !DeviceName(device).isVirtual {
      throw ValidationError("--device tone: needs a frequency in Hz, such as tone:440.")
    }
    if let channels, !(1...64).contains(channels) { throw ValidationError("--channels must be 1 to 64.") }
  }

  func run() throws {
    Interrupt.endInputOnly()
    if let source = DeviceName(device).file { try OutputFile.check(output, isNot: source) }
    do {
      let recorder = try Recorder(from: DeviceName(device), to: output, options: try options())
      try Blocking.run { try await recorder.start() }
      var meter = LevelMeter(recorder, name: output)
      meter.run()
      do {
        let summary = try Blocking.run { try await recorder.stop() }
        try report(summary, recorder)
      } catch let error as AudioIOError where [.deviceLost, .serverLost].contains(error.code) {
        throw Failure(error, file: output, whatIsLeft: whatIsLeft(of: recorder))
      }
    } catch let error as RecordingError where error.code == .nothingRecorded(because: nil) && Interrupt.status != nil {
      throw Failure(
        status: Interrupt.status ?? .interrupted, "stopped before there was any sound; nothing was recorded")
    } catch let error as AACError {
      throw Failure(error, file: output)
    } catch let error as PCMFileError {
      throw Failure(error, file: output)
    }
    // Ctrl-C is how people end a recording, so it is no failure.
    if let status = Interrupt.status, status != .interrupted { throw ExitCode(status.rawValue) }
  }

  /// What is left when the device is gone.
  private func whatIsLeft(of recorder: Recorder) -> String {
    let summary = recorder.status.summary
    guard summary.frames > 0 else { return "nothing was recorded" }
    let seconds = Double(summary.frames) / Double(recorder.format.sampleRate)
    return "\(summary.path) holds what was recorded until then, \(Text.clock(seconds, fraction: true))"
  }

  private func options() throws -> Recorder.Options {
    var options = Recorder.Options()
    options.writer.bitRate = bitrate?.bitsPerSecond
    options.writer.clobber = !noClobber
    options.writer.sync = !noSync
    options.duration = duration.map { .seconds($0.seconds) }
    if rate != nil || channels != nil {
      var format = try AudioCapture(device: DeviceName(device)).format
      if let rate { format.sampleRate = rate }
      if let channels { format.layout = ChannelLayout(channels: channels) }
      options.format = format
    }
    return options
  }

  private func report(_ summary: RecordingWriter.Summary, _ recorder: Recorder) throws {
    let (format, hasClipped) = (recorder.format, recorder.status.hasClipped)
    let seconds = Double(summary.frames) / Double(format.sampleRate)
    guard json else {
      Messages.line("\(summary.path): \(Text.clock(seconds, fraction: true)), \(summary.frames) frames")
      if hasClipped {
        Messages.warning("\(summary.path): the sound reached full scale, and is clipped there; turn the input down")
      }
      if summary.gaps > 0 {
        Messages.warning(
          "\(summary.path): \(Text.count(summary.gaps, "gap")), \(Text.count(summary.silentFrames, "frame")) in all: lost sound "
            + "was replaced with silence"
        )
      }
      return
    }
    var object = JSONObject()
    object.add("file", summary.path)
    object.add("frames", summary.frames)
    object.add("seconds", seconds)
    object.add("sample_rate", format.sampleRate)
    object.add("channels", format.channels)
    object.add("clipped", hasClipped)
    object.add("gaps", summary.gaps)
    object.add("silent_frames", summary.silentFrames)
    try Output.result(object)
  }
}
