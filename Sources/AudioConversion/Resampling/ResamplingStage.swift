/// One step of a conversion: a filter whose output is computed at the positions of the new rate only.
///
/// Output n stands at input `n * down / up`, exactly: what the filter needs before and after is taken in advance, so
/// that nothing is delayed. Four outputs at a time are computed, the same four however the input comes: the order of
/// additions, and with it the last bit of the result, does not depend on the blocks.
struct ResamplingStage: Sendable {
  /// Inputs for each so many outputs, in lowest terms.
  private let up: Int
  private let down: Int
  /// What `down / up` is as a number of inputs and a remainder.
  private let advance: (inputs: Int, remainder: Int)
  private let channels: Int
  private let table: PhaseTable

  /// Input: the samples of channel c begin at `c * capacity`.
  private var samples: [Float]
  private let capacity: Int
  /// Where the next output's first input is, and where the inputs end.
  private var start = 0
  private var end = 0
  /// `n * down mod up` and `n mod up` of the next output n.
  private var remainder = 0
  private var row = 0
  /// Rows computed between those of the table.
  private var computed: [Float]

  /// A stage of a plan, which begins with output and input 0.
  init(_ plan: StagePlan, quality: ConversionQuality, channels: Int) {
    let divisor = greatestCommonDivisor(plan.from, plan.to)
    (up, down) = (plan.to / divisor, plan.from / divisor)
    advance = (down / up, down % up)
    self.channels = channels
    let filter = LowPassFilter(
      pass: plan.pass / Double(plan.from), stop: plan.stop / Double(plan.from),
      attenuation: plan.isSteep ? quality.attenuation : quality.wideAttenuation, isTight: plan.isSteep)
    // The fourth output's first input lies at most this far after the first one's.
    let shift = (3 * down + up - 1) / up
    table = PhaseTable(filter, up: up, down: down, shift: shift)
    computed = table.isInterpolated ? [Float](repeating: 0, count: 4 * table.stride) : []
    // Two windows, one of which is in use while the other is filled; vectors of four may reach three floats further.
    capacity = 2 * (table.taps + shift) + PlanarBlock.capacity + 4
    samples = [Float](repeating: 0, count: channels * capacity)
  }

  /// Inputs after an output's position that it needs, those of the fourth of its group included.
  var lookahead: Int { table.taps / 2 + table.padding }

  /// The inputs that one group of outputs needs: so many of silence, and nothing else is heard any more.
  var window: Int { table.taps + table.padding }

  /// The first input that an output needs; negative, where the filter reaches back before the sound.
  func firstInput(of output: Int) -> Int { floorDivision(output * down, up) - table.taps / 2 + 1 }

  /// The first output, or one shortly before it, in which the sound is heard that begins with an input.
  func firstOutput(hearing input: Int) -> Int { floorDivision((input - table.taps / 2) * up, down) }

  /// Begins a new stream.
  ///
  /// - Parameters:
  ///   - output: the number of the first output.
  ///   - sound: the number of the first input; those before it are silence.
  mutating func begin(with output: Int, sound: Int) {
    for index in samples.indices { samples[index] = 0 }
    (start, end) = (0, 0)
    remainder = output * down - floorDivision(output * down, up) * up
    row = output - floorDivision(output, up) * up
    takeSilence(sound - firstInput(of: output))
  }

  // MARK: Input

  /// How many frames can be taken.
  var room: Int { capacity - 4 - (end - start) }

  /// Takes frames of silence, of which there must be room.
  mutating func takeSilence(_ frames: Int) {
    makeRoom(frames)
    for channel in 0..<channels {
      for index in (channel * capacity + end)..<(channel * capacity + end + frames) { samples[index] = 0 }
    }
    end += frames
  }

  /// Takes a block, for which there must be room.
  mutating func take(_ block: borrowing PlanarBlock) {
    makeRoom(block.count)
    let (channels, capacity, end) = (channels, capacity, end)
    let source = block.samples.span
    var target = samples.mutableSpan
    for channel in 0..<channels {
      let (from, to) = (channel * PlanarBlock.capacity, channel * capacity + end)
      for index in 0..<block.count { target[to + index] = source[from + index] }
    }
    self.end += block.count
  }

  /// Takes some frames of interleaved samples, for which there must be room. What is no number, or beyond every
  /// sensible one, counts as silence: it would spoil as much of the output as the filter is long.
  mutating func take(_ frames: Range<Int>, of source: Span<Float>) {
    makeRoom(frames.count)
    let (channels, capacity, end) = (channels, capacity, end)
    var target = samples.mutableSpan
    for channel in 0..<channels {
      var (from, to) = (frames.lowerBound * channels + channel, channel * capacity + end)
      for _ in frames {
        let sample = source[from]
        target[to] = abs(sample) <= ResamplingStage.loudest ? sample : 0
        from += channels
        to += 1
      }
    }
    self.end += frames.count
  }

