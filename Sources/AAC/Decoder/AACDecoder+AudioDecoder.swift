public import MediaCore

extension AACDecoder: AudioDecoder {
  public var maximumFrames: Int { frameLength }
  public var framesPerPacket: Int? { frameLength }
  /// One, as the windows of neighbours overlap; with SBR eight, as its levels are differences from earlier ones.
  public var preRoll: Int { configuration.hasSBR == true ? 8 : 1 }
  /// With SBR sixteen, after which the table of its noise begins again.
  public var seekInterval: Int { configuration.hasSBR == true ? 16 : 1 }
  /// That of SBR's filter banks: 962 frames, or half as many at the core's rate.
  public var delay: Int { configuration.hasSBR == true ? (frameLength == 2048 ? 962 : 481) : 0 }

  public func decodePacket(_ bytes: RawSpan) -> DecodedPacket {
    let fault: AACError? = if case .concealed(let error) = decode(bytes) { error } else { nil }
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
