// The sound of a movie on a loudspeaker, by hand: demux, decode, render.
//
//     swift run mp4-to-loudspeaker in.mp4 [DEVICE]
//
// A loudspeaker cannot wait: every few milliseconds its device calls for frames, and what is not there then is silence.
// A decoder cannot promise that: now and then it waits for the disk. Between the two is a queue, which the decoder
// fills as fast as it can and the device empties as fast as it plays.

import Lyrebird

@main
struct MP4ToLoudspeaker {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count >= 2 else {
      print("usage: mp4-to-loudspeaker IN.mp4 [DEVICE]")
      return
    }
    // An encoder adds frames before and after the sound; the file says how many, and here they are left out.
    let reader = try AudioReader(path: words[1])

    // The device gets the rate and the channels of the file. Never the other way round: a file of 48 000 Hz on a device
    // of 44 100 would be a semitone and a half too low. The sound server converts where that is needed.
    let feed = RenderFeed(format: reader.format)
    let speaker = try AudioRenderer(device: DeviceName(words.count > 2 ? words[2] : "default"), feed: feed)
    try speaker.start()
    while let sound = try reader.next() {
      // Waits while the queue is full: so decoding goes as fast as playing, and memory does not grow.
      guard try feed.write(sound) == .written else { break }
    }
    feed.finish()
    // What was handed over is not yet heard: half a second of it is in the queue, more in the device.
    while !speaker.isOver { try await Task.sleep(for: .milliseconds(10)) }
    speaker.stop()
    if let failure = speaker.failure { throw failure }
    print("\(reader.position) frames, \(speaker.underruns) underruns")
  }
}
