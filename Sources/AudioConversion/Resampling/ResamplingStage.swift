internal import MediaCore

/// One step of a conversion: a filter whose output is computed at the positions of the new rate only.
///
/// Output n stands at input `n * down / up`, exactly: what the filter needs before and after is taken in advance, so
/// that nothing is delayed. Four outputs at a time are computed, the same four however the input comes: the order of
/// additions, and with it the last bit of the result, does not depend on the blocks.
struct ResamplingStage: Sendable {
  /// Inputs for each so many outputs, in lowest terms.
  private let up: Int
  private let down: Int
  /// `down / up` as a number of inputs and a remainder.
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

  /// Takes some frames of interleaved samples, for which there must be room. NaN, and what is beyond every
  /// sensible number, counts as silence: it would spoil as much of the output as the filter is long.
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

  /// Four outputs: where their coefficients and their first inputs are.
  private struct Group {
    var rows = FourRows()
    /// First inputs, counted from that of the first output.
    var shifts = SIMD4<Int>.zero
    var remainders = SIMD4<Int>.zero
    /// The first output of the next group.
    var next: (shift: Int, remainder: Int, row: Int)
  }

  /// Fills a block as far as the input goes.
  mutating func produce(into block: inout PlanarBlock) {
    var frames = 0
    // Of all that the loop needs, spans are taken once.
    let (table, capacity, channels, end) = (table, capacity, channels, end)
    var (computed, place) = ([Float](), (start: start, remainder: remainder, row: row))
    swap(&computed, &self.computed)
    do {
      // Floats have no padding: all of their bytes are initialised, and any bytes are floats.
      let exact = unsafe table.coefficients.span.bytes
      let sound = unsafe samples.span.bytes
      var target = block.samples.mutableSpan
      var output = unsafe target.mutableBytes
      while frames + 4 <= PlanarBlock.capacity {
        var group = group(from: place.remainder, place.row)
        guard place.start + table.taps + group.shifts.w <= end else { break }
        let count = (table.taps + group.shifts.w + 3) & ~3
        let input = (start: place.start, capacity: capacity)
        if table.isInterpolated {
          interpolate(&group, to: &computed)
          let rows = unsafe computed.span.bytes
          ResamplingStage.compute(group.rows, rows, count, sound, input, channels, to: &output, at: frames)
        } else {
          ResamplingStage.compute(group.rows, exact, count, sound, input, channels, to: &output, at: frames)
        }
        frames += 4
        place = (place.start + group.next.shift, group.next.remainder, group.next.row)
      }
    }
    block.count = frames
    swap(&computed, &self.computed)
    (start, remainder, row) = place
  }

  /// The four outputs from one on.
  @inline(__always)
  private func group(from remainder: Int, _ row: Int) -> Group {
    var group = Group(next: (0, remainder, row))
    for output in 0..<4 {
      (group.shifts[output], group.remainders[output]) = (group.next.shift, group.next.remainder)
      group.rows[output] = group.next.row &* table.stride &+ table.padding &- group.next.shift
      group.next.shift &+= advance.inputs
      group.next.remainder &+= advance.remainder
      if group.next.remainder >= up {
        group.next.remainder &-= up
        group.next.shift &+= 1
      }
      group.next.row = group.next.row &+ 1 == up ? 0 : group.next.row &+ 1
    }
    return group
  }

  /// Computes the coefficients of a group's outputs.
  private func interpolate(_ group: inout Group, to computed: inout [Float]) {
    for output in 0..<4 {
      let position = Double(group.remainders[output]) / Double(up)
      table.interpolate(at: position, to: &computed, start: output * table.stride)
      group.rows[output] = output * table.stride + table.padding - group.shifts[output]
    }
  }

  /// Computes four frames.
  ///
  /// - Parameters:
  ///   - rows: where the coefficients of each begin.
  ///   - table: all coefficients.
  ///   - count: how many of them are needed.
  ///   - sound: the samples of all channels.
  ///   - input: the index of the first one needed of the first channel, and floats from one channel to the next.
  ///   - output: the block's memory.
  ///   - frame: where in the block the frames go.
  @inline(__always)
  private static func compute(
    _ rows: FourRows, _ table: RawSpan, _ count: Int, _ sound: RawSpan, _ input: (start: Int, capacity: Int),
    _ channels: Int, to output: inout MutableRawSpan, at frame: Int
  ) {
    var channel = 0
    while channel < channels {
      let (first, place) = (channel * input.capacity + input.start, (channel * PlanarBlock.capacity + frame) * 4)
      if channel + 1 < channels {
        let (one, other) = DotProducts.ofTwo(
          table: table, rows: rows, sound: sound, left: first, right: first + input.capacity, count: count)
        output.storeBytes(of: one, toByteOffset: place, as: SIMD4<Float>.self)
        output.storeBytes(of: other, toByteOffset: place + PlanarBlock.capacity * 4, as: SIMD4<Float>.self)
      } else {
        let sums = DotProducts.ofOne(table: table, rows: rows, sound: sound, at: first, count: count)
        output.storeBytes(of: sums, toByteOffset: place, as: SIMD4<Float>.self)
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

/// The quotient, rounded down also where it is negative; the divisor is positive.
func floorDivision(_ dividend: Int, _ divisor: Int) -> Int {
  let quotient = dividend / divisor
  return dividend % divisor < 0 ? quotient - 1 : quotient
}