  /// 2^100: sums of such samples are still finite numbers.
  private static let loudest = Float(sign: .plus, exponent: 100, significand: 1)

  private mutating func makeRoom(_ frames: Int) {
    precondition(frames <= room)
    guard end + frames > capacity - 4 else { return }
    let (channels, capacity, moved) = (channels, capacity, start..<end)
    var target = samples.mutableSpan
    for channel in 0..<channels {
      var to = channel * capacity
      for index in moved {
        target[to] = target[channel * capacity + index]
        to += 1
      }
    }
    (start, end) = (0, moved.count)
  }

  // MARK: Output

  /// Fills a block as far as the input goes.
  mutating func produce(into block: inout PlanarBlock) {
    block.count = 0
    while block.count + 4 <= PlanarBlock.capacity {
      var (rows, shifts, next) = (FourRows(), SIMD4<Int>.zero, (shift: 0, remainder: remainder, row: row))
      var remainders = SIMD4<Int>.zero
      for output in 0..<4 {
        (shifts[output], remainders[output]) = (next.shift, next.remainder)
        rows[output] = next.row * table.stride + table.padding - next.shift
        step(&next)
      }
      let count = (table.taps + shifts.w + 3) & ~3
      guard start + table.taps + shifts.w <= end else { return }
      if table.isInterpolated { rows = computeRows(remainders, shifts) }
      compute(rows, count, into: &block)
      block.count += 4
      (start, remainder, row) = (start + next.shift, next.remainder, next.row)
    }
  }

  /// From one output to the next.
  @inline(__always)
  private func step(_ next: inout (shift: Int, remainder: Int, row: Int)) {
    next.shift &+= advance.inputs
    next.remainder &+= advance.remainder
    if next.remainder >= up {
      next.remainder &-= up
      next.shift &+= 1
    }
    next.row = next.row &+ 1 == up ? 0 : next.row &+ 1
  }

  private mutating func computeRows(_ remainders: SIMD4<Int>, _ shifts: SIMD4<Int>) -> FourRows {
    var rows = FourRows()
    for output in 0..<4 {
      let position = Double(remainders[output]) / Double(up)
      table.interpolate(at: position, to: &computed, start: output * table.stride)
      rows[output] = output * table.stride + table.padding - shifts[output]
    }
    return rows
  }

  /// Four frames at the end of the block.
  @inline(__always)
  private func compute(_ rows: FourRows, _ count: Int, into block: inout PlanarBlock) {
    let rowsInUse = table.isInterpolated ? computed : table.coefficients
    // Floats have no padding: all of their bytes are initialised, and any bytes are floats.
    let coefficients = unsafe rowsInUse.span.bytes
    let sound = unsafe samples.span.bytes
    let frame = block.count
    var target = block.samples.mutableSpan
    var bytes = unsafe target.mutableBytes
    var channel = 0
    while channel < channels {
      let (input, output) = (channel * capacity + start, (channel * PlanarBlock.capacity + frame) * 4)
      if channel + 1 < channels {
        let (one, other) = DotProducts.ofTwo(
          table: coefficients, rows: rows, sound: sound, left: input, right: input + capacity, count: count)
        bytes.storeBytes(of: one, toByteOffset: output, as: SIMD4<Float>.self)
        bytes.storeBytes(of: other, toByteOffset: output + PlanarBlock.capacity * 4, as: SIMD4<Float>.self)
      } else {
        let sums = DotProducts.ofOne(table: coefficients, rows: rows, sound: sound, at: input, count: count)
        bytes.storeBytes(of: sums, toByteOffset: output, as: SIMD4<Float>.self)
      }
      channel += 2
    }
  }
}

extension FourRows {
  /// The row of output 0 to 3.
  @inline(__always)
  fileprivate subscript(output: Int) -> Int {
    get {
      switch output {
      case 0: first
      case 1: second
      case 2: third
      default: fourth
      }
    }
    set {
      switch output {
      case 0: first = newValue
      case 1: second = newValue
      case 2: third = newValue
      default: fourth = newValue
      }
    }
  }
}

/// The largest number that divides both, which are positive.
func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
  var (larger, smaller) = (one, other)
  while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
  return larger
}

/// The quotient, rounded down also where it is negative; the divisor is positive.
func floorDivision(_ dividend: Int, _ divisor: Int) -> Int {
  let quotient = dividend / divisor
  return dividend % divisor < 0 ? quotient - 1 : quotient
}
