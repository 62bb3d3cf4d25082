package import MediaCore

// Layers that are not announced: those of implicit signalling are visible only in the packets.
extension AudioSpecificConfig {
  /// Whether no layer can be found in the packets that is not announced: PS needs a single channel.
  public var isSettled: Bool { hasSBR == false || hasSBR == true && (hasPS != nil || channels != 1) }

  /// Looks in a packet for layers that the configuration does not mention. The rate is then assumed to double, as
  /// decoders do.
  ///
  /// Call it with the first packets of a stream, until `isSettled`, before the decoder is made.
  ///
  /// Source: ISO/IEC 14496-3, 1.6.5 and 1.6.6.
  public mutating func noteExtension(in packet: some Collection<UInt8>) {
    guard !isSettled else { return }
    var assumed = self
    (assumed.hasSBR, assumed.hasPS) = (true, channels == 1)
    guard let decoder = try? AACDecoder(configuration: assumed) else { return }
    let found = decoder.layers(in: Array(packet))
    if found.hasSBR, hasSBR == nil {
      hasSBR = true
      extensionSampleRate = sampleRate * 2
    }
    if found.hasPS { hasPS = true }
  }

  /// Looks in the first packets of a stream, as far as decoders look. No more than four are read, and none if all is
  /// announced or the core's rate is too high to be doubled.
  package mutating func settle(_ next: () throws -> EncodedSample?) {
    guard hasSBR == true || sampleRate <= AudioSpecificConfig.highestImplicitRate else { return }
    for _ in 0..<AudioSpecificConfig.packetsLookedInto where !isSettled {
      guard let packet = try? next()?.payload.load() else { break }
      noteExtension(in: packet)
    }
  }

  /// The highest core rate for which decoders look for SBR that is not announced. Source: ISO/IEC 14496-3, 1.6.6.
  private static let highestImplicitRate: UInt32 = 24_000
  /// Packets that are searched for layers.
  private static let packetsLookedInto = 4

  /// Leaves the core.
  mutating func removeLayers() {
    (hasSBR, hasPS, extensionSampleRate) = (false, false, nil)
  }
}
