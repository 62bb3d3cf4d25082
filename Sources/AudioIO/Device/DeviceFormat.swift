internal import MediaCore

// Devices take 16-bit integers and floats: what every sound server converts, and no more code on the device's thread.
extension AudioFormat {
  /// The same format as devices take it: integers of more than 16 bits become floats, which hold 24 of them.
  var forDevices: AudioFormat {
    AudioFormat(sampleRate: sampleRate, sampleFormat: sampleFormat == .int16 ? .int16 : .float32, layout: layout)
  }
}
