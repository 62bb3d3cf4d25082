/// Memory for the numbers of hot loops: initially zero, aligned for vectors, freed with its owner.
///
/// Safe: it owns its memory, all of which is initialised, and the subscript checks the index. The pointers are not:
/// hot loops use them, as checking each index would cost more than the arithmetic. Each loop states why its indices are
/// in range, and each pointer stays in a call that the owner outlives; nothing outside this module sees them.
@safe final class AlignedMemory<Element: BitwiseCopyable> {
  /// The first of `count` elements, none of which may be accessed once the owner is gone.
  let start: UnsafeMutablePointer<Element>
  /// Number of elements.
  let count: Int
  private let bytes: UnsafeMutableRawBufferPointer

  /// Memory for `count` elements, at least 1, all bits zero.
  init(_ count: Int, of type: Element.Type = Element.self) {
    self.count = max(count, 1)
    unsafe bytes = .allocate(byteCount: self.count * MemoryLayout<Element>.stride, alignment: 64)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe start = bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Element.self)
  }

  /// Memory that holds these elements.
  convenience init(_ elements: [Element]) {
    self.init(elements.count)
    for (offset, element) in elements.enumerated() { self[offset] = element }
  }

  /// An element, 0 up to `count - 1`.
  @inline(__always)
  subscript(index: Int) -> Element {
    get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      return unsafe start[index]
    }
    set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      unsafe start[index] = newValue
    }
  }

  /// A pointer to the elements from an index on, this many of which are checked to exist.
  @inline(__always)
  func pointer(at index: Int, count: Int) -> UnsafeMutablePointer<Element> {
    precondition(index >= 0 && count >= 0 && index <= self.count &- count)
    return unsafe start + index
  }

  deinit {
    unsafe bytes.deallocate()
  }

  /// Sets all bits to zero.
  func clear() {
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// The elements from an index on.
  @inline(__always)
  func from(_ index: Int) -> MemoryPart<Element> { MemoryPart(memory: self, index: index) }

  /// All elements.
  @inline(__always)
  var all: MemoryPart<Element> { from(0) }
}

/// The elements of some memory from an index on, for functions that know how many of them they need: they check that
/// once, where they take the pointer.
struct MemoryPart<Element: BitwiseCopyable> {
  let memory: AlignedMemory<Element>
  let index: Int

  /// A pointer to this many elements, which are checked to exist.
  @inline(__always)
  func pointer(count: Int) -> UnsafeMutablePointer<Element> { unsafe memory.pointer(at: index, count: count) }

  /// Copies elements from another part, which may overlap this one.
  @inline(__always)
  func update(from source: MemoryPart<Element>, count: Int) {
    unsafe pointer(count: count).update(from: source.pointer(count: count), count: count)
  }

  /// Sets elements to a value.
  @inline(__always)
  func update(repeating value: Element, count: Int) {
    unsafe pointer(count: count).update(repeating: value, count: count)
  }

  @inline(__always)
  static func + (part: MemoryPart<Element>, offset: Int) -> MemoryPart<Element> {
    part.memory.from(part.index + offset)
  }
}

extension MemoryPart<Float> {
  /// A pointer to vectors of four with this many elements, which are checked to exist and to be whole vectors.
  @inline(__always)
  func vectors(count: Int) -> UnsafeMutablePointer<SIMD4<Float>> {
    precondition((index | count) & 3 == 0)
    return unsafe pointer(count: count).vectors
  }

  /// The sum of squares of this many elements, which are checked to exist and to be whole vectors.
  @inline(__always)
  func energy(count: Int) -> Float {
    let vectors = unsafe vectors(count: count)
    var (sum, index) = (SIMD4<Float>(), 0)
    while index < count >> 2 {
      unsafe sum += vectors[index] * vectors[index]
      index &+= 1
    }
    return sum.total
  }
}

extension AlignedMemory<Float> {
  /// The same memory as vectors of four.
  var vectors: UnsafeMutablePointer<SIMD4<Float>> { unsafe start.vectors }
}

extension UnsafeMutablePointer<Float> {
  /// The same memory as vectors of four; the address is a multiple of 16, and the memory holds this many floats.
  @inline(__always)
  var vectors: UnsafeMutablePointer<SIMD4<Float>> {
    unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: SIMD4<Float>.self)
  }
}
