// A movie rewritten, with nothing re-encoded.
//
//     swift run mp4-to-mp4 in.mp4 out.mp4
//
// Cameras write the index of a movie after its pictures, as they know it only at the end. Players on the web want it in
// front, to begin before everything is there. Moving it changes where each sample lies, and nothing else: so the media
// are copied as they are, in long stretches, by the kernel, and only the index is new.

import Lyrebird

@main
struct MP4ToMP4 {
  static func main() throws {
    guard CommandLine.arguments.count == 3 else {
      print("usage: mp4-to-mp4 IN.mp4 OUT.mp4")
      return
    }
    let movie = try MP4Demuxer(path: CommandLine.arguments[1])
    // The output is planned whole before its first byte is written: the size of the index is known, so it goes in front
    // in a single pass. Edits, rotation, tags, chapters and boxes that nobody knows are carried over.
    let summary = try Remuxer(from: movie, to: CommandLine.arguments[2]).run { done, total in
      // Called now and then; to throw here gives the output up, and leaves no file.
      if done == total { print("\(total) bytes") }
    }
    print("\(summary.tracks) tracks, \(summary.bytes) bytes")
  }
}
