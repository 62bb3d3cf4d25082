// The sound of a movie, taken out as it is.
//
//     swift run mp4-to-aac in.mp4 out.aac
//
// A movie keeps its packets of AAC in one place and what they mean in another: how many channels, which rate, when each
// is played. An .aac file has no such second place: so each packet gets a header of seven bytes, ADTS, that says enough
// to start playing anywhere. Nothing is decoded, and no bit of sound changes.

import Lyrebird

@main
struct MP4ToAAC {
  static func main() throws {
    guard CommandLine.arguments.count == 3 else {
      print("usage: mp4-to-aac IN.mp4 OUT.aac")
      return
    }
    // Opening reads the index, never the media: a file of ten gigabytes opens as fast as one of ten kilobytes.
    let movie = try MP4Demuxer(path: CommandLine.arguments[1])
    guard let audio = movie.audioTrack else {
      print("there is no sound in this movie")
      return
    }
    // The headers come from the track's description. What ADTS cannot say is refused here, with the reason.
    var aac = try ADTSWriter(path: CommandLine.arguments[2], track: audio)
    // A reader is a small value that knows the number of the next sample. The caller pulls: nothing runs ahead of it.
    var packets = movie.samples(of: audio)
    while let packet = try packets.next() {
      try aac.append(packet)
    }
    // Only now does the file appear under its name: half a file is never mistaken for a whole one.
    let summary = try aac.finish()
    print("\(summary.packets) packets, \(summary.bytes) bytes")
  }
}
