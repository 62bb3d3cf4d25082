internal import MediaCore

/// The `iTunSMPB` tag, which iTunes and similar players read for gapless playback: hexadecimal numbers, the second to
/// fourth of which are the priming, the padding at the end and the frames between.
package enum GaplessText {
  /// Which frames a text says are heard, counted from the first that a decoder yields.
  ///
  /// - Returns: `nil` if it is not such a text, or says nothing.
  package static func heard(_ text: String) -> Range<Int64>? {
    let words = text.split(separator: " ").map { UInt64($0, radix: 16) }
    guard words.count >= 4, let priming = words[1], let count = words[3], count > 0,
      priming < 1 << 32, count < 1 << 48
    else { return nil }
    return Int64(priming)..<Int64(priming + count)
  }

  /// The text of an `iTunSMPB` tag.
  static func make(priming: Int64, remainder: Int64, frames: Int64) -> String {
    let head = [0, priming, remainder].map { hexadecimal($0, digits: 8) }.joined(separator: " ")
    let tail = Array(repeating: hexadecimal(0, digits: 8), count: 8).joined(separator: " ")
    return " \(head) \(hexadecimal(frames, digits: 16)) \(tail)"
  }

  private static func hexadecimal(_ number: Int64, digits: Int) -> String {
    String(max(number, 0), radix: 16, uppercase: true).zeroPadded(to: digits)
  }
}
