internal import ArgumentParser
internal import Lyrebird

struct PlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play the sound of a movie, an AAC stream or a PCM file.",
    discussion: """
      KEYS, in a terminal:
        space          pause or resume
        left, right    skip 5 seconds back or forward
        up, down       louder or quieter; so do 0 and 9
        q              quit with exit status 0; Ctrl-C quits with 130

      EXAMPLES:
        lyrebird play song.m4a
        lyrebird play movie.mp4 --from 1:30            from a minute and a half in
        lyrebird play song.m4a --device file:out.wav   write to a file, in real time
        lyrebird play song.m4a --device null           no loudspeaker needed
      """)

  @Argument(help: "The file; - for standard input.", completion: .file())
  var input: String

  @Option(help: "A device listed by `lyrebird devices`, or a virtual one: null, file:out.wav.")
  var device = "default"

  @Option(
    name: [.customLong("from"), .customLong("start")],
    help: ArgumentHelp("Where to begin: seconds, 1:30 or 1:02:03.5.", valueName: "time"))
  var from = TimeSpan(seconds: 0)

  @Flag(help: "Print the result as JSON.")
  var json = false

  @OptionGroup var soundOptions: SoundOptions

  @OptionGroup var messages: MessageOptions

  func run() throws {
    if let target = DeviceName(device).file {
      try OutputFile.check(target, isNot: input)
      if FileIdentity(path: target)?.isPipe == true {
        throw Failure(
          status: .usage,
          "\(target): is a pipe, but the header of a WAVE file is completed at the end; name a regular file")
      }
    }
    do {
      let sound = try AudioReader.open(input, soundOptions)
      let player = try Player(sound, device: DeviceName(device))
      // Times are those of the movie, whose sound may begin later than its pictures.
      let late = sound.startTime.seconds
      let rate = Double(player.format.sampleRate)
      let first = Int64(max(from.seconds - late, 0) * rate)
      let seconds = player.frameCount.map { late + Double($0) / rate }
      try checkStart(first, of: player.frameCount, seconds: seconds)
      player.seek(to: first)
      try player.play()
      var playback = Playback(player, name: input, startTime: late)
      let status = playback.run()
      player.stop()
      _ = try Blocking.run { try await player.finished() }
      // An .aac file does not say how long it is.
      if status.state == .completed, first > 0 { try checkStart(first, of: status.position) }
      if status.state == .completed { try sound.checkDecoding(file: input) }
      sound.reportMissing(file: input)
      try report(status, seconds: late + Double(status.position) / rate)
    } catch let error as AudioDecodingError {
      throw Failure(error, file: input)
    }
    if let status = Interrupt.status { throw ExitCode(status.rawValue) }
  }

  /// - Parameter seconds: how long the sound is; `nil` if only its position is known, which may be where it was sought.
  private func checkStart(_ first: Int64, of count: Int64?, seconds: Double? = nil) throws(Failure) {
    guard first > 0, let count, first >= count else { return }
    throw Failure.beyondEnd(input, seconds: seconds)
  }

  private func report(_ status: Player.Status, seconds: Double) throws {
    if json {
      var object = JSONObject()
      object.add("file", input)
      object.add("seconds", seconds)
      object.add("completed", status.state == .completed)
      object.add("underruns", status.underruns)
      object.add("concealed_packets", status.concealedPackets)
      return try Output.result(object)
    }
    Messages.line("\(InputFile.name(input)): played up to \(Text.clock(seconds, fraction: true))")
    if status.underruns > 0 {
      Messages.warning(
        "\(input): \(Text.count(status.underruns, "underrun")): sound came too late, and silence was played instead")
    }
    if status.concealedPackets > 0 {
      Messages.warning("\(input): \(status.concealedPackets) broken packets were concealed")
    }
  }
}
