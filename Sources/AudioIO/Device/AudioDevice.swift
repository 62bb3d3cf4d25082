public import MediaCore

/// Something that can record or play.
public struct AudioDevice: Sendable, Hashable, Identifiable {
  /// Which way sound goes.
  public enum Direction: Sendable, Hashable {
    /// From the device to us.
    case capture
    /// From us to the device.
    case playback
  }

  /// The identifier to request it by.
  public let id: String
  /// What people call it.
  public let name: String
  /// Which way sound goes.
  public let direction: Direction
  /// Whether it is used if none is requested.
  public let isDefault: Bool
  /// Whether it records what another device plays.
  public let isMonitor: Bool
  /// Its native format. Other formats work too, but are converted by the server.
  public let format: AudioFormat

  /// A device from its parts.
  public init(
    id: String, name: String, direction: Direction, isDefault: Bool = false, isMonitor: Bool = false,
    format: AudioFormat
  ) {
    self.id = id
    self.name = name
    self.direction = direction
    self.isDefault = isDefault
    self.isMonitor = isMonitor
    self.format = format
  }

  /// The devices of the sound server. Virtual devices are not listed, as there is no limit to them; see `DeviceName`.
  ///
  /// - Parameter server: which server; see `AudioOptions`.
  /// - Throws: `AudioIOError`: `.noLibrary`, `.noServer`, `.refused`.
  public static func all(server: String? = nil) throws(AudioIOError) -> [AudioDevice] {
    let connection = try PulseConnection(server: server)
    defer { connection.close() }
    return try connection.devices()
  }
}
