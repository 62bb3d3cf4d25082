/// Why a device stopped, as a plain number, so that its thread need not create an error value.
enum DeviceEnd: Int {
  case running, finished, serverLost, deviceLost, fileFailed

  /// The error, or `nil` if it is none.
  func error(device: String) -> AudioIOError? {
    switch self {
    case .running, .finished: nil
    case .serverLost: AudioIOError(.serverLost, device: device)
    case .deviceLost: AudioIOError(.deviceLost, device: device)
    case .fileFailed: AudioIOError(.file("reading or writing the file failed"), device: device)
    }
  }
}
