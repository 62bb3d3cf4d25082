public import MediaCore

// Layers that are not announced: those of implicit signalling are visible only in the packets.
extension AudioSpecificConfig {
  /// Whether the configuration leaves nothing to find out from the packets. PS is possible only with a single channel.
  public var isSettled: Bool { hasSBR == false || hasSBR == true && (hasPS != nil || channels != 1) }

  /// Looks for unannounced layers in the first packets: four for SBR, sixteen for PS, which cannot start before both an
  /// SBR and a PS header have come. Reads nothing if everything is announced, or if SBR is not announced and the core's
  /// rate is above 24 kHz.
  ///
  /// Call it before the decoder is made, if the stream may be high-efficiency AAC. A rate that is not announced is
  /// assumed to be twice the core's, as decoders do.
  ///
  /// - Parameter next: gives the stream's packets from the first one on; what it throws ends the search.
  ///
  /// Source: ISO/IEC 14496-3, 1.6.5 and 1.6.6.
  public mutating func settle(_ next: () throws -> EncodedSample?) {
    guard hasSBR == true || sampleRate <= AudioSpecificConfig.highestImplicitRate else { return }
    guard !isSettled else { return }
    var assumed = self
    (assumed.hasSBR, assumed.hasPS) = (true, channels == 1)
    guard let decoder = try? AACDecoder(configuration: assumed) else { return }
    for number in 0..<AudioSpecificConfig.packetsLookedIntoForPS where !isSettled {
      if number >= AudioSpecificConfig.packetsLookedInto, hasSBR == nil { break }
      guard let packet = try? next()?.payload.prefix(AACDecoder.maximumPacket).load() else { break }
      note(decoder.layers(in: Array(packet)))
    }
  }

  private mutating func note(_ found: (hasSBR: Bool, hasPS: Bool)) {
    if found.hasSBR, hasSBR == nil {
      hasSBR = true
      extensionSampleRate = sampleRate * 2
    }
    if found.hasPS { hasPS = true }
  }

  /// The highest core rate for which decoders look for SBR that is not announced. Source: ISO/IEC 14496-3, 1.6.6.
  private static let highestImplicitRate: UInt32 = 24_000
  /// Packets that are searched for layers.
  private static let packetsLookedInto = 4
  private static let packetsLookedIntoForPS = 16

  /// Leaves the core.
  mutating func removeLayers() {
    (hasSBR, hasPS, extensionSampleRate) = (false, false, nil)
  }
}
