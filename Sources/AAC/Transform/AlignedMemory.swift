/// Memory for the numbers of hot loops: initially zero, aligned for vectors, freed with its owner.
///
/// Loops over it use pointers, as checking each index would cost more than the arithmetic. Each loop states what makes
/// that safe; nothing outside this module sees the pointers.
final class AlignedMemory<Element: BitwiseCopyable> {
  /// The first of `count` elements, none of which may be accessed once the owner is gone.
  let start: UnsafeMutablePointer<Element>
  /// Number of elements.
  let count: Int
  private let bytes: UnsafeMutableRawBufferPointer

  /// Memory for `count` elements, at least 1, all bits zero.
  init(_ count: Int, of type: Element.Type = Element.self) {
    self.count = max(count, 1)
    bytes = .allocate(byteCount: self.count * MemoryLayout<Element>.stride, alignment: 64)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    start = bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Element.self)
  }

  /// Memory that holds these elements.
  convenience init(_ elements: [Element]) {
    self.init(elements.count)
    for (offset, element) in elements.enumerated() { start[offset] = element }
  }

  /// An element; the index is not checked, as with a pointer.
  @inline(__always)
  subscript(index: Int) -> Element {
    get { start[index] }
    set { start[index] = newValue }
  }

  deinit {
    bytes.deallocate()
  }

  /// Sets all bits to zero.
  func clear() {
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }
}

extension AlignedMemory<Float> {
  /// The same memory as vectors of four.
  var vectors: UnsafeMutablePointer<SIMD4<Float>> { start.vectors }
}

extension UnsafePointer<Float> {
  /// The same memory as vectors of four; the address is a multiple of 16, and the memory holds this many floats.
  @inline(__always)
  var vectors: UnsafePointer<SIMD4<Float>> {
    UnsafeRawPointer(self).assumingMemoryBound(to: SIMD4<Float>.self)
  }
}

extension UnsafeMutablePointer<Float> {
  /// The same memory as vectors of four; the address is a multiple of 16, and the memory holds this many floats.
  @inline(__always)
  var vectors: UnsafeMutablePointer<SIMD4<Float>> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: SIMD4<Float>.self)
  }
}

extension SIMD4<Float> {
  /// The vector of these bit patterns. Computed values that are then rearranged are moved as bit patterns: otherwise
  /// the compiler would compute them one by one.
  @inline(__always)
  init(_ words: SIMD4<UInt32>) { self = unsafeBitCast(words, to: SIMD4<Float>.self) }

  /// The bit patterns.
  @inline(__always)
  var words: SIMD4<UInt32> { unsafeBitCast(self, to: SIMD4<UInt32>.self) }

  /// The sum of the elements, from the first to the last: the library's `sum()`, which without optimisation calls a
  /// function for each of them.
  @inline(__always)
  var total: Float { x + y + z + w }

  /// The largest element, like `max()`.
  @inline(__always)
  var largest: Float { Swift.max(Swift.max(x, y), Swift.max(z, w)) }

  /// The elements from last to first.
  @inline(__always)
  var reversed: SIMD4<Float> { SIMD4(w, z, y, x) }

  /// `x0 y0 x1 y1` of two vectors.
  @inline(__always)
  static func lowInterleaved(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> {
    let (a, b) = (a.words, b.words)
    return SIMD4<Float>(SIMD4<UInt32>(a.x, b.x, a.y, b.y))
  }

  /// `x2 y2 x3 y3` of two vectors.
  @inline(__always)
  static func highInterleaved(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> {
    let (a, b) = (a.words, b.words)
    return SIMD4<Float>(SIMD4<UInt32>(a.z, b.z, a.w, b.w))
  }
}

extension SIMD8<Float> {
  /// The sum of the elements, like that of four.
  @inline(__always)
  var total: Float { self[0] + self[1] + self[2] + self[3] + self[4] + self[5] + self[6] + self[7] }
}
