#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Decides the price of a bit, frame by frame, so that the requested rate is met.
///
/// At one price for all frames, bits go where they remove the most audible noise; the price only follows the rate
/// slowly. Frames may use what earlier ones left over, or borrow from later ones: the bit reservoir. Its limits are the
/// decoder's: its buffer holds 6144 bits per channel, filled at the constant rate and emptied a frame at a time.
///
/// The credit, bits left over so far, follows how full that buffer is: it starts in the middle of a range as wide as
/// the buffer less one frame, and never leaves it.
///
/// An average rate has no such buffer to keep to: what may be borrowed grows with the sound, so that the longer it is
/// the more a difficult passage may take from simple ones, and the slower the price follows.
///
/// A sound that is known from beginning to end has a `PricePlan`. Then the price yields only to what frames take more
/// or less than was expected.
///
/// Source: ISO/IEC 14496-3, 4.5.3 (buffer requirements).
struct RateControl {
  /// Average bits per frame; `nil` for as many as the quality takes.
  let mean: Double?
  /// Whether the rate need only be met on average.
  private let isAverage: Bool
  /// Bits that no frame may exceed: the decoder's buffer.
  let largestFrame: Int
  /// Bits left over by all frames so far, minus those borrowed.
  private var credit = 0.0
  /// Binary logarithm of the price that would just meet the rate.
  private var base: Double
  private var frames = 0
  /// Frames that were not silent.
  private var soundingFrames = 0
  /// Once the sound's length is known: packets that are left, and the bits that all of them may take.
  private var ending: (packets: Int, bits: Double)?
  /// The prices of a sound that is known as a whole.
  private var plan: PricePlan?
  /// The bits that the first frame was given, though it is not part of the sound.
  private var advance = 0.0
  /// The prices of the last frames, each where its number says, modulo their count.
  private var prices: [Float]

  /// Whether the first packet waits until it is certain that others follow.
  let waits: Bool
  /// How many packets of sound are known, if the first one waits, when it is coded: a quarter of a second.
  static let surePackets = 10
  /// The packets of the frames that the encoder looks ahead.
  private static let packetsAhead = 2
  /// How many frames' bits may be borrowed in any case, and how many more for each packet that is known of.
  private static let leastTrust = 0.9
  private static let trustPerPacket = 0.05

  /// How many frames after its price was known a frame may be measured.
  static let delay = 32

  /// How far the price yields to a frame's credit, and how fast it follows lasting changes.
  private static let give = 0.5
  private static let follow = 0.03
  /// How much faster it follows in the first frames that are not silent, as it was a guess, and how many these are.
  private static let firstHaste = 4.0
  private static let firstFrames = 12
  /// The lowest price: below it, noise is far from audible. At an average rate it is lower, as no filling makes up for
  /// what is not spent.
  private static let lowestConstantPrice = -14.0
  private static let lowestAveragePrice = -20.0
  private static let highestPrice = 12.0
  /// An upper bound on how far borrowed bits raise a frame's price, as a binary logarithm.
  private static let mostGive = 3.0
  /// Any frame may take this part of the mean, whatever was borrowed.
  private static let leastShare = 0.3
  /// How many frames' bits may be borrowed or saved up at a constant rate: the rate is right over a few seconds.
  private static let shortLoan = 4.0
  /// The share of all bits so far that may be borrowed or saved up at an average rate.
  private static let averageShare = 0.005
  /// About how many frames' bits are on loan while the price moves at its usual speed.
  private static let usualLoan = 5.0
  /// A mean of this part of the largest frame, or more, leaves frames too little room to average the rate.
  private static let fullShare = 0.85
  /// The share of the sound's bits that may remain unpaid when it ends. If the whole loan had to be repaid, the last
  /// packets would get a third of the mean, and every clip would end in noise.
  private static let lastDebt = 0.015
  /// The part of the decoder's buffer that a plan makes use of: the rest is for frames that do not take what was
  /// expected.
  private static let plannedShare = 0.95
  /// A frame that takes less than this part of the mean is silent.
  private static let silentShare = 0.1

