//! Decodes packets, and plays them on a virtual loudspeaker that once gets too little. Needs `bird.m4a`, which `Mux` makes.
//!
//!     swift run Render

import Lyrebird

// snippet.decode
let movie = try MP4Demuxer(path: "bird.m4a")
guard let track = movie.audioTrack else { fatalError("no sound") }
let decoder = try AACDecoder(configuration: AudioSpecificConfig(track.descriptions[0]))
var packets = movie.samples(of: track)
var frames = 0
while let packet = try packets.next() {
  frames += try decoder.decode(packet).payload.frameCount
}
print("decoded: \(frames) frames")
// snippet.end

// snippet.trim
let reader = try AudioReader(path: "bird.m4a")
print("heard: \(reader.frameCount ?? 0) frames, the first \(track.edits[0].mediaTime?.value ?? 0) were cut off")

let original = try AudioReader(path: "bird.wav").read()
let decoded = try reader.read()
let power = original.reduce(0) { $0 + $1 * $1 }
let noise = zip(original, decoded).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
print("the sound has \(Int(power / noise)) times the power of the noise")
// snippet.end

// snippet.feed
let sound = try AudioReader(path: "bird.m4a")
let feed = RenderFeed(format: sound.format, capacity: .milliseconds(500))
let clock = ManualClock()
let speaker = try AudioRenderer(device: "file:heard.wav", feed: feed, clock: clock)
try speaker.start()
// snippet.end

// snippet.play
let enough = 3 * 4410  // 300 ms
var time = 0
while !speaker.isOver {
  let isStalled = (1000..<1500).contains(time)  // the disk does not answer for half a second
  while !isStalled, feed.queuedFrames < enough {
    guard let piece = try sound.next(frames: 4410) else {
      feed.finish()
      break
    }
    _ = try feed.write(piece)
  }
  clock.advance(by: .milliseconds(100))
  time += 100
}
speaker.stop()
print("underruns: \(speaker.underruns), \(speaker.silentFrames) frames of silence")
// snippet.end
