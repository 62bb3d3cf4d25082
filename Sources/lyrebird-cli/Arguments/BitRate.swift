internal import ArgumentParser

/// Bits a second as people write them: `96000`, or `96k`.
struct BitRate: ExpressibleByArgument, Equatable {
  let bitsPerSecond: Int

  /// - Returns: `nil` for anything but a positive whole number of bits or thousands of bits.
  init?(argument: String) {
    let isThousands = argument.hasSuffix("k") || argument.hasSuffix("K")
    let digits = isThousands ? argument.dropLast() : argument[...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else { return nil }
    let (bits, isTooMuch) = number.multipliedReportingOverflow(by: isThousands ? 1000 : 1)
    guard !isTooMuch, bits > 0 else { return nil }
    bitsPerSecond = bits
  }

  /// Throws if the unit was forgotten: AAC has no rate below a thousand bits per second.
  func check() throws {
    guard bitsPerSecond < 1000 else { return }
    throw ValidationError(
      "--bitrate \(bitsPerSecond) is \(bitsPerSecond) bits per second. Did you mean \(bitsPerSecond)k?")
  }
}
