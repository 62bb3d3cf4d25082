internal import ArgumentParser
internal import Lyrebird

struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List what can record and play.",
    discussion: """
      Lists the devices of the sound server, PulseAudio or PipeWire: the name to ask for, what people call it, and the \
      format it works in. Sound of another format is converted by the server. The default ones are marked with *.

      Without any sound server there are virtual devices, clocked as real ones: record from tone:440 or file:IN.wav, \
      play to null or file:OUT.wav.

      EXAMPLES:
        lyrebird devices
        lyrebird devices --json
      """)

  @Flag(help: "Print a line of JSON for each device.")
  var json = false

  func run() throws {
    let devices = try AudioDevice.all()
    let output = Output()
    if json {
      for device in devices { try output.line(DevicesCommand.json(device)) }
    } else {
      try list(devices, .capture, title: "record from", none: "nothing; tone:440 and file:IN.wav always work", output)
      try list(devices, .playback, title: "play to", none: "nothing; null and file:OUT.wav always work", output)
    }
    try output.flush()
  }

  private func list(
    _ devices: [AudioDevice], _ direction: AudioDevice.Direction, title: String, none: String, _ output: Output
  ) throws {
    try output.line(Terminal.bold(title))
    let devices = devices.filter { $0.direction == direction }
    if devices.isEmpty { try output.line("    " + none) }
    for device in devices {
      try output.line("  \(device.isDefault ? "*" : " ") \(Text.printable(device.id))")
      let monitor = device.isMonitor ? ", what another device plays" : ""
      try output.line("      \(Text.printable(device.name)), \(DevicesCommand.words(device.format))\(monitor)")
    }
  }

  private static func words(_ format: AudioFormat) -> String {
    let sample = format.sampleFormat == .int16 ? "16 bit" : "float"
    return "\(Text.decimals(Double(format.sampleRate) / 1000, 3)) kHz, \(Text.channels(format.channels)), \(sample)"
  }

  private static func json(_ device: AudioDevice) -> String {
    var object = JSONObject()
    object.add("id", device.id)
    object.add("name", device.name)
    object.add("direction", device.direction == .capture ? "capture" : "playback")
    object.add("default", device.isDefault)
    object.add("monitor", device.isMonitor)
    object.add("sample_rate", UInt64(device.format.sampleRate))
    object.add("channels", UInt64(device.format.channels))
    object.add("format", device.format.sampleFormat == .int16 ? "s16" : "f32")
    return object.text
  }
}
