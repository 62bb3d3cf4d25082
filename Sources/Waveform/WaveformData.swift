internal import MediaCore

// The data forms of audiowaveform, version 2. Source: BBC, audiowaveform, "Waveform data file format".

extension Waveform {
  /// A value in a depth: of 8 bits, a 256th, rounded towards zero.
  private static func value(_ value: Int16, _ depth: WaveformFormat.Depth) -> Int16 {
    depth == .eight ? value / 256 : value
  }

  /// One object on one line.
  func writeJSON(_ depth: WaveformFormat.Depth, to output: inout PieceWriter) throws(SinkError) {
    try output.write(
      "{\"version\":2,\"channels\":\(channels),\"sample_rate\":\(sampleRate),\"samples_per_pixel\":\(samplesPerPixel),"
        + "\"bits\":\(depth.rawValue),\"length\":\(length),\"data\":[")
    var digits: [UInt8] = []
    for index in values.indices {
      digits.removeAll(keepingCapacity: true)
      if index > 0 { digits.append(UInt8(ascii: ",")) }
      Waveform.appendDigits(of: Waveform.value(values[index], depth), to: &digits)
      try output.write(digits)
    }
    try output.write("]}\n")
  }

  /// As `String(_:)` writes a number, but without a string for each of millions.
  private static func appendDigits(of value: Int16, to digits: inout [UInt8]) {
    if value < 0 { digits.append(UInt8(ascii: "-")) }
    var (rest, unit) = (Int(value.magnitude), 10_000)
    while unit > 1, rest < unit { unit /= 10 }
    while unit > 0 {
      digits.append(UInt8(ascii: "0") + UInt8(rest / unit))
      rest %= unit
      unit /= 10
    }
  }

  /// Six numbers of 32 bits, then the values; all with the least significant byte first.
  func writeBinary(_ depth: WaveformFormat.Depth, to output: inout PieceWriter) throws(SinkError) {
    var head: [UInt8] = []
    head.appendLittleEndian(Int32(2))
    head.appendLittleEndian(UInt32(depth == .eight ? 1 : 0))
    head.appendLittleEndian(Int32(clamping: sampleRate))
    head.appendLittleEndian(Int32(clamping: samplesPerPixel))
    head.appendLittleEndian(UInt32(clamping: length))
    head.appendLittleEndian(Int32(clamping: channels))
    try output.write(head)
    var bytes: [UInt8] = []
    for value in values {
      bytes.removeAll(keepingCapacity: true)
      if depth == .eight {
        bytes.append(UInt8(bitPattern: Int8(clamping: value / 256)))
      } else {
        bytes.appendLittleEndian(value)
      }
      try output.write(bytes)
    }
  }
}
