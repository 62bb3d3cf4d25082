import Foundation
import Lyrebird
import TestSupport
import Testing

/// Recordings that grow, and what becomes of them.
@Suite(.inTurn) struct RecordingWriterTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  /// A tone of 440 Hz, so many frames from a place in it on.
  private func tone(from first: Int, count: Int) -> PCMBuffer {
    let samples = (first..<(first + count)).map { Int16(8000 * sin(2 * .pi * 440 * Double($0) / 44_100)) }
    return PCMBuffer(samples.flatMap { [$0, $0] }, sampleRate: 44_100, layout: .stereo)
  }

  private func record(_ writer: RecordingWriter, frames: Int) throws {
    var done = 0
    while done < frames {
      let count = min(1000, frames - done)
      try writer.append(tone(from: done, count: count))
      done += count
    }
  }

  /// Frames that ffmpeg decodes, without a message.
  private func decodedFrames(_ path: String) throws -> Int {
    let result = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-f", "s16le", "-ac", "2", "-"])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    return result.output.count / 4
  }

  @Test(
    "while it grows a recording plays up to a second ago, and when it is finished to the end",
    .needs(.ffmpeg), arguments: ["m4a", "aac", "wav"])
  func playsWhileItGrows(ending: String) throws {
    let path = folder.path("voice." + ending)
    let writer = try RecordingWriter(path: path, format: AudioFormat())
    for second in 1...4 {
      try record(writer, frames: 44_100)
      guard second > 1 else { continue }
      #expect(try names() == ["voice.recording." + ending])
      #expect(try decodedFrames(writer.workingPath) > (second - 1) * 44_100)
    }
    let summary = try writer.finish()
    #expect(summary.frames == 4 * 44_100)
    #expect(try names() == ["voice." + ending])
    // ffmpeg plays the padding of the last packet, and of .aac, which cannot say what it is, the packet of priming too.
    let excess = try decodedFrames(path) - 4 * 44_100 - (ending == "aac" ? 1024 : 0)
    #expect(ending == "wav" ? excess == 0 : (0..<1024).contains(excess))
  }

  @Test("a recording is a movie from its first moment on, before there is any sound")
  func startsAsMovie() throws {
    let writer = try RecordingWriter(path: folder.path("voice.m4a"), format: AudioFormat())
    let movie = try MP4Demuxer(path: writer.workingPath)
    #expect(movie.layout == .fragmented || movie.layout == .unknown)
    #expect(movie.audioTrack?.sampleCount == 0)
    #expect(movie.audioTrack?.edits.map(\.mediaTime) == [MediaTime(value: 1024, timescale: 44_100)])
    writer.cancel()
  }

  @Test("a finished recording is a movie with its index in front, and says how much of it is sound")
  func finished() throws {
    let path = folder.path("voice.m4a")
    let writer = try RecordingWriter(path: path, format: AudioFormat())
    try record(writer, frames: 100_000)
    try writer.finish()
    let movie = try MP4Demuxer(path: path)
    #expect(movie.layout == .fastStart)
    #expect(movie.brands.major == "M4A ")
    let track = try #require(movie.audioTrack)
    #expect(track.edits.map(\.mediaTime) == [MediaTime(value: 1024, timescale: 44_100)])
    #expect(track.duration == MediaTime(value: 100_000, timescale: 44_100))
  }

  @Test("what was not captured becomes silence of that length", arguments: ["wav"])
  func gaps(ending: String) throws {
    let path = folder.path("voice." + ending)
    let writer = try RecordingWriter(path: path, format: AudioFormat())
    try writer.append(tone(from: 0, count: 100))
    try writer.append(PCMSample(tone(from: 50_100, count: 100), at: 50_100))
    let summary = try writer.finish()
    #expect(summary.frames == 50_200)
    #expect(summary.silentFrames == 50_000)
    #expect(summary.gaps == 1)
    var reader = try PCMFileReader(path: path)
    let samples = try #require(try reader.next(frames: 60_000)).payload.int16s
    #expect(samples.count == 2 * 50_200)
    #expect(samples[200..<100_200].allSatisfy { $0 == 0 })
    #expect(Array(samples[100_200...]) == tone(from: 50_100, count: 100).int16s)
  }

  @Test("a recording begins at the time of its first sample, whatever that is")
  func start() throws {
    let writer = try RecordingWriter(path: folder.path("voice.wav"), format: AudioFormat())
    try writer.append(PCMSample(tone(from: 0, count: 100), at: 1_000_000))
    try writer.append(PCMSample(tone(from: 100, count: 100), at: 1_000_150))
    try writer.append(tone(from: 200, count: 10))
    try writer.append(PCMSample(tone(from: 0, count: 0), at: 1_000_300))
    let summary = try writer.finish()
    #expect(summary.frames == 300)
    #expect(summary.silentFrames == 90)
    #expect(summary.gaps == 2)
  }

  @Test("times in other ticks than frames are taken in frames")
  func ticks() throws {
    let writer = try RecordingWriter(path: folder.path("voice.wav"), format: AudioFormat())
    try writer.append(tone(from: 0, count: 100))
    var sample = PCMSample(tone(from: 0, count: 100))
    sample.timing = SampleTiming(decodeTime: 500, presentationTime: 500, duration: 2, timescale: 1000)
    try writer.append(sample)
    #expect(try writer.finish().frames == 22_050 + 100)
  }

  @Test("sound that begins before the end of what is recorded is refused, changes nothing, and the recording goes on")
  func overlap() throws {
    let path = folder.path("voice.wav")
    let writer = try RecordingWriter(path: path, format: AudioFormat())
    try writer.append(PCMSample(tone(from: 0, count: 100), at: 50))
    for (time, frames) in [(149, 1), (50, 100), (.min, UInt64(bitPattern: 150 &- .min))] as [(Int64, UInt64)] {
      let error = #expect(throws: RecordingError.self) {
        try writer.append(PCMSample(tone(from: 500, count: 100), at: time))
      }
      #expect(error?.code == .overlap(frames: frames))
    }
    try writer.append(PCMSample(tone(from: 100, count: 100), at: 150))
    let summary = try writer.finish()
    #expect(summary.frames == 200 && summary.gaps == 0)
    var reader = try PCMFileReader(path: path)
    #expect(try reader.next()?.payload.int16s == tone(from: 0, count: 200).int16s)
  }

  @Test(
    "sound of another rate or of other channels is refused, changes nothing, and the recording goes on",
    arguments: ["m4a", "aac", "wav"])
  func otherFormats(ending: String) throws {
    let writer = try RecordingWriter(path: folder.path("voice." + ending), format: AudioFormat())
    try writer.append(tone(from: 0, count: 5000))
    let others = [(48_000, 2), (44_100, 1), (44_100, 6)].map { AudioFormat(sampleRate: $0, channels: $1) }
    for other in others {
      let buffer = PCMBuffer(
        [Int16](repeating: 1, count: 100 * other.channels), sampleRate: other.sampleRate, layout: other.layout)
      let error = #expect(throws: RecordingError.self) { try writer.append(buffer) }
      #expect(error?.code == .formatChanged(AudioFormat(), to: other) && error?.kind == .misuse)
      // Nor is the gap before it filled.
      #expect(throws: RecordingError.self) { try writer.append(PCMSample(buffer, at: 20_000)) }
    }
    try writer.append(tone(from: 5000, count: 5000))
    let summary = try writer.finish()
    #expect(summary.frames == 10_000 && summary.gaps == 0)
  }

  @Test("a gap of an hour is filled; a longer one is refused, changes nothing, and the recording goes on")
  func longGaps() throws {
    let path = folder.path("voice.wav")
    let format = AudioFormat(sampleRate: 100, layout: .mono)
    let writer = try RecordingWriter(path: path, format: format)
    let sound = PCMBuffer([Int16](1...50), sampleRate: 100, layout: .mono)
    try writer.append(PCMSample(sound, at: -50))
    for time in [360_001, Int64.max - 50, .max] {
      // If it is filled, there is no end to it: then this test is over.
      let error = try #require(throws: RecordingError.self) { try writer.append(PCMSample(sound, at: time)) }
      #expect(error.code == .gapTooLong(frames: UInt64(time)))
    }
    try writer.append(PCMSample(sound, at: 360_000))
    let summary = try writer.finish()
    #expect(summary.frames == 360_100 && summary.gaps == 1 && summary.silentFrames == 360_000)
    #expect(try PCMFileReader(path: path).frameCount == 360_100)
  }

  @Test("a task that is cancelled fills no long gap, but short ones, and its recording can be finished")
  func cancelledGap() async throws {
    let path = folder.path("voice.wav")
    let summary = try await Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      let writer = try RecordingWriter(path: path, format: AudioFormat(sampleRate: 100, layout: .mono))
      let sound = PCMBuffer([Int16](1...50), sampleRate: 100, layout: .mono)
      try writer.append(sound)
      #expect(throws: CancellationError.self) { try writer.append(PCMSample(sound, at: 180_000)) }
      #expect(writer.summary.frames < 2000)
      // What follows the silence is still at its time.
      try writer.append(PCMSample(sound, at: Int64(writer.summary.frames) + 500))
      return try writer.finish()
    }.value
    #expect(summary.silentFrames == summary.frames - 100)
    #expect(try PCMFileReader(path: path).frameCount == summary.frames)
  }

  @Test("a recording that was cut off is not written over, and the next one says that it is there")
  func leftover() throws {
    let path = folder.path("voice.m4a")
    try Data("sound".utf8).write(to: URL(fileURLWithPath: folder.path("voice.recording.m4a")))
    let error = #expect(throws: RecordingError.self) { try RecordingWriter(path: path, format: AudioFormat()) }
    #expect(error?.code == .leftover)
    #expect(try names() == ["voice.recording.m4a"])
  }

  @Test("an older file lives until the new one is finished, and always where it may not be replaced")
  func olderFile() throws {
    let path = folder.path("voice.wav")
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    var options = RecordingWriter.Options()
    options.clobber = false
    #expect(throws: RecordingError.self) { try RecordingWriter(path: path, format: AudioFormat(), options: options) }
    let writer = try RecordingWriter(path: path, format: AudioFormat())
    try record(writer, frames: 1000)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("old".utf8))
    try writer.finish()
    #expect(try PCMFileReader(path: path).frameCount == 1000)
    #expect(try names() == ["voice.wav"])
  }

  @Test("a cancelled recording leaves no file", arguments: ["m4a", "aac", "wav"])
  func cancelled(ending: String) throws {
    let writer = try RecordingWriter(path: folder.path("voice." + ending), format: AudioFormat())
    try record(writer, frames: 100_000)
    writer.cancel()
    #expect(try names() == [])
  }

  @Test("what cannot be recorded leaves no file")
  func refused() throws {
    #expect(throws: RecordingError.self) { try RecordingWriter(path: folder.path("voice"), format: AudioFormat()) }
    #expect(throws: RecordingError.self) { try RecordingWriter(path: folder.path("a.mp3"), format: AudioFormat()) }
    #expect(throws: AACError.self) {
      try RecordingWriter(path: folder.path("a.m4a"), format: AudioFormat(sampleRate: 12_345, channels: 1))
    }
    #expect(try names() == [])
  }
}
