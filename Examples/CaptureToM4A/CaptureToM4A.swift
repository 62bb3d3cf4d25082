// From a microphone to an M4A file, by the assembled pipeline.
//
//     swift run capture-to-m4a out.m4a [DEVICE] [SECONDS]
//
// An M4A file knows what an .aac file does not: how many frames there were before the encoder added its own, so that what
// is played is what was captured, to the frame. It has an index, and an index is complete only at the end: a recorder
// that loses power before has nothing. So this one grows in fragments, each with an index of its own, and becomes an
// ordinary file when it is stopped.

import Lyrebird

@main
struct CaptureToM4A {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count >= 2 else {
      print("usage: capture-to-m4a OUT.m4a [DEVICE] [SECONDS]")
      return
    }
    var options = Recorder.Options()
    options.duration = .seconds(words.count > 3 ? Int(words[3]) ?? 5 : 5)
    let recorder = try Recorder(
      from: DeviceName(words.count > 2 ? words[2] : "default"), to: words[1], options: options)

    // First the file, then the encoder, then the microphone: no sound arrives before something is there to take it.
    try await recorder.start()
    for await status in recorder.updates() {
      print("\(status.summary.frames) frames, \(Int(AudioLevel.decibels(status.level.peak))) dB")
      // A slow reader gets only the newest status.
      try await Task.sleep(for: .seconds(1))
    }
    // Waits for what is still on its way. If the device went away or the disk is full, that is thrown here, and what was
    // recorded until then is in the file all the same.
    let summary = try await recorder.stop()
    print("\(summary.frames) frames, \(summary.silentFrames) of them silence for what was lost")
  }
}
