internal import MediaCore

/// Why a device stopped, as a plain number, so that its thread need not create an error value.
enum DeviceEnd: Int {
  case running, finished, serverLost, deviceLost, fileFailed

  /// The error, or `nil` if it is none.
  ///
  /// - Parameters:
  ///   - device: the name of the device.
  ///   - failure: why its file failed, if that is known.
  func error(device: DeviceName, failure: (any MediaError)?) -> AudioIOError? {
    switch self {
    case .running, .finished: nil
    case .serverLost: AudioIOError(.serverLost, device: device.text)
    case .deviceLost: AudioIOError(.deviceLost, device: device.text)
    case .fileFailed:
      failure.map { AudioIOError($0, device: device) }
        ?? AudioIOError(.file("reading or writing the file failed"), device: device.text)
    }
  }
}