  /// Control for a constant or an average rate.
  init(
    bitsPerFrame: Double, isAverage: Bool = false, channels: Int, linesInUse: Double, waits: Bool = false
  ) {
    mean = bitsPerFrame
    self.waits = waits
    largestFrame = 6144 * channels
    self.isAverage = isAverage && bitsPerFrame < RateControl.fullShare * Double(largestFrame)
    // An initial guess that the first frames correct: two bits per line cause little noise, no bits much.
    base = -2 - 3.2 * bitsPerFrame / linesInUse
    prices = [Float](repeating: Float(exp2(base)), count: RateControl.delay)
  }

  /// Control for a constant quality.
  init(price: Double, channels: Int) {
    mean = nil
    isAverage = false
    waits = false
    largestFrame = 6144 * channels
    base = log2(price)
    prices = [Float](repeating: Float(price), count: RateControl.delay)
  }

  /// The price for the next frame.
  var price: Float {
    guard let mean else { return Float(exp2(base)) }
    let wanted =
      if let plan {
        plan.price(frames) - (plan.isTrial ? 0 : RateControl.give * (credit - plan.credit(frames)) / mean)
      } else {
        base - RateControl.give * credit / (mean * slack)
      }
    return Float(exp2(min(max(wanted, lowestPrice), RateControl.highestPrice)))
  }

  /// The lowest price for a frame.
  var leastPrice: Float { Float(exp2(lowestPrice)) }

  /// The price around which a frame is measured: that which suited the rate `delay` frames before, so that it is known
  /// while the frames between are still to be coded.
  ///
  /// - Parameter frame: its number, less than `delay` after the last one that was coded.
  func price(measuring frame: Int) -> Float { prices[frame % RateControl.delay] }

  /// Bits that the next frame may take.
  var allowance: Int {
    guard let mean else { return largestFrame }
    var bits = income + credit + (plan.map { -$0.limits.lowerBound } ?? min(reservoir, trust * mean))
    if let ending {
      // No later frames pay back a loan: those that are left share what is left.
      let others = Double(ending.packets - 1) * RateControl.leastShare * mean
      bits = min(bits, ending.bits - others)
      if plan == nil { bits = min(bits, 2 * ending.bits / Double(ending.packets)) }
    }
    return Int(min(Double(largestFrame), max(bits, RateControl.leastShare * mean)))
  }

  /// The fewest bits that the next frame must take, in whole bytes: otherwise the rest would not fit in the decoder's
  /// buffer. At the end no more bits arrive than the packets that are left will take.
  var minimum: Int {
    guard mean != nil, !isAverage else { return 0 }
    var bits = income + credit - (plan?.limits.upperBound ?? reservoir)
    if let ending, plan == nil { bits = min(bits, ending.bits - Double(largestFrame)) }
    return min(largestFrame, max(0, Int((bits / 8).rounded(.up)) * 8))
  }

  /// The bits that a frame adds. There is one frame more than the sound is long: the first one's bits come out of the
  /// others', unless the buffer has no room to borrow them.
  private var income: Double {
    guard let mean else { return 0 }
    return frames == 0 ? max(0, mean - reservoir) : mean
  }

  private var lowestPrice: Double { isAverage ? RateControl.lowestAveragePrice : RateControl.lowestConstantPrice }

  /// How many bits may be borrowed or saved up: within the decoder's buffer, and few enough that the rate is right over
  /// a few seconds.
  private var reservoir: Double {
    let mean = mean ?? 0
    if isAverage { return max(RateControl.shortLoan, RateControl.averageShare * Double(frames)) * mean }
    return min((Double(largestFrame) - mean) / 2, RateControl.shortLoan * mean)
  }

  /// How many times slower the price follows, as an average rate may borrow more by now: slowly enough that most of
  /// that is used, and fast enough that its limits are hardly met.
  private var slack: Double {
    isAverage ? max(1, RateControl.averageShare * Double(frames) / RateControl.usualLoan) : 1
  }

