internal import ArgumentParser
internal import Lyrebird

struct PlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play the sound of a movie, an .aac or a .wav file; Ctrl-C stops.",
    discussion: """
      EXAMPLES:
        lyrebird play song.m4a
        lyrebird play movie.mp4 --start 90             from a minute and a half on
        lyrebird play song.m4a --device file:out.wav   in real time, into a file
        lyrebird play song.m4a --device null           no loudspeaker needed
      """)

  @Argument(help: "The movie, .aac or .wav file.", completion: .file())
  var input: String

  @Option(help: "The device, as `devices` lists them; null or file:out.wav for a virtual one.")
  var device = "default"

  @Option(help: "The track with this number, instead of the first audio track.")
  var track: UInt32?

  @Option(help: "Seconds to begin at.")
  var start = 0.0

  @Flag(help: "Play the core of high-efficiency AAC: without its upper frequencies, and mono where it has PS.")
  var coreOnly = false

  func validate() throws {
    if !(start >= 0 && start < 1e9) { throw ValidationError("--start takes seconds, such as 90.") }
  }

  func run() throws {
    do {
      let player = try player()
      player.seek(to: Int64(start * Double(player.format.sampleRate)))
      player.play()
      var line = StatusLine()
      while player.status.state == .running, Interrupt.status == nil {
        line.show(position(player.status.position, of: player))
        Blocking.sleep(milliseconds: 50)
      }
      line.clear()
      let status = player.status
      player.stop()
      try Blocking.run { try await player.finished() }
      report(status, player)
    } catch let error as AudioDecodingError {
      throw Failure(error, file: input)
    } catch let error as WAVError {
      throw Failure(error, file: input)
    }
    if let status = Interrupt.status { throw ExitCode(status.rawValue) }
  }

  private func player() throws -> Player {
    guard try MediaInput.isWAVE(path: input) else {
      let decoder = try MediaInput(path: input).decoder(track: track, coreOnly: coreOnly, file: input)
      return Player(decoder, device: DeviceName(device))
    }
    if track != nil { throw Failure(status: .badData, "\(input): a WAVE file, which has no tracks") }
    let wav = try WAVReader(path: input)
    wav.reportMissing(file: input)
    return Player(wav, device: DeviceName(device))
  }

  private func position(_ frame: Int64, of player: Player) -> String {
    let rate = Double(player.format.sampleRate)
    let length = player.frameCount.map { " of " + Text.clock(Double($0) / rate) } ?? ""
    return "▶ " + Text.clock(Double(frame) / rate) + length
  }

  private func report(_ status: Player.Status, _ player: Player) {
    let seconds = Double(status.position) / Double(player.format.sampleRate)
    Messages.line("\(input): played up to \(Text.clock(seconds, fraction: true))")
    if status.underruns > 0 { Messages.warning("\(input): too slow \(status.underruns) times; silence was played") }
    if status.concealedPackets > 0 {
      Messages.warning("\(input): \(status.concealedPackets) broken packets were concealed")
    }
  }
}
