/// A table of constants for hot loops: it has as many entries as an index of `bits` bits can name, and ignores the
/// other bits of an index. So none is out of range, and where an index is known to be short, nothing is left to check.
///
/// Safe: the memory has an entry for every index, is written to in the initialiser only, and is never freed. Tables are
/// therefore made once in a process.
@safe struct LookupTable<let bits: Int, Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  private let start: UnsafePointer<Element>

  /// A table of 1 to `1 << bits` elements; the last one fills up the rest.
  init(_ elements: [Element]) {
    let count = 1 << bits
    precondition(!elements.isEmpty && elements.count <= count)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Element>.stride, alignment: 64)
    let typed = unsafe memory.bindMemory(to: Element.self, capacity: count)
    for index in 0..<count { unsafe typed[index] = elements[min(index, elements.count - 1)] }
    unsafe start = UnsafePointer(typed)
  }

  /// The entry that the lowest `bits` bits of an index name.
  @inline(__always)
  subscript(_ index: Int) -> Element { unsafe start[index & ((1 << bits) - 1)] }
}
