/// A generator of repeatable noise: tests that fail once fail again.
public struct Noise: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Noise that depends on nothing but the seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// SplitMix64, as published by Steele, Lea and Flood.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// That many bytes.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
      let word = next()
      unsafe withUnsafeBytes(of: word) { unsafe bytes.append(contentsOf: $0) }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// True once in so many calls.
  public mutating func once(in count: Int) -> Bool {
    Int.random(in: 0..<count, using: &self) == 0
  }
}
