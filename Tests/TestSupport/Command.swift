public import Foundation

/// The command under test, as the build made it beside the tests.
public struct Command: Sendable {
  public struct Result: Sendable {
    public let status: Int32
    public let output: Data
    public let errors: String
    public var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// Where the command is.
  public static let path: String = {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("lyrebird").path
  }()

  /// Runs the command with these words and waits.
  public static func run(_ arguments: String...) throws -> Result {
    try run(arguments)
  }

  /// Runs the command with these words and waits.
  public static func run(_ arguments: [String]) throws -> Result {
    let result = try Tool.run(path, arguments)
    return Result(status: result.status, output: result.output, errors: result.errors)
  }

  /// Starts the command and kills it with SIGKILL some microseconds later, if it is not done by then.
  public static func kill(after microseconds: UInt32, _ arguments: String...) throws {
    let process = try BackgroundProcess(path, arguments)
    usleep(microseconds)
    process.end()
  }
}

/// Media that ffmpeg makes for a test.
public enum MadeMedia {
  /// Runs ffmpeg quietly; the last word is the file that it makes.
  public static func make(_ arguments: [String]) throws {
    let result = try Tool.ffmpeg.run(["-nostdin", "-hide_banner", "-v", "error", "-y"] + arguments)
    guard result.status == 0 else { throw MadeMediaError(message: result.errors) }
  }

  /// Test pictures with H.264, and a tone with AAC.
  public static func movie(
    _ path: String, seconds: Double = 2, rate: Int = 44100, channels: Int = 2, options: [String] = []
  )
    throws
  {
    try make(
      [
        "-f", "lavfi", "-i", "testsrc2=size=128x96:rate=25", "-f", "lavfi", "-i",
        "sine=frequency=440:sample_rate=\(rate)",
        "-t", "\(seconds)", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "25", "-pix_fmt", "yuv420p",
        "-c:a", "aac", "-ac", "\(channels)", "-b:a", "\(32 * channels)k",
      ] + options + [path])
  }

  struct MadeMediaError: Error, CustomStringConvertible {
    let message: String
    var description: String { "ffmpeg failed: \(message)" }
  }
}
