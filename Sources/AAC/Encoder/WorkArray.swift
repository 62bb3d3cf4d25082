/// Memory that one object of the encoder owns and works in, frame after frame.
///
/// Loops over it run once for each of some hundred thousand lines a second: raw memory spares them bounds checks and
/// copies on write, and lets several values be loaded at once. Every index used with it comes from a scalefactor band
/// table or a loop's bounds, never from the sound.
final class WorkArray<Element: BitwiseCopyable> {
  /// The first element. Valid as long as this object is.
  let base: UnsafeMutablePointer<Element>
  /// How many elements there are.
  let count: Int

  init(_ element: Element, count: Int) {
    self.count = count
    base = .allocate(capacity: count)
    base.initialize(repeating: element, count: count)
  }

  convenience init(_ elements: [Element]) where Element: ExpressibleByIntegerLiteral {
    self.init(0, count: elements.count)
    for (place, element) in elements.enumerated() { base[place] = element }
  }

  deinit { base.deallocate() }

  @inline(__always)
  subscript(index: Int) -> Element {
    get { base[index] }
    set { base[index] = newValue }
  }
}
