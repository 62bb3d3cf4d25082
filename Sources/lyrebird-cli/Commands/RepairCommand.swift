internal import ArgumentParser
internal import Lyrebird

struct RepairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Save what can be saved of a movie that is damaged, cut off, or was never finished.",
    discussion: """
      What the index describes and the file holds is kept. If there is no index, as when a phone or a recorder lost \
      power, the media data itself is searched. AAC is found without help; for video, PCM and metadata, name an intact \
      movie from the same device with --like. No sample is changed; what was found, lost and assumed is reported. \
      The broken movie is never written to: another tool may find more in it.

      EXAMPLES:
        lyrebird repair broken.m4a saved.m4a
        lyrebird repair broken.m4a saved.m4a --rate 48000
        lyrebird repair broken.mp4 saved.mp4 --like whole.mp4    video, too
        lyrebird repair broken.m4a saved.m4a --json | jq .tracks
      """)

  @Argument(help: "The broken movie.", completion: .file())
  var input: String

  @Argument(help: "The file to write; - for standard output.", completion: .file())
  var output: String

  @Option(
    help: ArgumentHelp(
      "The pattern: an intact movie from the same device, with the same settings.", valueName: "movie"),
    completion: .file())
  var like: String?

  @Option(
    help: ArgumentHelp(
      "Sampling rate of AAC in Hz, 7350 to 192000, if you know it: the data does not always show it.",
      valueName: "Hz"))
  var rate: UInt32?

  @Flag(help: "Sync the output to the disk even if it is a new file; one that replaces another always is.")
  var sync = false

  @OptionGroup var clobber: ClobberOptions

  @Flag(help: "Print the result as JSON, on standard error if the movie goes to standard output.")
  var json = false

  @OptionGroup var messages: MessageOptions

  /// The most gaps that are listed one by one.
  private static let shownGaps = 5

  func validate() throws {
    if let rate, !(7350...192_000).contains(rate) { throw ValidationError("--rate must be 7350 to 192000 Hz.") }
  }

  func run() throws {
    let file = try OutputFile(output, input: input, writing: .repair)
    if let like { try OutputFile.check(file.isStandard ? nil : output, isNot: like, role: "the pattern") }
    guard !InputFile.isStandardInput(input), FileIdentity(path: input)?.isStream != true else {
      throw Failure(
        status: .noInput,
        "\(InputFile.name(input)): a pipe cannot be repaired, since it cannot be searched; give a file")
    }
    var options = MovieRepair.Options()
    options.sampleRate = rate
    options.sync = sync
    options.clobber = !clobber.noClobber
    if let like { options.pattern = try MediaInput.movie(path: like) }
    var progress = Progress("repair")
    let repair = try MovieRepair(path: input, options: options)
    let report: RepairReport
    if file.isStandard {
      report = try repair.run(to: file.sink(clobber: true), name: file.name) { done, total in
        try progress.update(done, of: total, bytes: done)
      }
    } else {
      report = try repair.run(to: output) { done, total in try progress.update(done, of: total, bytes: done) }
    }
    progress.clear()
    for error in report.dropped { Messages.warning(error.leftOut) }
    if json { return try Output.result(report.json, isTaken: file.isStandard) }
    describe(report, file.name)
  }

  private func describe(_ report: RepairReport, _ name: String) {
    let method =
      switch report.method {
      case .index: report.wasWhole ? "nothing was wrong" : "recovered with its index"
      case .packets: "no index; recovered from the media data"
      case .pattern: "no index; recovered from the media data, with \(like ?? "a movie") as the pattern"
      }
    Messages.line("\(name): \(method), \(Text.bytes(report.bytes))")
    for track in report.tracks {
      var line =
        "track \(track.id): \(track.codecName), \(Text.clock(track.duration)), \(Text.count(track.found, "sample")) found"
      if track.doubtful > 0 { line += ", \(track.doubtful) doubtful" }
      if track.lost > 0 { line += ", about \(track.lost) lost" }
      Messages.line(line)
    }
    // Which track is missing something is not known, so all have the same gaps.
    if let track = report.tracks.first { describeGaps(of: track) }
    for assumption in report.assumptions { Messages.line("assumed: \(assumption)") }
  }

  private func describeGaps(of track: RepairReport.TrackReport) {
    for gap in track.gaps.prefix(RepairCommand.shownGaps) {
      Messages.line("gap at \(Text.clock(gap.time)): \(Text.bytes(gap.bytes)) from byte \(gap.offset)")
    }
    let rest = track.gapCount - UInt64(min(track.gaps.count, RepairCommand.shownGaps))
    if rest > 0 { Messages.line("and \(Text.count(rest, "more gap"))") }
  }
}

extension RepairReport {
  /// The report for programs.
  var json: JSONObject {
    var object = JSONObject()
    object.add("method", [.index: "index", .packets: "packets", .pattern: "pattern"][method] ?? "index")
    object.add("was_whole", wasWhole)
    object.add("bytes", bytes)
    object.add("unused_bytes", unusedBytes)
    object.add("tracks", tracks.map(\.json))
    object.add("assumptions", assumptions.map { "\($0)" })
    object.add("dropped", dropped.map { "\($0)" })
    return object
  }
}

extension RepairReport.TrackReport {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("id", id)
    object.add("kind", kind.word)
    object.add("codec_name", codecName)
    object.add("found", found)
    object.add("doubtful", doubtful)
    object.add("lost", lost)
    object.add("duration", duration.json)
    object.add("gap_count", gapCount)
    object.add(
      "gaps",
      gaps.map { gap in
        var object = JSONObject()
        object.add("time", gap.time.json)
        object.add("offset", gap.offset)
        object.add("bytes", gap.bytes)
        return object
      })
    return object
  }
}
