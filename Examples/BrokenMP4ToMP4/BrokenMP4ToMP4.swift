// Saves a recording that has no index.
//
//     swift run broken-mp4-to-mp4 broken.mp4 saved.mp4 whole.mp4
//
// A camera whose battery dies leaves every picture and every packet of sound in the file, and nothing that says where one
// ends and the next begins. AAC tells it to those who read each packet to its end. For pictures, a whole movie of the same
// camera shows how they are coded: the third argument, which sound alone does not need.

import Lyrebird

@main
struct BrokenMP4ToMP4 {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard (3...4).contains(arguments.count) else {
      print("usage: broken-mp4-to-mp4 BROKEN.mp4 SAVED.mp4 [WHOLE.mp4]")
      return
    }
    var options = MovieRepair.Options()
    if arguments.count == 4 { options.pattern = try MP4Demuxer(path: arguments[3]) }
    let report = try MovieRepair(path: arguments[1], options: options).run(to: arguments[2])
    // Nothing is made up: what is missing stays missing, and the report says where.
    for track in report.tracks {
      print("\(track.codecName): \(track.found) samples, about \(track.lost) lost in \(track.gapCount) gaps")
    }
    for assumption in report.assumptions { print("assumed: \(assumption)") }
  }
}
