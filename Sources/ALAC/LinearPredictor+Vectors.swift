// Up to four and up to eight coefficients at once, as nearly all packets have: without branches, of which the one that
// ends the steps is mispredicted with every other sample.

extension LinearPredictor {
  /// Four coefficients, and what depends on them alone. Where there are fewer, the first lanes have no weight.
  struct Taps {
    /// Oldest first.
    var coefficients: SIMD4<Int32>
    /// The samples that they weight.
    var samples: SIMD4<Int32>
    /// How much a step of each counts: 1 for the oldest, 2 for the next; 0 where there is no coefficient.
    let counts: SIMD4<Int32>
    /// All bits where there is a coefficient.
    let isUsed: SIMD4<Int32>

    /// - Parameters:
    ///   - all: all coefficients, newest first.
    ///   - newest: number of the newest of these four among them.
    ///   - samples: the newest of its samples is the one before this.
    init(_ all: [Int32], newest: Int, samples: UnsafePointer<Int32>) {
      (coefficients, self.samples) = (.zero, .zero)
      var (counts, isUsed) = (SIMD4<Int32>.zero, SIMD4<Int32>.zero)
      for lane in 0..<4 {
        let number = newest + 3 - lane
        guard number < all.count else { continue }
        coefficients[lane] = all[number]
        self.samples[lane] = unsafe samples[-1 - number]
        counts[lane] = Int32(all.count - number)
        isUsed[lane] = -1
      }
      (self.counts, self.isUsed) = (counts, isUsed)
    }

    /// How much of the residual each step takes off, taken by itself.
    @inline(__always)
    func effects(_ differences: SIMD4<Int32>, _ sign: SIMD4<Int32>, _ shift: SIMD4<Int32>) -> SIMD4<Int32> {
      let negative = differences &>> 31
      let size = (differences ^ negative) &- negative
      return ((size ^ sign) &- sign) &>> shift &* counts
    }

    /// Makes the steps: those before which something of the residual is left.
    @inline(__always)
    mutating func step(_ differences: SIMD4<Int32>, _ sign: SIMD4<Int32>, rest: SIMD4<Int32>) {
      let isLeft = SIMD4<Int32>.zero.replacing(with: -1, where: (rest ^ sign) &- sign .> 0)
      let isAbove = SIMD4<Int32>.zero.replacing(with: -1, where: differences .> 0)
      let direction = differences &>> 31 &- isAbove
      let steps = ((direction ^ sign) &- sign) & isLeft & isUsed
      // Coefficients have 16 bits, and wrap around at them.
      coefficients = ((coefficients &- steps) &<< 16) &>> 16
    }

    /// The sum of the products; only its lower 32 bits count, so 64 do as well, for which there is an instruction.
    @inline(__always)
    func products(_ differences: SIMD4<Int32>) -> UInt64 {
      let (left, right) = unsafe (
        unsafeBitCast(coefficients, to: SIMD2<UInt64>.self), unsafeBitCast(differences, to: SIMD2<UInt64>.self)
      )
      let mask = SIMD2<UInt64>(repeating: 0xFFFF_FFFF)
      let sums = (left & mask) &* (right & mask) &+ (left &>> 32) &* (right &>> 32)
      return sums.x &+ sums.y
    }

    /// The sums of the lanes before each.
    @inline(__always)
    static func sumsBefore(_ lanes: SIMD4<Int32>) -> SIMD4<Int32> {
      let first = SIMD4(0, lanes.x, lanes.y, lanes.z)
      let second = first &+ SIMD4(0, first.x, first.y, first.z)
      return second &+ SIMD4(0, 0, second.x, second.y)
    }
  }

  /// Up to four coefficients.
  func runFour(_ samples: UnsafeMutablePointer<Int32>, count: Int) {
    let (order, shift, spare) = (coefficients.count, shift, Int32(32 - width))
    let (half, shifts) = (1 &<< (shift &- 1) as Int32, SIMD4(repeating: shift))
    var index = order + 1
    var taps = unsafe Taps(coefficients, newest: 0, samples: samples + index)
    while index < count {
      let (base, residual) = unsafe (samples[index &- order &- 1], samples[index])
      let differences = SIMD4(repeating: base) &- taps.samples
      let sum = half &- Int32(truncatingIfNeeded: taps.products(differences))
      let sample = ((sum &>> shift &+ base &+ residual) &<< spare) &>> spare
      unsafe samples[index] = sample
      index &+= 1
      let sign = SIMD4(repeating: residual &>> 31)
      let taken = Taps.sumsBefore(taps.effects(differences, sign, shifts))
      taps.step(differences, sign, rest: SIMD4(repeating: residual) &- taken)
      taps.samples = SIMD4(taps.samples.y, taps.samples.z, taps.samples.w, sample)
    }
  }

  /// Five to eight coefficients, in two halves.
  struct EightTaps {
    private var old: Taps
    private var new: Taps
    private let half: Int32
    private let shift: Int32

    /// - Parameter samples: the newest of its samples is the one before this.
    init(_ predictor: LinearPredictor, samples: UnsafePointer<Int32>) {
      old = unsafe Taps(predictor.coefficients, newest: 4, samples: samples)
      new = unsafe Taps(predictor.coefficients, newest: 0, samples: samples)
      (half, shift) = (1 &<< (predictor.shift &- 1), predictor.shift)
    }

    /// How far above a base the next sample is expected to be. The base is the sample before all that are weighted.
    @inline(__always)
    func prediction(from base: Int32) -> Int32 {
      let (older, newer) = differences(from: base)
      return (half &- Int32(truncatingIfNeeded: old.products(older) &+ new.products(newer))) &>> shift
    }

    /// Makes the steps that follow a sample, which belongs to the samples before from then on.
    @inline(__always)
    mutating func adapt(to residual: Int32, base: Int32, sample: Int32) {
      let (older, newer) = differences(from: base)
      let (sign, shifts) = (SIMD4(repeating: residual &>> 31), SIMD4(repeating: shift))
      let (first, second) = (old.effects(older, sign, shifts), new.effects(newer, sign, shifts))
      let before = Taps.sumsBefore(first)
      let rest = SIMD4(repeating: residual)
      old.step(older, sign, rest: rest &- before)
      let all = SIMD4(repeating: before.w &+ first.w)
      new.step(newer, sign, rest: rest &- all &- Taps.sumsBefore(second))
      old.samples = SIMD4(old.samples.y, old.samples.z, old.samples.w, new.samples.x)
      new.samples = SIMD4(new.samples.y, new.samples.z, new.samples.w, sample)
    }

    @inline(__always)
    private func differences(from base: Int32) -> (older: SIMD4<Int32>, newer: SIMD4<Int32>) {
      (SIMD4(repeating: base) &- old.samples, SIMD4(repeating: base) &- new.samples)
    }
  }

  /// Five to eight coefficients.
  func runEight(_ samples: UnsafeMutablePointer<Int32>, count: Int) {
    let (order, spare) = (coefficients.count, Int32(32 - width))
    var index = order + 1
    var taps = unsafe EightTaps(self, samples: samples + index)
    while index < count {
      let (base, residual) = unsafe (samples[index &- order &- 1], samples[index])
      let sample = ((taps.prediction(from: base) &+ base &+ residual) &<< spare) &>> spare
      unsafe samples[index] = sample
      index &+= 1
      taps.adapt(to: residual, base: base, sample: sample)
    }
  }
}
