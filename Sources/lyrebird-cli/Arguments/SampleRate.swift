internal import ArgumentParser

/// The values of `--rate`.
enum SampleRate {
  /// Refuses what is no sampling rate of sound, such as 44.1 or 48, which means kilohertz.
  static func check(_ rate: Int?) throws {
    guard let rate, !(1000...768_000).contains(rate) else { return }
    throw ValidationError("--rate must be 1000 to 768000 Hz, such as 44100.")
  }
}
