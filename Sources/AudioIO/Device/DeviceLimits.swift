internal import MediaCore

/// The most that a device can be asked for: more than any real one offers, but little enough that memory sized by it
/// stays small. A format may come from a hostile file.
enum DeviceLimits {
  /// Frames a second: the limit of sound servers, four times that of the best converters.
  static let sampleRates = 1...768_000
  /// Channels: those of a MADI cable.
  static let channels = 1...64
  /// Bytes that wait in a ring: two seconds of a device of 64 channels at 48 000 Hz, twice over.
  static let ringBytes = 64 << 20
}

extension AudioFormat {
  /// - Throws: `AudioIOError` `.formatOutOfRange` where no device could have it.
  func check(for device: DeviceName) throws(AudioIOError) {
    guard DeviceLimits.sampleRates.contains(sampleRate), DeviceLimits.channels.contains(channels) else {
      throw AudioIOError(.formatOutOfRange(self), device: device.text)
    }
    guard self == forDevices else {
      throw AudioIOError(.formatNotSupported(self, device: forDevices), device: device.text)
    }
  }

  /// How many frames last this long; a minute at most.
  func frames(in duration: Duration) -> Int {
    let rate = min(max(sampleRate, DeviceLimits.sampleRates.lowerBound), DeviceLimits.sampleRates.upperBound)
    return Int(min(duration.nanoseconds, 60_000_000_000) * Int64(rate) / 1_000_000_000)
  }

  /// How many frames a number of microseconds is, as a server counts them.
  func frames(inMicroseconds microseconds: UInt64) -> Int64 {
    // Split into seconds and the rest: the product of both numbers might overflow.
    let (seconds, rest) = (Int64(min(microseconds, 1 << 52)) / 1_000_000, Int64(min(microseconds, 1 << 52)) % 1_000_000)
    return seconds * Int64(sampleRate) + rest * Int64(sampleRate) / 1_000_000
  }
}
