/// The name of a device, as a person types it.
///
/// | text | capture | render |
/// |---|---|---|
/// | `default` | the server's default source | the server's default sink |
/// | `tone:440` | a tone of that many Hz | – |
/// | `file:in.wav` | a WAVE file, in real time | a WAVE file, in real time |
/// | `null` | – | nothing, in real time |
/// | any other | the server's source of that name | the server's sink of that name |
public struct DeviceName: Sendable, Hashable {
  /// The text of the name.
  public let text: String
  let kind: Kind

  enum Kind: Sendable, Hashable {
    /// A device of the sound server; `nil` for its default.
    case server(String?)
    case tone(Double)
    case file(String)
    case null
  }

  /// The sound server's default device for playing or recording.
  public static let `default` = DeviceName("default")

  /// A name from its text.
  public init(_ text: String) {
    self.text = text
    if text == "default" {
      kind = .server(nil)
    } else if text == "null" {
      kind = .null
    } else if text.hasPrefix("file:") {
      kind = .file(String(text.dropFirst(5)))
    } else if text.hasPrefix("tone:"), let frequency = Double(text.dropFirst(5)), frequency > 0, frequency < 1e6 {
      kind = .tone(frequency)
    } else {
      kind = .server(text)
    }
  }

  /// The file that `file:` reads or writes; `nil` for other devices.
  public var file: String? {
    if case .file(let path) = kind { path } else { nil }
  }

  /// Whether it is simulated by this library rather than provided by a sound server.
  public var isVirtual: Bool {
    if case .server = kind { false } else { true }
  }
}

extension DeviceName: ExpressibleByStringLiteral {
  /// A name from a literal: `Recorder(from: "tone:440", to: "tone.m4a")`.
  public init(stringLiteral text: String) { self.init(text) }
}
