/// Which kinds of media something holds or asks for.
public struct MediaType: OptionSet, Sendable, Hashable {
  /// One bit per kind: 1 audio, 2 video.
  public let rawValue: UInt8

  /// A set from its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Neither.
  public static let none: MediaType = []
  /// Sound.
  public static let audio = MediaType(rawValue: 1)
  /// Video.
  public static let video = MediaType(rawValue: 2)
  /// Sound and video.
  public static let both: MediaType = [.audio, .video]
}
