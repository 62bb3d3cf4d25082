public import MediaCore

extension ChannelMatrix {
  /// The matrix of ITU-R BS.775 from one layout to another.
  ///
  /// A loudspeaker that both layouts have keeps its sound. The sound of others goes to those beside it: that of the
  /// centre to left and right, of surround channels to other surround channels and, where there are none, to the front,
  /// each at 0.7071 where two share or join, which keeps the power. So stereo is `L + 0.7071 C + 0.7071 Ls`, and mono
  /// `0.7071 L + 0.7071 R + C + 0.5 Ls + 0.5 Rs`. Upwards nothing is invented: channels that the sound does not have
  /// stay silent, and mono goes to left and right at 0.7071.
  ///
  /// Layouts of up to 8 channels that are not for any loudspeakers are taken as the usual ones.
  ///
  /// Source: ITU-R BS.775-4, annex 4, tables 2 and 3; what those do not name follows the same rule.
  ///
  /// - Parameters:
  ///   - from: the layout of what goes in.
  ///   - to: the layout of what comes out.
  ///   - includesLFE: whether low-frequency effects that have no loudspeaker are added to the front, at 0.7071 each,
  ///   instead of being left out as the recommendation has it.
  ///   - preventsClipping: whether all coefficients are divided by the largest sum of a row, if this is above 1: full
  ///   scale on all channels is then full scale at most, and most sounds become softer. With false, sums may exceed
  ///   full scale, which floats can hold and 16 bits clip.
  /// - Throws: `ConversionError` `.noMatrix` if a channel is for a loudspeaker of which the above says nothing, such as
  ///   one at the ceiling; `.channels` for more than 64 of them.
  public init(
    from: ChannelLayout, to: ChannelLayout, includesLFE: Bool = false, preventsClipping: Bool = true
  ) throws(ConversionError) {
    let counts = SampleRateConverter.channelCounts
    for layout in [from, to] where !counts.contains(layout.channels) {
      throw ConversionError(.channels(layout.channels, counts))
    }
    if from == to || (from.channels == to.channels && (from.mask == 0 || to.mask == 0)) {
      let count = from.channels
      self.init(inputs: count, outputs: count, checked: (0..<(count * count)).map { $0 % (count + 1) == 0 ? 1 : 0 })
      return
    }
    let (sources, targets) = (ChannelMatrix.speakers(of: from), ChannelMatrix.speakers(of: to))
    guard !sources.isEmpty, !targets.isEmpty else { throw ConversionError(.noMatrix(from: from, to: to)) }
    var coefficients = [Double](repeating: 0, count: sources.count * targets.count)
    for (input, speaker) in sources.enumerated() {
      guard let shares = ChannelMatrix.shares(of: speaker, in: targets, includesLFE: includesLFE) else {
        throw ConversionError(.noMatrix(from: from, to: to))
      }
      for (target, share) in shares {
        guard let output = targets.firstIndex(of: target) else { continue }
        // A surround channel that takes another's place sounds as loud as that; one that joins it does not.
        let joins = share == 1 && target != speaker && sources.contains(target)
        coefficients[output * sources.count + input] += joins ? ChannelMatrix.half : share
      }
    }
    if preventsClipping {
      let sums = (0..<targets.count).map { row in
        coefficients[(row * sources.count)..<((row + 1) * sources.count)].reduce(0, +)
      }
      let largest = max(sums.max() ?? 1, 1)
      for index in coefficients.indices { coefficients[index] /= largest }
    }
    self.init(inputs: sources.count, outputs: targets.count, checked: coefficients.map { Float($0) })
  }

  /// The loudspeakers of a layout in the order of its channels; none where it has no usual ones.
  private static func speakers(of layout: ChannelLayout) -> [UInt32] {
    let mask = layout.mask == 0 ? ChannelLayout(channels: layout.channels).mask : layout.mask
    return (0..<32).map { UInt32(1) << $0 }.filter { mask & $0 != 0 }
  }

  private static let half = 0.5.squareRoot()

  /// Where the sound of a loudspeaker goes, and how much of it; `nil` if there is no rule.
  private static func shares(
    of speaker: UInt32, in targets: [UInt32], includesLFE: Bool
  ) -> [(speaker: UInt32, share: Double)]? {
    if targets.contains(speaker) { return [(speaker, 1)] }
    if speaker == Loudspeaker.lowFrequency, !includesLFE { return [] }
    for way in ways(from: speaker) where way.allSatisfy({ targets.contains($0.speaker) }) { return way }
    return nil
  }

  /// Where the sound of a loudspeaker can go, the best way first.
  private static func ways(from speaker: UInt32) -> [[(speaker: UInt32, share: Double)]] {
    switch speaker {
    case Loudspeaker.left, Loudspeaker.right: [[(Loudspeaker.center, half)]]
    case Loudspeaker.center, Loudspeaker.lowFrequency:
      [[(Loudspeaker.left, half), (Loudspeaker.right, half)], [(Loudspeaker.center, half)]]
    case Loudspeaker.leftOfCenter: [[(Loudspeaker.left, 1)], [(Loudspeaker.center, half)]]
    case Loudspeaker.rightOfCenter: [[(Loudspeaker.right, 1)], [(Loudspeaker.center, half)]]
    case Loudspeaker.backLeft: ways(from: Loudspeaker.left, through: Loudspeaker.sideLeft)
    case Loudspeaker.backRight: ways(from: Loudspeaker.right, through: Loudspeaker.sideRight)
    case Loudspeaker.sideLeft: ways(from: Loudspeaker.left, through: Loudspeaker.backLeft)
    case Loudspeaker.sideRight: ways(from: Loudspeaker.right, through: Loudspeaker.backRight)
    case Loudspeaker.backCenter:
      [
        [(Loudspeaker.backLeft, half), (Loudspeaker.backRight, half)],
        [(Loudspeaker.sideLeft, half), (Loudspeaker.sideRight, half)],
        [(Loudspeaker.left, 0.5), (Loudspeaker.right, 0.5)], [(Loudspeaker.center, half)],
      ]
    default: []
    }
  }

  /// The ways of a surround channel: to another one of its side, to that of both sides, to the front.
  private static func ways(
    from front: UInt32, through surround: UInt32
  ) -> [[(speaker: UInt32, share: Double)]] {
    [[(surround, 1)], [(Loudspeaker.backCenter, half)], [(front, half)], [(Loudspeaker.center, 0.5)]]
  }
}
