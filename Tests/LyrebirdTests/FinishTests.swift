import Foundation
import TestSupport
import Testing

@testable import Lyrebird

/// What finishing means, everywhere the same.
@Suite(.inTurn)
struct FinishTests {
  private let folder: TemporaryFolder
  private let sound = PCMBuffer(
    [Int16](repeating: 100, count: 5000), sampleRate: 44_100, layout: .mono)

  init() throws { folder = try TemporaryFolder() }

  /// Has room for a header, and nothing else.
  private final class SmallDisk: ByteSink {
    private var room = 200

    func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError) {
      guard bytes.count <= room else { throw SinkError(.writeFailed(28), name: "a small disk") }
      room -= bytes.count
    }

    func finish() throws(SinkError) { throw SinkError(.finished, name: "a small disk") }
  }

  /// What an application has: an object that keeps an encoder and a writer, and finishes them some day.
  private final class Recording {
    private var encoder: AACEncoder
    private var writer: ADTSWriter

    init(path: String, format: AudioFormat) throws {
      encoder = try AACEncoder(format: format)
      writer = try ADTSWriter(sink: FileSink(path: path), configuration: encoder.configuration)
    }

    func take(_ buffer: PCMBuffer) throws {
      for packet in try encoder.encode(buffer) { try writer.append(packet) }
    }

    func finish() throws -> ADTSWriter.Summary {
      for packet in encoder.finish().packets { try writer.append(packet) }
      return try writer.finish()
    }
  }

  @Test("a class can hold an encoder and a writer, and finish them")
  func heldByClass() throws {
    let path = folder.path("out.aac")
    let recording = try Recording(path: path, format: sound.format)
    try recording.take(sound)
    let summary = try recording.finish()
    #expect(summary.packets == 6)
    #expect(try ADTSReader(SourceReader(FileSource(path: path))).allPackets() == 6)
    #expect(try recording.finish() == summary)
    #expect(throws: AACError(.finished)) { try recording.take(sound) }
  }

  @Test(
    "an encoder that is finished again says the same remainder and has no packets, and takes no more sound"
  )
  func encoder() throws {
    var encoder = try AACEncoder(format: sound.format)
    let early = try encoder.encode(sound)
    let ending = encoder.finish()
    #expect(early.count + ending.packets.count == 6 && ending.remainder == 5 * 1024 - 5000)
    let again = encoder.finish()
    #expect(again.packets.isEmpty && again.remainder == ending.remainder)
    #expect(throws: AACError(.finished)) { _ = try encoder.encode(sound) }
  }

  @Test("writers that are finished again say the same, and take no more")
  func writers() throws {
    var wav = try WAVWriter(path: folder.path("out.wav"), format: sound.format)
    try wav.append(sound)
    let summary = try wav.finish()
    let bytes = FileManager.default.contents(atPath: folder.path("out.wav"))
    #expect(summary.frames == 5000 && bytes?.count == Int(summary.bytes))
    #expect(try wav.finish() == summary)
    #expect(throws: PCMFileError(.finished)) { try wav.append(sound) }
    #expect(throws: PCMFileError(.finished)) { try wav.flush() }
    #expect(throws: PCMFileError(.finished)) { try wav.checkpoint() }
    #expect(FileManager.default.contents(atPath: folder.path("out.wav")) == bytes)
  }

  @Test("a writer that failed says so again whatever is asked of it, and leaves no file")
  func failed() throws {
    var encoder = try AACEncoder(format: sound.format)
    var aac = try ADTSWriter(
      sink: FileSink(path: folder.path("out.aac")), configuration: encoder.configuration)
    let packet = try #require(encoder.finish().packets.first)
    try aac.append(packet)
    let failure = AACError(.notInADTS(.frameBytes(9007)), field: "aac_frame_length", packet: 1)
    #expect(throws: failure) {
      try aac.append(.bytes([UInt8](repeating: 0, count: 9000)[...]), descriptionIndex: 0)
    }
    #expect(throws: failure) { try aac.append(packet) }
    #expect(throws: failure) { try aac.flush() }
    #expect(throws: failure) { try aac.finish() }

    let full = PCMFileError(.sink(SinkError(.writeFailed(28), name: "a small disk")))
    var wav = try WAVWriter(sink: SmallDisk(), format: sound.format)
    try wav.append(sound)
    for _ in 0..<2 {
      #expect(throws: full) { try wav.finish() }
      #expect(throws: full) { try wav.append(sound) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).isEmpty)
  }
}

extension ADTSReader {
  fileprivate func allPackets() throws -> Int {
    var (reader, count) = (self, 0)
    while try reader.next() != nil { count += 1 }
    return count
  }
}
