// A recording divided at its silences, and its parts put together again in another order.
//
//     swift run split-and-join in.m4a out.m4a
//
// A cut is an edit list and a few samples: the packets stay, and what a decoder needs before the first of them is hidden.
// To put parts together takes more. The packets of AAC overlap, so those at a seam are re-encoded from the sound of
// both sides; all others stay, if they fall on the same raster of 1024 frames.

import Lyrebird

@main
struct SplitAndJoin {
  static func main() throws {
    guard CommandLine.arguments.count == 3 else {
      print("usage: split-and-join IN.m4a OUT.m4a")
      return
    }
    let movie = try MP4Demuxer(path: CommandLine.arguments[1])
    // Silence is half a second in which nothing is louder than a thousandth of full scale.
    let pieces = try MovieSplitter(movie).pieces(at: .silence(below: -60, seconds: 0.5))
    var parts: [MP4Demuxer] = []
    for piece in pieces {
      // Each part is a movie of its own, here in memory; with a path in place of the sink it would be a file.
      let sink = MemorySink()
      let summary = try MovieEditor(piece.clip, to: sink).run()
      print("\(summary.start.seconds) s: \(summary.duration.seconds) s, \(sink.bytes.count) bytes")
      parts.append(try MP4Demuxer(source: MemorySource(sink.bytes, name: "part")))
    }
    let joined = try MovieJoiner(parts.reversed(), to: CommandLine.arguments[2]).run()
    print("\(joined.output.duration.seconds) s, \(joined.encodedPackets) packets re-encoded")
  }
}
