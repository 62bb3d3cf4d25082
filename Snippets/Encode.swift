//! What AAC does to a frame: a transform, steps, and bits. Needs `bird.wav`, which `Sound` makes.
//!
//!     swift run Encode

import Foundation
import Lyrebird

// snippet.mdct
/// 2048 samples become 1024 lines: how much of the sound swings at each of 1024 frequencies.
func mdct(_ samples: [Double]) -> [Double] {
  let count = samples.count / 2
  return (0..<count).map { line in
    samples.indices.reduce(0) { $0 + samples[$1] * wave(line, at: $1, of: count) }
  }
}

func wave(_ line: Int, at sample: Int, of count: Int) -> Double {
  cos(.pi / Double(count) * (Double(sample) + 0.5 + Double(count) / 2) * (Double(line) + 0.5))
}

/// Rises and falls like half a turn of a sine: where one window fades out, the next fades in.
func windowed(_ samples: [Double]) -> [Double] {
  samples.indices.map { samples[$0] * sin(.pi / Double(samples.count) * (Double($0) + 0.5)) }
}
// snippet.end

/// And back: 2048 samples, which are right only after the window was applied again and neighbours were added.
func inverse(_ lines: [Double]) -> [Double] {
  let count = lines.count
  return (0..<2 * count).map { sample in
    lines.indices.reduce(0) { $0 + lines[$1] * wave($1, at: sample, of: count) } * 2 / Double(count)
  }
}

// snippet.frame
let sound = try AudioReader(path: "bird.wav").read().map(Double.init)
let start = 25 * 1024  // 0.58 s: in the middle of the whistle
let before = mdct(windowed(Array(sound[(start - 1024)..<(start + 1024)])))
let lines = mdct(windowed(Array(sound[start..<(start + 2048)])))

let loudest = lines.indices.max { abs(lines[$0]) < abs(lines[$1]) } ?? 0
print("the loudest line is \(loudest): \(Int((Double(loudest) + 0.5) * 22_050 / 1024)) Hz")
// snippet.end

// snippet.steps
/// Steps as AAC has them: four scalefactors more double the step, and steps grow with the value.
func quantised(_ line: Double, scalefactor: Int) -> Int {
  let steps = pow(abs(line) / pow(2, Double(scalefactor) / 4), 0.75)
  return Int(steps + 0.4054) * (line < 0 ? -1 : 1)
}

func value(_ steps: Int, scalefactor: Int) -> Double {
  pow(Double(abs(steps)), 4.0 / 3) * pow(2, Double(scalefactor) / 4) * (steps < 0 ? -1 : 1)
}
// snippet.end

// snippet.noise
let original = sound[start..<(start + 1024)]
for scalefactor in [-32, -16, 0, 16] {
  let steps = lines.map { quantised($0, scalefactor: scalefactor) }
  let now = windowed(inverse(steps.map { value($0, scalefactor: scalefactor) }))
  let previous = windowed(
    inverse(before.map { value(quantised($0, scalefactor: scalefactor), scalefactor: scalefactor) }))

  let decoded = (0..<1024).map { previous[1024 + $0] + now[$0] }
  let noise = zip(decoded, original).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
  let ratio = 10 * log10(original.reduce(0) { $0 + $1 * $1 } / noise)
  let left = steps.count { $0 != 0 }
  print("scalefactor \(scalefactor): \(left) lines are not 0, the noise is \(Int(ratio.rounded())) dB below the sound")
}
// snippet.end

// snippet.encoder
let reader = try AudioReader(path: "bird.wav")
var encoder = try AACEncoder(format: reader.format, bitRate: 64_000)
var packets: [EncodedSample] = []
while let piece = try reader.next() { packets += try encoder.encode(piece) }
packets += encoder.finish().packets

let sizes = packets.map(\.payload.count)
print("\(packets.count) packets, \(sizes.min() ?? 0) to \(sizes.max() ?? 0) bytes, \(sizes.reduce(0, +)) in all")
// snippet.end

// snippet.bits
var bits = BitReader(try packets[26].payload.load())  // the packet of the frame above
print("element", try bits.bits(3), "tag", try bits.bits(4))  // 0: a single channel
print("global gain", try bits.bits(8))  // the scalefactor of the first band
_ = try bits.bits(1)  // reserved
print("windows", try bits.bits(2), "shape", try bits.bits(1))  // 0: one long window
print("bands", try bits.bits(6), "of 49")  // above these all lines are 0
// snippet.end
