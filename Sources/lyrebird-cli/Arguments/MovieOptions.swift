internal import ArgumentParser
internal import Lyrebird

/// Whether an existing file may be replaced.
struct ClobberOptions: ParsableArguments {
  @Flag(help: "Refuse to replace an existing file.")
  var noClobber = false
}

/// How a movie is written: what the commands that make one without encoding have in common.
struct MovieOptions: ParsableArguments {
  @Option(help: "Where the index goes: to the front, to the end, or into fragments, for streaming.")
  var layout = Layout.fastStart

  @Option(
    help: "Which tracks to keep: all, audio, video, or their numbers, as in 1,3.",
    completion: .list(["all", "audio", "video"]))
  var tracks = TrackChoice()

  @Flag(help: "Sync the output to the disk even if it is a new file; one that replaces another always is.")
  var sync = false

  @Flag(help: "Print the result as JSON, on standard error if the movie goes to standard output.")
  var json = false

  enum Layout: String, ExpressibleByArgument, CaseIterable {
    case fastStart = "fast-start"
    case moovLast = "moov-last"
    case fragmented

    var movieLayout: MovieLayout { MovieLayout(rawValue: rawValue) ?? .fastStart }
  }
}

/// Tracks as one names them: "all", "audio", "video", or numbers with commas between them.
struct TrackChoice: ExpressibleByArgument {
  private(set) var selection = TrackSelection.all

  var defaultValueDescription: String { "all" }

  init() {}

  init?(argument: String) {
    switch argument {
    case "all": selection = .all
    case "audio": selection = .kinds(.audio)
    case "video": selection = .kinds(.video)
    default:
      let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { UInt32($0) }
      guard !numbers.contains(nil) else { return nil }
      selection = .ids(Set(numbers.compactMap { $0 }))
    }
  }
}