  /// How many frames' bits may be borrowed so far: the sound may end at any time, and only the packets that are known
  /// of are sure to come and pay back.
  private var trust: Double {
    let known = frames + (waits ? RateControl.surePackets : RateControl.packetsAhead)
    return RateControl.leastTrust + RateControl.trustPerPacket * Double(known)
  }

  /// The binary logarithm of the price that suits the rate, as far as it is known: at first a guess, with or without a
  /// plan.
  var guess: Double { base }

  /// Trials of prices for a sound of so many frames, counted in packets.
  func trials(frames: Double) -> PriceTrials {
    PriceTrials(target: frames * (mean ?? 0), prices: lowestPrice...RateControl.highestPrice)
  }

  /// The prices for a whole sound, worked out from the sizes of its packets in the trials.
  func plan(by trials: PriceTrials) -> PricePlan {
    let mean = mean ?? 0
    return PricePlan(
      trials, mean: mean, range: isAverage ? nil : RateControl.plannedShare * (Double(largestFrame) - mean),
      mostSaved: RateControl.shortLoan * mean, debt: RateControl.lastDebt * trials.target)
  }

  /// Whether planning is worth it: not where packets hardly differ in size, as the buffer has no room.
  var canPlan: Bool {
    guard let mean else { return false }
    return isAverage || Double(largestFrame) > 3 * mean
  }

  /// The same with the prices of a plan, before the first frame.
  func following(_ plan: PricePlan) -> RateControl {
    var control = self
    control.plan = plan
    control.prices = (0..<RateControl.delay).map { Float(exp2(plan.price($0))) }
    return control
  }

  /// Notes how long the sound is.
  ///
  /// - Parameters:
  ///   - packets: how many are left.
  ///   - frames: how much of the sound has not been paid for, counted in packets; the last one may be a part.
  mutating func expect(packets: Int, frames: Double) {
    // In a long sound, a loan that nobody pays back hardly counts.
    guard let mean, packets > 0, slack == 1, plan?.isTrial != true else { return }
    let sound = (Double(max(self.frames - 1, 0)) + frames) * mean
    ending = (packets, frames * mean + credit - advance + RateControl.lastDebt * sound)
  }

  /// Notes how many bits a packet took, how many of them are for the lines of a spectrum (`nil`: all), and at which
  /// price it was coded in the end.
  mutating func spend(_ bits: Int, content: Int? = nil, price: Float? = nil) {
    guard let mean else { return }
    prices[frames % RateControl.delay] = Float(exp2(plan?.price(frames + RateControl.delay) ?? base))
    if frames == 0 { advance = income }
    credit += income - Double(bits)
    // Silence takes no bits at any price, nor do sounds so simple that the price is lowest. At an average rate, they
    // save what may be borrowed, and no more. Silence does not lower the price: it would be too low for the sound that
    // comes next, whose first second would take all that was saved.
    let isSilent = Double(content ?? bits) < RateControl.silentShare * mean
    if plan == nil, isSilent || isAverage && base <= lowestPrice { credit = min(credit, reservoir) }
    if let ending, ending.packets > 1 { self.ending = (ending.packets - 1, ending.bits - Double(bits)) }
    frames += 1
    guard !isSilent else { return }
    soundingFrames += 1
    let haste = soundingFrames < RateControl.firstFrames ? RateControl.firstHaste : 1
    base -= RateControl.follow * haste / slack * min(max(credit / (mean * slack), -2), 2)
    // After a long simple sound at a high average rate, the price is far too low. A frame that could only be coded at a
    // much higher one shows that.
    if let price, Double(log2(price)) > RateControl.lowestConstantPrice + RateControl.mostGive {
      base = max(base, RateControl.lowestConstantPrice)
    }
    base = min(max(base, lowestPrice), RateControl.highestPrice)
  }
}
