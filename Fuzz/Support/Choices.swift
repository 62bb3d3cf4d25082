// Input bytes as decisions, for targets that make what they try.

/// Takes decisions from bytes, in order; when there are no more, every decision is the first one there is.
struct Choices {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  /// Whether anything is left to decide by.
  var isEmpty: Bool { bytes.isEmpty }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// True once in so many cases, and not when the bytes are used up.
  mutating func once(in count: UInt8) -> Bool { byte() % count == count - 1 }

  /// A number in a range.
  mutating func number(_ range: ClosedRange<Int>) -> Int {
    let wide = range.count > 256 ? Int(byte()) << 8 | Int(byte()) : Int(byte())
    return range.lowerBound + wide % range.count
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int(byte()) % elements.count] }

  /// A time: small, anything, or near a power of two at which something overflows.
  mutating func time() -> UInt64 {
    let ends: [UInt64] = [
      0, 1 << 31, 1 << 32, 1 << 62, UInt64(Int64.max), 1 << 63, .max, UInt64(UInt32.max), 90_000 << 31, 1 << 53,
    ]
    switch byte() % 4 {
    case 0: return UInt64(byte())
    case 1: return UInt64(byte()) << 8 | UInt64(byte())
    case 2: return (0..<8).reduce(0) { time, _ in time << 8 | UInt64(byte()) }
    default: return pick(ends) &+ UInt64(bitPattern: Int64(Int8(bitPattern: byte())))
    }
  }

  /// A duration in 32 bits, mostly a usual one.
  mutating func ticks() -> UInt32 {
    switch byte() % 8 {
    case 0: UInt32(truncatingIfNeeded: time())
    case 1: 0
    default: UInt32(pick([40, 1, 100, 512, 1000, 1024, 3003]))
    }
  }
}
