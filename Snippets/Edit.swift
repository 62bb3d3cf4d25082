//! Cuts a movie, takes its index away and finds the packets again. Needs `bird.m4a`, which `Mux` makes.
//!
//!     swift run Edit

import Lyrebird

// snippet.packets
func packets(of path: String) throws -> [[UInt8]] {
  let movie = try MP4Demuxer(path: path)
  guard let track = movie.audioTrack else { return [] }
  var reader = movie.samples(of: track)
  var found: [[UInt8]] = []
  while let packet = try reader.next() { found.append(Array(try packet.payload.load())) }
  return found
}

let all = try packets(of: "bird.m4a")
// snippet.end

// snippet.remux
let movie = try MP4Demuxer(path: "bird.m4a")
var options = Remuxer.Options()
options.layout = .moovLast
try Remuxer(from: movie, to: "last.m4a", options: options).run()
print("remuxed: the same packets:", try packets(of: "last.m4a") == all)
// snippet.end

// snippet.cut
var clip = MovieClip(movie)
clip.start = MediaTime(value: 1, timescale: 1)
clip.end = MediaTime(value: 2, timescale: 1)
try MovieEditor(clip, to: "trill.m4a").run()

let part = try packets(of: "trill.m4a")
let first = all.firstIndex(of: part[0]) ?? 0
print("kept: packets \(first) to \(first + part.count - 1) of \(all.count)")
print("unchanged:", part == Array(all[first..<(first + part.count)]))
for edit in try MP4Demuxer(path: "trill.m4a").audioTrack?.edits ?? [] {
  print("heard: \(edit.duration.value) ticks from tick \(edit.mediaTime?.value ?? 0) on")
}
// snippet.end

// snippet.damage
let source = SourceReader(try FileSource(path: "last.m4a"))
let index = try MP4Demuxer(path: "last.m4a").moov.header.offset
let broken = try FileSink(path: "broken.m4a")
try broken.write(try source.bytes(at: 0, count: Int(index)))
try broken.finish()

do {
  _ = try MP4Demuxer(path: "broken.m4a")
} catch {
  print("broken:", error.description)
}
// snippet.end

// snippet.repair
let report = try MovieRepair(path: "broken.m4a").run(to: "saved.m4a")
for track in report.tracks { print("found \(track.found) packets, \(track.gapCount) gaps") }
for assumption in report.assumptions { print("assumed: \(assumption)") }
print("the same packets:", try packets(of: "saved.m4a") == all)
// snippet.end
