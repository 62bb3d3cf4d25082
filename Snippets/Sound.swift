//! Makes the sound of all lessons, `bird.wav`, measures it, and adds up times in two ways.
//!
//!     swift run Sound

import Foundation
import Lyrebird

// snippet.song
/// What the microphone would hear: from -1 to 1, at any moment.
func pressure(at second: Double) -> Double {
  switch second {
  case 0.2..<1.0:  // A whistle that rises from 1800 to 3400 Hz.
    let t = second - 0.2
    let turns = 1800 * t + 1000 * t * t
    return 0.5 * fade(t, 0.8) * (sin(2 * .pi * turns) + 0.2 * sin(4 * .pi * turns))
  case 1.2..<2.0:  // A trill: 2600 Hz, up and down twelve times a second.
    let t = second - 1.2
    return 0.4 * fade(t, 0.8) * sin(2 * .pi * 2600 * t - 20 * cos(2 * .pi * 12 * t))
  case 2.4...:  // The shutter of a camera, which lyrebirds imitate: two clicks.
    let t = (second - 2.4).truncatingRemainder(dividingBy: 0.15)
    return second < 2.7 ? 0.8 * exp(-400 * t) * hiss(second) : 0
  default: return 0
  }
}
// snippet.end

/// Fades in and out within a twentieth of a second, so that nothing clicks.
func fade(_ t: Double, _ length: Double) -> Double { min(1, t / 0.05, (length - t) / 0.05) }

/// Noise that is the same each time.
func hiss(_ second: Double) -> Double {
  let value = sin(second * 44_100 * 12.9898) * 43_758.5453
  return 2 * (value - value.rounded(.down)) - 1
}

// snippet.sample
let rate = 44_100
var samples: [Float] = []
for frame in 0..<(3 * rate) {
  samples.append(Float(pressure(at: Double(frame) / Double(rate))))
}
let sound = PCMBuffer(samples, sampleRate: rate, layout: .mono)

var file = try WAVWriter(path: "bird.wav", format: .int16(rate, .mono))
try file.append(PCMBuffer(sound.int16s, sampleRate: rate, layout: .mono))
try file.finish()
print("\(sound.frameCount) frames")
// snippet.end

// snippet.levels
let peak = samples.map(abs).max() ?? 0
let power = samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count)
print("peak \(decimals(20 * log10(peak))) dB, power \(decimals(10 * log10(power))) dB")
// snippet.end

// snippet.ticks
let packet = MediaTime(value: 1024, timescale: 44_100)
var exact = MediaTime.zero
var seconds: Float = 0
for _ in 0..<43_066 {  // some 1000 seconds
  exact += packet
  seconds += 1024 / 44_100
}
print("\(exact.value) ticks of 1/\(exact.timescale) s are \(exact.seconds) s; the sum of floats is \(seconds) s")
// snippet.end

// snippet.milliseconds
let milliseconds = packet.converted(to: 1000)?.value ?? 0
print("a packet is \(milliseconds) ms, so 43066 packets are \(Double(43_066 * milliseconds) / 1000) s")
// snippet.end

func decimals(_ number: Float) -> String { String(format: "%.1f", number) }
