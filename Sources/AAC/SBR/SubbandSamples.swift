/// Complex samples of the subbands of a filter bank: for each band a row of time slots, real and imaginary parts apart.
///
/// Rows suit all tools but noise: those of SBR work along time, and four slots at once are a vector.
final class SubbandSamples {
  /// Time slots of a row: 32 of a frame of 1024, with room for the 8 around them that overlap its neighbours.
  static let slots = 40

  let real: AlignedMemory<Float>
  let imaginary: AlignedMemory<Float>
  let bands: Int

  /// Silence in this many bands.
  init(bands: Int) {
    self.bands = bands
    real = AlignedMemory(bands * SubbandSamples.slots)
    imaginary = AlignedMemory(bands * SubbandSamples.slots)
  }

  /// The slots of a band, all of which are checked to exist.
  @inline(__always)
  func row(_ band: Int) -> SubbandRow {
    let first = band * SubbandSamples.slots
    return unsafe SubbandRow(
      real: real.pointer(at: first, count: SubbandSamples.slots),
      imaginary: imaginary.pointer(at: first, count: SubbandSamples.slots))
  }

  /// Silences everything.
  func clear() {
    real.clear()
    imaginary.clear()
  }

  /// Silences the bands of a range, as far as they exist.
  func clear(_ range: Range<Int>) {
    let range = range.clamped(to: 0..<bands)
    real.from(range.lowerBound * SubbandSamples.slots).update(repeating: 0, count: range.count * SubbandSamples.slots)
    imaginary.from(range.lowerBound * SubbandSamples.slots)
      .update(repeating: 0, count: range.count * SubbandSamples.slots)
  }
}

/// One band of `SubbandSamples`, valid as long as these are: slots 0 to 39. Also a part of one, or a delay line.
@unsafe struct SubbandRow {
  let real: UnsafeMutablePointer<Float>
  let imaginary: UnsafeMutablePointer<Float>

  /// The row from a slot on.
  @inline(__always)
  func advanced(by slots: Int) -> SubbandRow {
    unsafe SubbandRow(real: real + slots, imaginary: imaginary + slots)
  }

  /// Copies slots of another row, from a slot of it on, to slots 0 and on. All of them have to exist.
  @inline(__always)
  func copy(_ source: SubbandRow, from first: Int = 0, count: Int) {
    unsafe real.copy(source.real + first, count: count)
    unsafe imaginary.copy(source.imaginary + first, count: count)
  }

  /// Silences the first slots, all of which have to exist.
  @inline(__always)
  func clear(count: Int) {
    unsafe real.update(repeating: 0, count: count)
    unsafe imaginary.update(repeating: 0, count: count)
  }

  /// The sum of the squares of some slots, which have to exist.
  func energy(_ slots: Range<Int>) -> Float {
    // Four sums, like the elements of a vector.
    var (sum0, sum1, sum2, sum3): (Float, Float, Float, Float) = (0, 0, 0, 0)
    var slot = slots.lowerBound
    while slot &+ 4 <= slots.upperBound {
      unsafe sum0 += square(slot)
      unsafe sum1 += square(slot &+ 1)
      unsafe sum2 += square(slot &+ 2)
      unsafe sum3 += square(slot &+ 3)
      slot &+= 4
    }
    var total = sum0 + sum1 + sum2 + sum3
    while slot < slots.upperBound {
      unsafe total += square(slot)
      slot &+= 1
    }
    return total
  }

  @inline(__always)
  private func square(_ slot: Int) -> Float {
    unsafe real[slot] * real[slot] + imaginary[slot] * imaginary[slot]
  }
}

extension UnsafeMutablePointer<Float> {
  /// Four floats from an index on, of any alignment, which have to exist.
  @inline(__always)
  func vector(_ index: Int) -> SIMD4<Float> {
    unsafe UnsafeRawPointer(self + index).loadUnaligned(as: SIMD4<Float>.self)
  }

  /// Stores four floats from an index on, of any alignment, which have to exist.
  @inline(__always)
  func store(_ vector: SIMD4<Float>, _ index: Int) {
    unsafe UnsafeMutableRawPointer(self + index).storeBytes(of: vector, as: SIMD4<Float>.self)
  }

  /// Copies floats, from the first to the last, all of which have to exist. For a few of them the library's function
  /// takes longer to call than to copy.
  @inline(__always)
  func copy(_ source: UnsafeMutablePointer<Float>, count: Int) {
    var index = 0
    while index + 4 <= count {
      unsafe store(source.vector(index), index)
      index += 4
    }
    while index < count {
      unsafe self[index] = source[index]
      index += 1
    }
  }
}
