import Foundation
import TestSupport
import Testing

@testable import MP4
@testable import MediaCore

/// Recordings made into movies where they lie.
@Suite(.inTurn, .needs(.ffmpeg))
struct RecordingFinisherTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("voice.recording.m4a")
  }

  /// A recording of fragments that ffmpeg made, with a `free` box up to a block in front of its header.
  private func record(seconds: Int, room: Int = 8192) throws {
    let plain = folder.path("plain.m4a")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100", "-t", "\(seconds)", "-c:a", "aac", "-movflags",
      "+empty_moov+default_base_moof+skip_trailer", "-frag_duration", "100000", "-f", "mp4", plain,
    ])
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
    let head = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    let size = UInt32(room - head)
    let free = unsafe withUnsafeBytes(of: size.bigEndian, Array.init) + Array("free".utf8)
    bytes.insert(contentsOf: free + [UInt8](repeating: 0, count: Int(size) - 8), at: head)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// Time, size and sum of every packet, as ffmpeg sees them; it does not see that the last packet of fragments is cut.
  private func packets(_ path: String) throws -> [[Substring]] {
    let result = try Tool.ffmpeg.run([
      "-nostdin", "-v", "error", "-ignore_editlist", "1", "-i", path, "-c", "copy", "-f", "framemd5", "-",
    ])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    return lines.map { line in
      let columns = line.split(separator: ",")
      return [columns[1], columns[2], columns[4], columns[5]]
    }
  }

  @Test(
    "a file copied after each step of finishing plays whole, and the last one has its index in front",
    .needs(.insertion))
  func everyStepPlays() throws {
    try record(seconds: 60)
    let expected = try packets(path)
    try #require(expected.count > 2500)
    var copies: [String] = []
    let (path, folder) = (path, folder)
    let finisher = RecordingFinisher(path: path) { () throws(SinkError) in
      let copy = folder.path("step\(copies.count).m4a")
      try! FileManager.default.copyItem(atPath: path, toPath: copy)
      copies.append(copy)
    }
    try #require(try finisher.run())
    // Three for each range, of which this much index needs two, and two for the index itself.
    #expect(copies.count == 8)
    for (number, copy) in copies.enumerated() {
      #expect(try packets(copy) == expected, "after step \(number)")
      #expect(try MP4Demuxer(path: copy).layout == (number < copies.count - 1 ? .fragmented : .fastStart))
    }
    #expect(try packets(path) == expected)
  }

  @Test("decoding what was finished gives the sound that decoding the recording gave", .needs(.insertion))
  func soundsTheSame() throws {
    try record(seconds: 3)
    let before = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-f", "md5", "-"])
    #expect(try RecordingFinisher(path: path).run())
    let after = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-f", "md5", "-"])
    #expect(before.output == after.output)
    #expect(after.errors.isEmpty)
  }

  @Test("a file that does not begin as a recording does is left as it is", arguments: [0, 4096, 8000])
  func leavesOthers(room: Int) throws {
    if room == 0 {
      try MadeMedia.movie(path, seconds: 1)
    } else {
      try record(seconds: 1, room: room)
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(try !RecordingFinisher(path: path).run())
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test("a sync that fails after any step leaves a file that plays", .needs(.insertion), arguments: 0..<8)
  func survivesFailures(step: Int) throws {
    try record(seconds: 60)
    let expected = try packets(path)
    var count = 0
    let finisher = RecordingFinisher(path: path) { () throws(SinkError) in
      if count == step { throw SinkError(.writeFailed(28), name: "disk") }
      count += 1
    }
    #expect(throws: MP4Error.self) { try finisher.run() }
    #expect(try packets(path) == expected)
  }
}
