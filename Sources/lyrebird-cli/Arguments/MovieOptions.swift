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

  @Option(help: "Which tracks to keep.")
  var tracks = Tracks.all

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

  enum Tracks: String, ExpressibleByArgument, CaseIterable {
    case audio, video, all

    /// The kinds of tracks; `nil` for all.
    var mediaTypes: MediaType? {
      switch self {
      case .audio: .audio
      case .video: .video
      case .all: nil
      }
    }
  }
}
