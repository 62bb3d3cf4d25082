//! Captures from a virtual microphone whose clock we turn ourselves, and loses sound on purpose.
//!
//!     swift run Capture

import Lyrebird

// snippet.start
let clock = ManualClock()
let capture = try AudioCapture(device: "tone:440", format: .int16(44_100, .mono), clock: clock)
try capture.start()
// snippet.end

// snippet.periods
var next: Int64 = 0
clock.advance(by: .milliseconds(100))
while case .sample(let sound, let hostTime) = try capture.next(within: .zero) {
  let time = sound.timing.presentationTime
  print("frame \(time): \(sound.payload.frameCount) frames, heard at \(hostTime / 1_000_000) ms")
  next = time + sound.timing.duration
}
// snippet.end

// snippet.loss
clock.advance(by: .seconds(4))
while case .sample(let sound, _) = try capture.next(within: .zero) {
  next = sound.timing.presentationTime + sound.timing.duration
}
print("fetched up to frame \(next)")

clock.advance(by: .milliseconds(50))
if case .sample(let sound, _) = try capture.next(within: .zero) {
  let time = sound.timing.presentationTime
  print("the next sample begins at \(time): \(time - next) frames are missing, \(capture.lostFrames) were counted")
}
capture.stop()
// snippet.end

// snippet.drift
let crystal = 50.0  // parts in a million by which this sound card is fast
for hours in [1, 8] {
  let frames = Double(hours * 3600 * 44_100) * crystal / 1_000_000
  print("after \(hours) h: \(Int(frames)) frames too many, \(frames / 44_100) s")
}
// snippet.end
