import Foundation
import Lyrebird
import TestSupport
import Testing

/// What a recording is to replace, and what happens to that meanwhile.
@Suite(.inTurn)
struct RecordingTargetTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  private func record(_ writer: RecordingWriter, frames: Int) throws {
    let second = PCMBuffer([Int16](repeating: 1000, count: 2 * 1000), sampleRate: 44_100, layout: .stereo)
    for _ in 0..<(frames / 1000) { try writer.append(second) }
  }

  private func makeFile(_ name: String, mode: Int = 0o644, text: String = "old") throws {
    let path = folder.path(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
  }

  /// What a recorder says before there is any sound.
  private func refusal(_ name: String) -> RecordingError.Code? {
    do {
      _ = try RecordingWriter(path: folder.path(name), format: AudioFormat())
      return nil
    } catch {
      return (error as? RecordingError)?.code
    }
  }

  @Test("what cannot be replaced by a recording is found before there is any sound, and nothing is left behind")
  func badTargets() throws {
    try FileManager.default.createDirectory(atPath: folder.path("folder.m4a"), withIntermediateDirectories: false)
    let isMade = unsafe mkfifo(folder.path("pipe.m4a"), 0o600) == 0
    #expect(isMade)
    try FileManager.default.createSymbolicLink(atPath: folder.path("device.wav"), withDestinationPath: "/dev/null")
    try makeFile("protected.m4a", mode: 0o444)
    let before = try names()
    #expect(refusal("folder.m4a") == .notReplaceable("is a folder"))
    #expect(refusal("pipe.m4a") == .notReplaceable("is a device or a pipe, and a recording needs a file"))
    #expect(refusal("device.wav") == .notReplaceable("is a device or a pipe, and a recording needs a file"))
    #expect(refusal("protected.m4a") == .notReplaceable("is protected from writing"))
    #expect(throws: SinkError.self) {
      try RecordingWriter(path: folder.path("missing/voice.m4a"), format: AudioFormat())
    }
    #expect(try names() == before)
  }

  @Test(
    "through a link a recording grows beside what the link leads to, and the link stays one", arguments: [true, false])
  func link(isThere: Bool) throws {
    let far = try TemporaryFolder()
    if isThere { try Data("old".utf8).write(to: URL(fileURLWithPath: far.path("take.m4a"))) }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("voice.m4a"), withDestinationPath: far.path("take.m4a"))
    let writer = try RecordingWriter(path: folder.path("voice.m4a"), format: AudioFormat())
    #expect(FileManager.default.fileExists(atPath: far.path("take.recording.m4a")))
    try record(writer, frames: 50_000)
    try writer.finish()
    #expect(try names() == ["voice.m4a"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("voice.m4a")) == far.path("take.m4a"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: far.url.path) == ["take.m4a"])
    #expect(try MP4Demuxer(path: far.path("take.m4a")).layout == .fastStart)
  }

  @Test("a recording that is to replace a private file is as private from its first moment on")
  func privateTarget() throws {
    try makeFile("voice.m4a", mode: 0o600)
    let writer = try RecordingWriter(path: folder.path("voice.m4a"), format: AudioFormat())
    #expect(try mode("voice.recording.m4a") == 0o600)
    try record(writer, frames: 50_000)
    try writer.finish()
    #expect(try mode("voice.m4a") == 0o600)
  }

  @Test("a file that is being recorded is not replaced, neither by another recording nor by anything else")
  func growing() throws {
    let recording = try RecordingWriter(path: folder.path("voice.m4a"), format: AudioFormat())
    #expect(refusal("voice.recording.m4a") == .beingRecorded)
    let path = folder.path("voice.recording.m4a")
    #expect(throws: SinkError(.inUse, name: path)) { try FileSink(path: path) }
    recording.cancel()
    #expect(!FileManager.default.fileExists(atPath: path))
    try FileSink(path: path).cancel()
  }

  @Test("two recorders do not share a file: the second is told that it is being recorded, or that it was left behind")
  func twoRecorders() throws {
    let path = folder.path("voice.m4a")
    var first: RecordingWriter? = try RecordingWriter(path: path, format: AudioFormat())
    #expect(refusal("voice.m4a") == .beingRecorded)
    try record(try #require(first), frames: 50_000)
    #expect(refusal("voice.m4a") == .beingRecorded)
    try first?.finish()
    #expect(try MP4Demuxer(path: path).audioTrack?.duration == MediaTime(value: 50_000, timescale: 44_100))
    first = try RecordingWriter(path: path, format: AudioFormat())
    // Let go of without an end, as by a process that is killed.
    first = nil
    #expect(refusal("voice.m4a") == .leftover)
    #expect(try names() == ["voice.m4a", "voice.recording.m4a"])
  }

  @Test("sound after the end is an error, not lost without a word")
  func appendsAfterTheEnd() throws {
    let sound = PCMBuffer([Int16](repeating: 0, count: 200), sampleRate: 44_100, layout: .stereo)
    let finished = try RecordingWriter(path: folder.path("a.wav"), format: AudioFormat())
    try finished.append(sound)
    let summary = try finished.finish()
    #expect(throws: RecordingError(.finished, file: folder.path("a.wav"))) { try finished.append(sound) }
    #expect(try finished.finish() == summary)
    let cancelled = try RecordingWriter(path: folder.path("b.wav"), format: AudioFormat())
    cancelled.cancel()
    #expect(throws: RecordingError(.cancelled, file: folder.path("b.wav"))) { try cancelled.append(sound) }
    #expect(throws: RecordingError(.cancelled, file: folder.path("b.wav"))) { try cancelled.finish() }
    finished.cancel()
    #expect(try names() == ["a.wav"])
  }

  @Test("a recording without any sound replaces nothing and leaves nothing", arguments: ["m4a", "aac", "wav"])
  func nothingRecorded(ending: String) throws {
    try makeFile("voice." + ending)
    let path = folder.path("voice." + ending)
    let writer = try RecordingWriter(path: path, format: AudioFormat())
    let error = RecordingError(.nothingRecorded(because: nil), file: path)
    #expect(throws: error) { try writer.finish() }
    #expect(throws: error) { try writer.finish() }
    #expect(try names() == ["voice." + ending])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("old".utf8))
  }

  @Test("a growing file that is removed or replaced ends the recording, and what took its place is left alone")
  func removed() throws {
    let path = folder.path("voice.m4a")
    for isReplaced in [false, true] {
      let writer = try RecordingWriter(path: path, format: AudioFormat())
      try record(writer, frames: 50_000)
      try FileManager.default.removeItem(atPath: writer.workingPath)
      if isReplaced { try makeFile("voice.recording.m4a", text: "somebody's") }
      let error = RecordingError(.removed(writer.workingPath), file: path)
      #expect(throws: error) { try record(writer, frames: 50_000) }
      #expect(throws: error) { try writer.finish() }
      writer.cancel()
      #expect(try names() == (isReplaced ? ["voice.recording.m4a"] : []))
    }
  }

  @Test("what cannot get its name in the end is kept, plays, and the error tells where it is")
  func nameTaken() throws {
    let path = folder.path("voice.m4a")
    let writer = try RecordingWriter(path: path, format: AudioFormat())
    try record(writer, frames: 50_000)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let error = #expect(throws: RecordingError.self) { try writer.finish() }
    guard case .unfinished(_, let kept) = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try MP4Demuxer(path: kept).audioTrack?.duration == MediaTime(value: 50_000, timescale: 44_100))
    #expect(try names() == ["voice.m4a", "voice.recording.m4a"])
    #expect(error?.description.contains("nothing replaced") == true)
  }

  @Test("a file that appears meanwhile is not replaced where that was forbidden")
  func appearsMeanwhile() throws {
    var options = RecordingWriter.Options()
    options.clobber = false
    let writer = try RecordingWriter(path: folder.path("voice.wav"), format: AudioFormat(), options: options)
    try record(writer, frames: 50_000)
    try makeFile("voice.wav", text: "somebody's")
    let error = #expect(throws: RecordingError.self) { try writer.finish() }
    #expect(
      error?.code == .unfinished(because: "already exists", kept: folder.path("voice.recording.wav")),
      "\(String(describing: error))")
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("voice.wav"))) == Data("somebody's".utf8))
    #expect(try PCMFileReader(path: folder.path("voice.recording.wav")).frameCount == 50_000)
  }

  @Test("the working name is made of the file's name, whatever dots its folder has")
  func workingNames() {
    #expect(RecordingWriter.workingPath(for: "voice.m4a") == "voice.recording.m4a")
    #expect(RecordingWriter.workingPath(for: "a.b/voice") == "a.b/voice.recording")
    #expect(RecordingWriter.workingPath(for: "a.b/.voice") == "a.b/.voice.recording")
    #expect(RecordingWriter.workingPath(for: "a.b/.voice.wav") == "a.b/.voice.recording.wav")
  }
}
