internal import ArgumentParser
internal import Lyrebird

struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the devices that can record and play.",
    discussion: """
      Lists the devices of the sound server, PulseAudio or PipeWire: the name for --device, a description, and the native \
      format. The server converts other formats. Default devices are marked with *.

      Virtual devices need no sound server, but run in real time, too: record from tone:440 (a sine tone of 440 Hz) or \
      file:IN.wav; play to null or file:OUT.wav.

      EXAMPLES:
        lyrebird devices
        lyrebird devices --json
        lyrebird devices --json | jq -r 'select(.direction == "capture") | .id'
      """)

  @Flag(help: "Print one JSON object per device.")
  var json = false

  @OptionGroup var messages: MessageOptions

  func run() throws {
    let devices = try serverDevices()
    let output = Output()
    if json {
      for device in devices { try output.line(DevicesCommand.json(device, isVirtual: false)) }
      for device in DevicesCommand.virtual { try output.line(DevicesCommand.json(device, isVirtual: true)) }
    } else {
      try list(devices, .capture, title: "record from", output)
      try list(devices, .playback, title: "play to", output)
    }
    try output.flush()
  }

  /// The devices of the sound server; none, and a message, if there is no server: virtual ones remain.
  private func serverDevices() throws(AudioIOError) -> [AudioDevice] {
    do {
      return try AudioDevice.all()
    } catch {
      switch error.code {
      case .noLibrary, .noServer: Messages.line("lyrebird: \(error)")
      default: throw error
      }
      return []
    }
  }

  /// Devices that are always there. Those that are files are unlimited, and described elsewhere.
  private static let virtual = [
    AudioDevice(
      id: "tone:440", name: "a sine of 440 Hz, or of N with tone:N", direction: .capture,
      format: AudioFormat(sampleRate: 44_100, sampleFormat: .int16, layout: .stereo)),
    AudioDevice(
      id: "null", name: "plays nothing", direction: .playback,
      format: AudioFormat(sampleRate: 44_100, sampleFormat: .int16, layout: .stereo)),
  ]

  private func list(
    _ devices: [AudioDevice], _ direction: AudioDevice.Direction, title: String, _ output: Output
  ) throws {
    try output.line(Terminal.bold(title))
    for device in devices where device.direction == direction {
      try output.line("  \(device.isDefault ? "*" : " ") \(Text.printable(device.id, onOneLine: true))")
      let monitor = device.isMonitor ? ", what another device plays" : ""
      let name = Text.printable(device.name, onOneLine: true)
      try output.line("      \(name), \(DevicesCommand.words(device.format))\(monitor)")
    }
    for device in DevicesCommand.virtual where device.direction == direction {
      try output.line("    \(device.id)\n      virtual: \(device.name)")
    }
    let file =
      direction == .capture ? "file:IN.wav\n      virtual: a WAVE file" : "file:OUT.wav\n      virtual: a new WAVE file"
    try output.line("    " + file)
  }

  private static func words(_ format: AudioFormat) -> String {
    let sample = format.sampleFormat == .int16 ? "16 bit" : "float"
    return "\(Text.decimals(Double(format.sampleRate) / 1000, 3)) kHz, \(Text.channels(format.channels)), \(sample)"
  }

  private static func json(_ device: AudioDevice, isVirtual: Bool) -> String {
    var object = JSONObject()
    object.add("id", device.id)
    object.add("name", device.name)
    object.add("direction", device.direction == .capture ? "capture" : "playback")
    object.add("default", device.isDefault)
    object.add("monitor", device.isMonitor)
    object.add("virtual", isVirtual)
    object.add("sample_rate", UInt64(device.format.sampleRate))
    object.add("channels", UInt64(device.format.channels))
    object.add("format", device.format.sampleFormat == .int16 ? "s16" : "f32")
    return object.text
  }
}
