// From a microphone to an .aac file, by hand: capture, encode, write.
//
//     swift run capture-to-aac out.aac [DEVICE] [SECONDS]
//
// Sound comes as PCM: 44 100 times a second a number for each channel. AAC takes 1024 of these at a time and makes a
// packet of them, a tenth as large. An .aac file is nothing but packets, each with a header in front: ADTS.

import Lyrebird

@main
struct CaptureToAAC {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count >= 2 else {
      print("usage: capture-to-aac OUT.aac [DEVICE] [SECONDS]")
      return
    }
    let device = DeviceName(words.count > 2 ? words[2] : "default")
    let seconds = words.count > 3 ? Int(words[3]) ?? 5 : 5

    // A sound server converts what its device gives to what is asked for: 44 100 Hz, 16 bit, stereo unless said otherwise.
    let format = AudioFormat()
    let capture = try AudioCapture(device: device, format: format)

    // What takes the sound is made before the sound comes. The encoder knows at once how its packets are coded, and that
    // is all that ADTS has to be told.
    var encoder = try AACEncoder(format: format, bitRate: 96_000)
    var file = try ADTSWriter(path: words[1], configuration: encoder.configuration)

    try capture.start()
    var frames = 0
    // The device's own thread puts sound into a queue of two seconds; here it is fetched. If we come too late, we are told:
    // the next sample begins later than the one before ended, and what was lost is counted.
    while frames < seconds * format.sampleRate, case .sample(let sound, _) = try capture.next() {
      for packet in try encoder.encode(sound) { try file.append(packet) }
      frames += sound.payload.frameCount
    }
    if capture.lostFrames > 0 { print("\(capture.lostFrames) frames were lost") }
    // From the source on downwards: no more sound, then the packets that are still on their way, then the file.
    capture.stop()
    for packet in encoder.finish().packets { try file.append(packet) }
    let summary = try file.finish()
    print("\(frames) frames in \(summary.packets) packets")
  }
}
