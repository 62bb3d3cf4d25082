/// Describes how the two channels that were mixed into the coded one differ: ps_data().
///
/// Source: ISO/IEC 14496-3, 8.4.1, tables 8.1 to 8.14; what `PSParameters` reads.
final class PSEncoder {
  let input = PSInput()
  private let plan: PSPlan
  private var intensity: PSRowCoder
  private var coherence: PSRowCoder
  /// The measures at the end of the previous frame.
  private var last: PSAnalysis.Measures?

  init(plan: PSPlan) {
    self.plan = plan
    intensity = PSRowCoder(PSBooks.intensity(isFine: plan.isFine), bands: plan.bands)
    coherence = PSRowCoder(PSBooks.coherence, bands: plan.bands)
  }

  /// ps_data() of a frame, ready to be written.
  struct Frame {
    fileprivate let hasHeader: Bool
    fileprivate let count: Int
    fileprivate let intensity: PSRowCoder
    fileprivate let coherence: PSRowCoder
    fileprivate let end: PSAnalysis.Measures?

    /// Number of bits.
    var bits: Int { (hasHeader ? 10 : 1) + 3 + intensity.bits + coherence.bits }
    /// Bytes of the extension, with its two bits of identifier.
    fileprivate var size: Int { (2 + bits + 7) / 8 }
    /// Bits of the extension with its length.
    var extensionBits: Int { 8 * size + (size < 15 ? 4 : 12) }
  }

  /// The largest frame in bits that is sent as it is: more fits in no fill element together with SBR.
  private static let largest = 600

  /// Describes the frame that is coded next.
  ///
  /// - Parameter standsAlone: whether decoders may begin here.
  func describe(standsAlone: Bool) -> Frame {
    let count = plan.isDivided ? input.analysis.envelopes(after: last, bands: plan.bands) : 1
    let frame = frame(count: count, standsAlone: standsAlone)
    guard count > 1, frame.bits > PSEncoder.largest else { return frame }
    return self.frame(count: 1, standsAlone: standsAlone)
  }

  private func frame(count: Int, standsAlone: Bool) -> Frame {
    let measures = input.analysis.measure(count: count, bands: plan.bands)
    var (intensity, coherence) = (intensity, coherence)
    intensity.plan(measures.map { $0.intensity.map { plan.step(intensity: $0) } }, standsAlone: standsAlone)
    coherence.plan(measures.map { $0.coherence.map { PSPlan.step(coherence: $0) } }, standsAlone: standsAlone)
    // Without envelopes, the last one goes on.
    let changes = standsAlone || intensity.changes || coherence.changes
    if !changes {
      intensity.clear()
      coherence.clear()
    }
    return Frame(
      hasHeader: standsAlone, count: changes ? count : 0, intensity: intensity, coherence: coherence,
      end: measures.last)
  }

  /// Writes a frame as bs_extended_data.
  func write(_ frame: Frame, to bits: inout PacketBitWriter) {
    bits.append(min(frame.size, 15), 4)
    if frame.size >= 15 { bits.append(frame.size - 15, 8) }
    bits.append(SBRElement.stereoExtension, 2)
    bits.append(frame.hasHeader ? 1 : 0, 1)
    if frame.hasHeader {
      for mode in [plan.intensityMode, plan.coherenceMode] {
        bits.append(1, 1)
        bits.append(mode, 3)
      }
      // No phases.
      bits.append(0, 1)
    }
    // Envelopes of the same length: 0, 1, 2 or 4.
    bits.append(0, 1)
    bits.append(frame.count == 4 ? 3 : frame.count, 2)
    frame.intensity.write(to: &bits)
    frame.coherence.write(to: &bits)
    bits.append(0, 8 * frame.size - 2 - frame.bits)
    (intensity, coherence) = (frame.intensity, frame.coherence)
    intensity.keep()
    coherence.keep()
    last = frame.end
  }
}

/// How finely parametric stereo describes.
struct PSPlan: Equatable {
  /// Parameter bands: 10 or 20.
  let bands: Int
  /// Whether intensity differences have 31 steps, not 15.
  let isFine: Bool
  /// Whether frames that change have more than one envelope. That is nearer to each channel, but takes bits from the
  /// sound: at 24 kb/s and below it loses more than it gains.
  let isDivided: Bool

  /// Bits a second that the description takes, more or less: what is left for the one channel decides where SBR begins.
  static let share = 4000

  /// The plan that suits a rate in bits per second. Bands and steps: found by trial (Zimtohrli) at 16 and 20 kb/s.
  init(bitRate: Int) {
    bands = bitRate < 14_000 ? 10 : 20
    isFine = bitRate >= 14_000
    isDivided = bitRate >= 28_000
  }

  /// `iid_mode` and `icc_mode`.
  var intensityMode: Int { (isFine ? 3 : 0) + coherenceMode }
  var coherenceMode: Int { bands == 20 ? 1 : 0 }

  /// The step of an intensity difference in dB.
  func step(intensity: Float) -> Int {
    let decibels = isFine ? PSMatrices.fine : PSMatrices.coarse
    let step = PSPlan.nearest(abs(intensity), in: [0] + decibels)
    return intensity < 0 ? -step : step
  }

  /// The step of a coherence.
  static func step(coherence: Float) -> Int { nearest(coherence, in: PSMatrices.coherences) }

  private static func nearest(_ value: Float, in values: [Float]) -> Int {
    values.indices.min { abs(values[$0] - value) < abs(values[$1] - value) } ?? 0
  }
}
