import Foundation
import MediaCore
import TestSupport
import Testing
import Waveform

/// Pictures of waveforms, decoded by other programs.
@Suite(.inTurn) struct WaveformPictureTests {
  /// Loud at its beginning, silent at its end: a frame a pixel.
  private func waveform(_ length: Int, channels: Int = 1) -> Waveform {
    var builder = WaveformBuilder(sampleRate: 8000, channels: channels, samplesPerPixel: 2, splitChannels: true)
    let samples = (0..<length).flatMap { pixel -> [Int16] in
      let size = pixel < length / 2 ? Int16.max : 0
      return [[Int16]](repeating: [Int16](repeating: size, count: channels), count: 1)[0]
        + [Int16](repeating: -size, count: channels)
    }
    builder.append(samples.span)
    return builder.finish()
  }

  private func write(_ waveform: Waveform, _ format: WaveformFormat, to path: String) throws {
    let sink = MemorySink()
    try waveform.write(format, to: sink)
    try Data(sink.bytes).write(to: URL(fileURLWithPath: path))
  }

  /// The pixels as ffmpeg sees them: red, green, blue, alpha.
  private func pixels(_ path: String) throws -> [[UInt8]] {
    let result = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgba", "-"])
    #expect(result.errors == "")
    let bytes = Array(result.output)
    return stride(from: 0, to: bytes.count, by: 4).map { Array(bytes[$0..<$0 + 4]) }
  }

  @Test("a PNG has the wave's colour where sound is, and nothing elsewhere", .needs(.ffmpeg), arguments: [101, 400])
  func png(width: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.png")
    let color = WaveformPicture.Color(red: 200, green: 100, blue: 50)
    let picture = WaveformPicture(width: width, height: 99, color: color)
    try write(waveform(400), .png(picture), to: path)
    let pixels = try pixels(path)
    #expect(pixels.count == width * 99)
    func pixel(_ x: Int, _ y: Int) -> [UInt8] { pixels[y * width + x] }
    let (wave, nothing): ([UInt8], UInt8) = ([200, 100, 50, 255], 0)
    // 92 hundredths of the height are full scale; below the edge is all wave, above nothing.
    for (x, y) in [(0, 49), (0, 5), (width / 4, 93), (width / 3, 20), (width - 1, 49)] { #expect(pixel(x, y) == wave) }
    for (x, y) in [(0, 0), (0, 98), (width - 1, 47), (width - 1, 51), (width / 4, 2)] {
      #expect(pixel(x, y)[3] == nothing)
    }
    // The edge lies at 49.5 × 0.08 = 3.96 from the top: row 3 is covered by a 25th, which rounds to a step of 15.
    #expect(pixel(0, 3) == [200, 100, 50, 17] && pixel(0, 4) == wave)
  }

  @Test("with a background a PNG is opaque, and channels lie in lanes", .needs(.ffmpeg))
  func lanes() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.png")
    let (white, black) = (WaveformPicture.Color("#fff"), WaveformPicture.Color("#000000"))
    try write(
      waveform(50, channels: 2), .png(WaveformPicture(width: 50, height: 100, color: black, background: white)),
      to: path)
    let pixels = try pixels(path)
    #expect(pixels.allSatisfy { $0[3] == 255 })
    func isBlack(_ x: Int, _ y: Int) -> Bool { pixels[y * 50 + x] == [0, 0, 0, 255] }
    for y in [3, 25, 46, 53, 75, 96] { #expect(isBlack(0, y)) }
    for y in [0, 49, 50, 99] { #expect(!isBlack(0, y)) }
    #expect(pixels[10 * 50 + 49] == [255, 255, 255, 255])
  }

  @Test("the sums and the compressed data of a PNG hold", .needs(.python), arguments: [1, 2, 333, 4000])
  func stream(width: Int) throws {
    let check = """
      import struct, sys, zlib
      data, place, pixels = open(sys.argv[1], "rb").read(), 8, b""
      while place < len(data):
          size, = struct.unpack_from(">I", data, place)
          body = data[place + 4:place + 8 + size]
          assert struct.unpack_from(">I", data, place + 8 + size)[0] == zlib.crc32(body)
          if body[:4] == b"IDAT": pixels += body[4:]
          place += 12 + size
      print(len(zlib.decompress(pixels)), data[-8:-4])
      """
    let folder = try TemporaryFolder()
    let path = folder.path("a.png")
    var builder = WaveformBuilder(sampleRate: 8000, channels: 1, samplesPerPixel: 3)
    builder.append(WaveformDataTests.noise(20_000, seed: 9).span)
    try write(builder.finish(), .png(WaveformPicture(width: width, height: 301)), to: path)
    let result = try Tool.python.run(["-c", check, path])
    #expect(result.errors == "")
    #expect(String(decoding: result.output, as: UTF8.self) == "\((1 + (width + 1) / 2) * 301) b'IEND'\n")
  }

  @Test("an SVG is well-formed, small, and stays within its frame", .needs(.python), arguments: [1, 2])
  func svg(channels: Int) throws {
    // Follows the path, whose steps are relative.
    let check = """
      import re, sys, xml.dom.minidom
      svg = xml.dom.minidom.parse(sys.argv[1]).documentElement
      path = svg.getElementsByTagName("path")
      assert len(path) == 1
      x = y = 0.0
      xs, ys = [], []
      for letter, numbers in re.findall(r"([Mlz])([^Mlz]*)", path[0].getAttribute("d")):
          numbers = [float(number) for number in re.findall(r"-?(?:\\d+\\.\\d|\\.\\d|\\d+)", numbers)]
          assert len(numbers) % 2 == 0
          for one, other in zip(numbers[::2], numbers[1::2]):
              x, y = (one, other) if letter == "M" else (x + one, y + other)
              xs.append(x); ys.append(y)
      print(round(min(xs)), round(max(xs)), round(min(ys)), round(max(ys)), path[0].getAttribute("fill"))
      """
    let folder = try TemporaryFolder()
    let path = folder.path("a.svg")
    for (color, fill) in [(nil, "currentColor"), (WaveformPicture.Color("12ab3480"), "#12ab34")] {
      try write(
        waveform(2000, channels: channels), .svg(WaveformPicture(width: 500, height: 200, color: color)), to: path)
      let result = try Tool.python.run(["-c", check, path])
      #expect(result.errors == "")
      let air = channels == 1 ? 8 : 4
      #expect(String(decoding: result.output, as: UTF8.self) == "0 500 \(air) \(200 - air) \(fill)\n")
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < 8000 * channels)
    }
  }

  @Test("colours are read as style sheets write them, and nothing else is")
  func colors() {
    typealias Color = WaveformPicture.Color
    #expect(Color("#fA0") == Color(red: 255, green: 170, blue: 0))
    #expect(Color("0102ff") == Color(red: 1, green: 2, blue: 255))
    #expect(Color("#01020380") == Color(red: 1, green: 2, blue: 3, alpha: 128))
    for text in ["", "#", "red", "#12345", "#1234567", "#ééé", "#ff\u{FF11}"] { #expect(Color(text) == nil) }
  }
}
