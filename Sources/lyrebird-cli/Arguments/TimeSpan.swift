internal import ArgumentParser
internal import Lyrebird

/// A time as people write it: `90`, `1.5`, `1:30`, `1:02:03.5`.
struct TimeSpan: ExpressibleByArgument, Equatable {
  let seconds: Double

  /// The same as a time, to the nanosecond.
  var time: MediaTime { MediaTime(value: Int64((seconds * 1e9).rounded()), timescale: 1_000_000_000) }

  init(seconds: Double) { self.seconds = seconds }

  /// The upper bound: thirty years; frames of more could not be counted.
  private static let limit = 1_000_000_000.0

  /// - Returns: `nil` for anything but hours, minutes and seconds, and for a billion seconds or more. Only the
  ///   seconds may have a fraction, and only the first part may be 60 or more.
  init?(argument: String) {
    let fields = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard fields.count <= 3, let last = fields.last else { return nil }
    var whole: Int64 = 0
    for field in fields.dropLast() {
      guard let value = TimeSpan.whole(field), Double(value) < TimeSpan.limit else { return nil }
      if field.startIndex != argument.startIndex, value >= 60 { return nil }
      whole = (whole + value) * 60
    }
    guard let rest = TimeSpan.decimal(last), fields.count == 1 || rest < 60 else { return nil }
    seconds = Double(whole) + rest
    guard seconds < TimeSpan.limit else { return nil }
  }

  var defaultValueDescription: String { Text.decimals(seconds, 3) }

  private static func whole(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }

  private static func decimal(_ text: Substring) -> Double? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.contains(where: { !$0.isEmpty }),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    return Double("0" + text + (parts.last == "" ? "0" : ""))
  }
}

extension Failure {
  /// For `--from` at or after the end, which is after so many seconds, if that is known.
  static func beyondEnd(_ file: String, seconds: Double?) -> Failure {
    let length = seconds.map { "; the file is \(Text.clock($0, fraction: true)) long" } ?? ""
    return Failure(status: .usage, "\(InputFile.name(file)): --from is at or after the end" + length)
  }

  /// For `--to` before the sound of a movie, which begins after so many seconds.
  static func beforeSound(_ file: String, seconds: Double) -> Failure {
    Failure(
      status: .usage,
      "\(InputFile.name(file)): --to is before the sound, which begins at \(Text.clock(seconds, fraction: true))")
  }

  /// For `--to` at or before `--from`.
  static let endsBeforeStart = Failure(status: .usage, "--to must be later than --from, or than the beginning")
}
