import AAC
import Foundation
import Lyrebird
import Synchronization
import TestSupport
import Testing

/// Files that end too early, sources that fail for a while, and tasks that are cancelled: no frame is lost in silence.
@Suite(.inTurn) struct InterruptedReadingTests {
  /// Frames of the files: half a second of noise.
  private static let frames = 22_050

  private static func file(
    frames: Int = frames, _ change: (inout AudioWriter.Options) -> Void = { _ in }
  ) throws -> [UInt8] {
    var options = AudioWriter.Options()
    change(&options)
    let sink = MemorySink()
    let format = AudioFormat(sampleRate: 44_100, sampleFormat: .int16, layout: .stereo)
    let writer = try AudioWriter(to: sink, type: .m4a, format: format, options: options)
    var noise = Noise(seed: 7)
    let samples = (0..<2 * frames).map { _ in Int16.random(in: -9000...9000, using: &noise) }
    try writer.append(PCMBuffer(samples, sampleRate: 44_100, layout: .stereo))
    try writer.finish()
    return sink.bytes
  }

  private static func alac(
    frames: Int = frames, _ layout: MuxerOptions.Layout = .fastStart
  ) throws -> [UInt8] {
    try file(frames: frames) { ($0.codec, $0.layout) = (.appleLossless, layout) }
  }

  private static func reader(_ source: any ByteSource) throws -> AudioReader {
    try AudioReader(SourceReader(source, attempts: 0))
  }

  /// Pulls to the end or to an error.
  private static func pull(_ reader: AudioReader) -> (frames: Int, error: AudioDecodingError?) {
    var frames = 0
    do throws(AudioDecodingError) {
      while let sound = try reader.next(frames: 5000) { frames += sound.payload.frameCount }
      return (frames, nil)
    } catch {
      return (frames, error)
    }
  }

  @Test("a movie that is cut short gives the sound that is there, and then an error")
  func cutShort() throws {
    for bytes in try [
      Self.alac(), Self.alac(frames: Self.frames, .fragmented(seconds: 0.1)), Self.file(),
      Self.file { $0.layout = .fragmented(seconds: 0.1) },
    ] {
      for part in 5...9 {
        let cut = Array(bytes[..<(bytes.count * part / 10)])
        let found = Self.pull(try Self.reader(MemorySource(cut)))
        #expect(found.error?.kind == .badData && found.frames > 0 && found.frames < Self.frames, "\(part): \(found)")
      }
      #expect(Self.pull(try Self.reader(MemorySource(bytes))) == (Self.frames, nil))
    }
  }

  @Test("the command says that the end of a file is missing, and leaves no output")
  func command() throws {
    let folder = try TemporaryFolder()
    let bytes = try Self.alac()
    try Data(bytes[..<(bytes.count / 2)]).write(to: URL(fileURLWithPath: folder.path("cut.m4a")))
    let result = try Command.run("decode", folder.path("cut.m4a"), folder.path("out.wav"))
    #expect(result.status == 65 && !FileManager.default.fileExists(atPath: folder.path("out.wav")), "\(result.errors)")
  }

  @Test("after a read that failed, the next call goes on with the same packet")
  func retried() throws {
    for bytes in try [
      Self.alac(), Self.file(), Self.file { $0.layout = .fragmented(seconds: 0.1) },
      Self.file { $0.codec = .highEfficiencyAAC },
    ] {
      let expected = try Self.reader(MemorySource(bytes)).read()
      let result = try Interruptions(bytes, name: "made.m4a").compare(.sampled(4)) { source in
        var interruptions = 0
        func ask<Answer>(_ body: () throws -> Answer) throws -> Answer {
          do { return try body() } catch { interruptions += 1 }
          return try body()
        }
        let reader = try ask { try AudioReader(source) }
        var samples: [Float] = []
        while let sound = try ask({ try reader.next() }) { samples += sound.payload.floats }
        return (samples == expected, interruptions)
      }
      #expect(result.differences.isEmpty && result.runs > 8, "\(result.differences.prefix(3))")
    }
  }

  @Test("after a seek that failed, the next call gives the sound of its target", arguments: [false, true])
  func retriedSeek(isLossless: Bool) throws {
    let bytes = try isLossless ? Self.alac() : Self.file()
    let whole = try Self.reader(MemorySource(bytes)).read()
    for failing in 0..<24 {
      let source = FaultySource(MemorySource(bytes), .failing(failing))
      guard let reader = try? Self.reader(source) else { continue }
      _ = try? reader.seek(to: 15_000)
      try source.reopen()
      let sound: PCMSample?
      do { sound = try reader.next(frames: 100) } catch {
        try source.reopen()
        sound = try reader.next(frames: 100)
      }
      let found = try #require(sound)
      #expect(found.firstFrame == 15_000 && found.payload.floats == Array(whole[30_000..<30_200]), "\(failing)")
    }
  }

  @Test("a reader whose task was cancelled gives the next one all that follows")
  func cancelled() async throws {
    let bytes = try Self.alac(frames: 4 * Self.frames)
    let format = AudioFormat.float32(22_050, .stereo)
    let whole = try Self.reader(MemorySource(bytes)).read(sampleRate: 22_050)
    let reader = try Self.reader(CancellingSource(MemorySource(bytes)))
    let first = Task { try await reader.blocks(format: format, frames: 1 << 20).makeAsyncIteratorOnce() }
    await #expect(throws: CancellationError.self) { try await first.value }
    var rest: [Float] = []
    while let sound = try reader.next(frames: 3000) { rest += sound.payload.floats }
    #expect(rest == whole)
  }
}

extension AudioBlocks {
  fileprivate func makeAsyncIteratorOnce() async throws -> PCMSample? {
    var iterator = makeAsyncIterator()
    return try await iterator.next()
  }
}

/// Cancels the task that reads from it beyond its middle, once.
private final class CancellingSource: ByteSource {
  let original: MemorySource
  private let hasCancelled = Atomic(false)
  init(_ original: MemorySource) { self.original = original }

  var name: String { original.name }
  var size: UInt64 { original.size }

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    if offset > size / 2, !hasCancelled.exchange(true, ordering: .relaxed) {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
    }
    return try unsafe original.read(at: offset, into: buffer)
  }

  func reopen() throws(SourceError) {}
}
