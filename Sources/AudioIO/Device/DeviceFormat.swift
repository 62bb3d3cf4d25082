internal import MediaCore

// Devices take only 16-bit integers and floats: every sound server converts both, and the code on the device's thread
// stays small.
extension AudioFormat {
  /// The same format as devices take it: integers of more than 16 bits become floats, which hold 24 of them.
  var forDevices: AudioFormat {
    AudioFormat(sampleRate: sampleRate, sampleFormat: sampleFormat == .int16 ? .int16 : .float32, layout: layout)
  }
}
