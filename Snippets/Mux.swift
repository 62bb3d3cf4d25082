//! Makes `bird.m4a` from packets, and shows what is in it. Needs `bird.wav`, which `Sound` makes.
//!
//!     swift run Mux

import Lyrebird

// snippet.mux
let reader = try AudioReader(path: "bird.wav")
var encoder = try AACEncoder(format: reader.format, bitRate: 64_000)
let muxer = try MP4Muxer(path: "bird.m4a", tracks: [MuxerTrack(encoder)])
while let piece = try reader.next() {
  for packet in try encoder.encode(piece) { try muxer.append(packet) }
}
let ending = encoder.finish()
for packet in ending.packets { try muxer.append(packet) }
let summary = try muxer.finish()
print("\(summary.samples) packets of 1024 frames, \(encoder.priming) before the sound, \(ending.remainder) after it")
// snippet.end

// snippet.top
/// The boxes of a file, one after another: each begins with its size and its type.
func topLevel(_ path: String) throws -> [String] {
  let file = SourceReader(try FileSource(path: path))
  var found: [String] = []
  var offset: UInt64 = 0
  while offset < file.size {
    let header = try file.bytes(at: offset, count: 8)
    let size = header.span.bigEndian(at: 0, as: UInt32.self)
    let type = FourCC(header.span.bigEndian(at: 4, as: UInt32.self))
    found.append("\(type) \(size)")
    offset += UInt64(size)
  }
  return found
}

print("fast start:", try topLevel("bird.m4a").joined(separator: ", "))
// snippet.end

// snippet.tree
func show(_ box: BoxNode, indent: String = "") {
  print("\(indent)\(box.type) \(box.header.end - box.header.offset)")
  for child in box.children { show(child, indent: indent + "  ") }
}

let movie = try MP4Demuxer(path: "bird.m4a")
show(movie.moov)
// snippet.end

// snippet.edit
guard let track = movie.audioTrack else { fatalError("no sound") }
for edit in track.edits {
  let start = edit.mediaTime?.value ?? 0
  print("heard: \(edit.duration.value) ticks from tick \(start) on, of \(track.mediaDuration.value)")
}
// snippet.end

// snippet.last
var options = Remuxer.Options()
options.layout = .moovLast
try Remuxer(from: movie, to: "last.m4a", options: options).run()
print("moov last:", try topLevel("last.m4a").joined(separator: ", "))
// snippet.end
