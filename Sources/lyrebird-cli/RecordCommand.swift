internal import ArgumentParser
internal import Lyrebird

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record from a microphone, until Ctrl-C.",
    discussion: """
      The name tells the kind of file: .m4a and .aac hold AAC, .wav holds what was captured. While it grows the file is \
      called NAME.recording.m4a and plays up to a second ago: whatever happens, that much is kept.

      EXAMPLES:
        lyrebird record voice.m4a
        lyrebird record voice.wav --duration 10        ten seconds, in the device's own format
        lyrebird record song.m4a --device tone:440     no microphone needed
        lyrebird devices                               what there is to record from
      """)

  @Argument(help: "The file to write.", completion: .file(extensions: ["m4a", "aac", "wav"]))
  var output: String

  @Option(help: "Seconds to record.")
  var duration: Double?

  @Option(help: "The device, as `devices` lists them; tone:440 or file:in.wav for a virtual one.")
  var device = "default"

  @Option(help: "Bits a second of AAC.")
  var bitrate = 96_000

  @Option(help: "Frames a second. (default: the device's own)")
  var rate: Int?

  @Option(help: "Channels. (default: the device's own)")
  var channels: Int?

  @Flag(help: "Refuse to replace an existing file.")
  var noClobber = false

  @Flag(help: "Leave it to the system when what was recorded gets to the disk: a power cut then takes more of it.")
  var noSync = false

  @Flag(help: "Print the result as JSON.")
  var json = false

  func validate() throws {
    if let duration, !(duration > 0 && duration < 1e9) {
      throw ValidationError("--duration takes seconds, such as 10 or 0.5.")
    }
    if let rate, !(1...768_000).contains(rate) { throw ValidationError("--rate takes Hz, such as 44100.") }
    if let channels, !(1...64).contains(channels) { throw ValidationError("--channels takes 1 to 64.") }
    if bitrate <= 0 { throw ValidationError("--bitrate takes bits a second, such as 96000.") }
  }

  func run() throws {
    do {
      let recorder = try Recorder(from: DeviceName(device), to: output, options: try options())
      try Blocking.run { try await recorder.start() }
      var meter = LevelMeter(sampleRate: recorder.format.sampleRate)
      while recorder.status.state == .running, Interrupt.status == nil {
        meter.show(recorder.status)
        Blocking.sleep(milliseconds: 50)
      }
      meter.clear()
      let summary = try Blocking.run { try await recorder.stop() }
      try report(summary, format: recorder.format)
    } catch let error as AACError {
      throw Failure(error, file: output)
    } catch let error as WAVError {
      throw Failure(error, file: output)
    }
    if let status = Interrupt.status { throw ExitCode(status.rawValue) }
  }

  private func options() throws -> Recorder.Options {
    var options = Recorder.Options()
    options.writer.bitrate = bitrate
    options.writer.clobber = !noClobber
    options.writer.sync = !noSync
    options.duration = duration.map { .seconds($0) }
    if rate != nil || channels != nil {
      var format = try AudioCapture(device: DeviceName(device)).format
      if let rate { format.sampleRate = rate }
      if let channels { format.layout = ChannelLayout(channels: channels) }
      options.format = format
    }
    return options
  }

  private func report(_ summary: RecordingWriter.Summary, format: AudioFormat) throws {
    let seconds = Double(summary.frames) / Double(format.sampleRate)
    guard json else {
      Messages.line("\(summary.path): \(Text.clock(seconds, fraction: true)), \(summary.frames) frames")
      if summary.gaps > 0 {
        Messages.warning(
          "\(summary.path): \(summary.gaps) times sound was lost, \(summary.silentFrames) frames in all; silence is there"
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
    object.add("gaps", summary.gaps)
    object.add("silent_frames", summary.silentFrames)
    let output = Output()
    try output.line { $0.append(contentsOf: object.closed) }
    try output.flush()
  }
}
