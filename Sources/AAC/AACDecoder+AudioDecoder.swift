public import MediaCore

extension AACDecoder: AudioDecoder {
  public var maximumFrames: Int { frameLength }
  public var framesPerPacket: Int? { frameLength }
  /// One: the windows of neighbours overlap.
  public var preRoll: Int { 1 }

  public func decodePacket(_ bytes: RawSpan) throws -> DecodedPacket {
    let fault: AACError? = if case .concealed(let error) = try decode(bytes) { error } else { nil }
    return DecodedPacket(frames: frameLength, fault: fault, usedBytes: consumedBytes)
  }

  public func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Float>) {
    // Of the frames, as many are copied as the memory has room for.
    unsafe samples.withUnsafeMutableBytes { unsafe copyFloats(frames, to: $0) }
  }

  public func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Int16>) {
    // As above.
    unsafe samples.withUnsafeMutableBytes { unsafe copyInt16s(frames, to: $0) }
  }
}
