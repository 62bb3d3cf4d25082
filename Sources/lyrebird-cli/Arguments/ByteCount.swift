internal import ArgumentParser

/// A number of bytes as people write it: `24000000`, `24M`, `1.5G`; the letters mean thousands, as on disks.
struct ByteCount: ExpressibleByArgument, Equatable {
  let bytes: UInt64

  private static let units: [Character: Double] = ["k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12]

  /// - Returns: `nil` for anything but a positive number, with a letter or without.
  init?(argument: String) {
    let unit = argument.last.flatMap { ByteCount.units[$0] }
    let digits = unit == nil ? argument[...] : argument.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
      let number = Double(digits), case let count = number * (unit ?? 1), count >= 1, count < 1e18
    else { return nil }
    bytes = UInt64(count)
  }
}
