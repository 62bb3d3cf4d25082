/// A discrete Fourier transform of eight complex values, four of them at once: element `n` of each vector belongs to
/// transform `n`.
///
/// Eight points are the most whose values fit in the processor's registers; the long transforms are made of it. What is
/// loaded and stored has to exist: seven strides after the pointer, with seven pairs of factors.
struct EightPointTransform {
  typealias Vector = SIMD4<Float>

  var r0, r1, r2, r3, r4, r5, r6, r7: Vector
  var i0, i1, i2, i3, i4, i5, i6, i7: Vector

  /// Loads values that lie `stride` vectors apart.
  @inline(__always)
  init(_ real: UnsafeMutablePointer<Vector>, _ imaginary: UnsafeMutablePointer<Vector>, stride: Int) {
    (r0, r1, r2, r3) = unsafe (real[0], real[stride], real[2 * stride], real[3 * stride])
    (r4, r5, r6, r7) = unsafe (real[4 * stride], real[5 * stride], real[6 * stride], real[7 * stride])
    (i0, i1, i2, i3) = unsafe (imaginary[0], imaginary[stride], imaginary[2 * stride], imaginary[3 * stride])
    (i4, i5) = unsafe (imaginary[4 * stride], imaginary[5 * stride])
    (i6, i7) = unsafe (imaginary[6 * stride], imaginary[7 * stride])
  }

  /// Loads eight adjacent values for each of four transforms that lie `stride` vectors apart.
  @inline(__always)
  init(
    transposing real: UnsafeMutablePointer<Vector>, _ imaginary: UnsafeMutablePointer<Vector>, stride: Int
  ) {
    (r0, r1, r2, r3) = unsafe Transposed(real, stride: stride).rows
    (r4, r5, r6, r7) = unsafe Transposed(real + 1, stride: stride).rows
    (i0, i1, i2, i3) = unsafe Transposed(imaginary, stride: stride).rows
    (i4, i5, i6, i7) = unsafe Transposed(imaginary + 1, stride: stride).rows
  }

  /// Transforms: sums over `exp(-2 pi i / 8)`, in natural order.
  @inline(__always)
  mutating func transform() {
    let half = Vector(repeating: 0.707_106_781_186_547_5)
    let (sr04, si04, dr04, di04) = (r0 + r4, i0 + i4, r0 - r4, i0 - i4)
    let (sr26, si26, dr26, di26) = (r2 + r6, i2 + i6, r2 - r6, i2 - i6)
    let (sr15, si15, dr15, di15) = (r1 + r5, i1 + i5, r1 - r5, i1 - i5)
    let (sr37, si37, dr37, di37) = (r3 + r7, i3 + i7, r3 - r7, i3 - i7)
    let (er0, ei0, er1, ei1) = (sr04 + sr26, si04 + si26, sr04 - sr26, si04 - si26)
    let (or0, oi0, or1, oi1) = (sr15 + sr37, si15 + si37, sr15 - sr37, si15 - si37)
    (r0, i0, r4, i4) = (er0 + or0, ei0 + oi0, er0 - or0, ei0 - oi0)
    (r2, i2, r6, i6) = (er1 + oi1, ei1 - or1, er1 - oi1, ei1 + or1)
    let (br0, bi0, br1, bi1) = (dr04 + di26, di04 - dr26, dr04 - di26, di04 + dr26)
    let (cr0, ci0, cr1, ci1) = (dr15 + di37, di15 - dr37, dr15 - di37, di15 + dr37)
    let (tr0, ti0) = ((cr0 + ci0) * half, (ci0 - cr0) * half)
    let (tr1, ti1) = ((ci1 - cr1) * half, (cr1 + ci1) * half)
    (r1, i1, r5, i5) = (br0 + tr0, bi0 + ti0, br0 - tr0, bi0 - ti0)
    (r3, i3, r7, i7) = (br1 + tr1, bi1 - ti1, br1 - tr1, bi1 + ti1)
  }

  /// Multiplies values 1 to 7 by seven complex factors, the real part of each before the imaginary one.
  @inline(__always)
  mutating func rotate(_ factors: UnsafeMutablePointer<Vector>) {
    (r1, i1) = unsafe EightPointTransform.product(r1, i1, factors[0], factors[1])
    (r2, i2) = unsafe EightPointTransform.product(r2, i2, factors[2], factors[3])
    (r3, i3) = unsafe EightPointTransform.product(r3, i3, factors[4], factors[5])
    (r4, i4) = unsafe EightPointTransform.product(r4, i4, factors[6], factors[7])
    (r5, i5) = unsafe EightPointTransform.product(r5, i5, factors[8], factors[9])
    (r6, i6) = unsafe EightPointTransform.product(r6, i6, factors[10], factors[11])
    (r7, i7) = unsafe EightPointTransform.product(r7, i7, factors[12], factors[13])
  }

  @inline(__always)
  private static func product(_ r: Vector, _ i: Vector, _ c: Vector, _ s: Vector) -> (Vector, Vector) {
    (r * c - i * s, r * s + i * c)
  }

  /// Stores values `stride` vectors apart.
  @inline(__always)
  func store(_ real: UnsafeMutablePointer<Vector>, _ imaginary: UnsafeMutablePointer<Vector>, stride: Int) {
    unsafe (real[0], real[stride], real[2 * stride], real[3 * stride]) = (r0, r1, r2, r3)
    unsafe (real[4 * stride], real[5 * stride], real[6 * stride], real[7 * stride]) = (r4, r5, r6, r7)
    unsafe (imaginary[0], imaginary[stride], imaginary[2 * stride], imaginary[3 * stride]) = (i0, i1, i2, i3)
    unsafe (imaginary[4 * stride], imaginary[5 * stride]) = (i4, i5)
    unsafe (imaginary[6 * stride], imaginary[7 * stride]) = (i6, i7)
  }
}
