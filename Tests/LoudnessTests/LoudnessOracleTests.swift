import Foundation
import Loudness
import MediaCore
import TestSupport
import Testing

/// Ours beside ffmpeg's ebur128.
@Suite(.inTurn, .needs(.ffmpeg)) struct LoudnessOracleTests {
  @Test("noise that swells and fades is as loud, and its peaks are as high")
  func ebur128() throws {
    let rate = 44_100
    let folder = try TemporaryFolder()
    let path = folder.path("noise.f32")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "anoisesrc=r=\(rate):d=5:a=0.4:c=pink:seed=3", "-af",
      "volume='0.3+0.25*sin(2*PI*t/4)':eval=frame,pan=stereo|c0=c0|c1=0.5*c0", "-f", "f32le", path,
    ])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let samples = stride(from: 0, to: bytes.count - 3, by: 4).map { at in
      Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * $1) })
    }
    var meter = try LoudnessMeter(sampleRate: rate, layout: .stereo)
    meter.add(samples.span)
    meter.finish()
    let theirs = try Tool.ffmpeg.run([
      "-nostdin", "-hide_banner", "-f", "f32le", "-ar", "\(rate)", "-ac", "2", "-i", path, "-af",
      "ebur128=peak=true", "-f", "null", "-",
    ]).errors
    let summary = try #require(theirs.components(separatedBy: "Summary:").last)
    func value(_ name: String) throws -> Double {
      let line = try #require(summary.split(separator: "\n").first { $0.contains(name + ":") })
      return try #require(line.split(separator: " ").compactMap { Double($0) }.first)
    }
    let integrated = try #require(meter.integrated)
    let range = try #require(meter.range)
    let peak = try #require(meter.truePeaks.compactMap { $0 }.max())
    #expect(abs(integrated - (try value("I"))) <= 0.1)
    #expect(abs(range - (try value("LRA"))) <= 0.15)
    #expect(abs(peak - (try value("Peak"))) <= 0.2)
  }
}
