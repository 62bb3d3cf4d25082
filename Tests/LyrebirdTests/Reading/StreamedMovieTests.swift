import Foundation
import TestSupport
import Testing

@testable import Lyrebird

/// Movies in fragments whose bytes come once, in order.
@Suite(.inTurn) struct StreamedMovieTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A film of eight seconds in fragments of one, with sound.
  private func film() throws -> [UInt8] {
    let path = folder.path("film.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25", "-f", "lavfi", "-i",
      "anoisesrc=c=pink:a=0.3:r=48000:seed=1", "-t", "8", "-c:v", "mpeg4", "-g", "25", "-c:a", "aac", "-aac_pns", "0",
      "-movflags", "frag_keyframe+empty_moov+default_base_moof", path,
    ])
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Offsets of the fragments.
  private func fragments(_ bytes: [UInt8]) throws -> [Int] {
    var parser = BoxParser(SourceReader(MemorySource(bytes)))
    return try parser.nodes(from: 0, to: UInt64(bytes.count)).0.map(\.header).filter { $0.type == "moof" }.map {
      Int($0.offset)
    }
  }

  /// The sound that comes, and what ended it.
  private func sound(_ reader: AudioReader) -> (samples: [Float], error: AudioDecodingError?) {
    var samples: [Float] = []
    do throws(AudioDecodingError) {
      while let next = try reader.next() { samples += next.payload.floats }
      return (samples, nil)
    } catch {
      return (samples, error)
    }
  }

  @Test("sound comes as from a file, fragment by fragment, and seeks forward", .needs(.ffmpeg))
  func live() throws {
    let bytes = try film()
    let whole = sound(try AudioReader(SourceReader(MemorySource(bytes)))).samples
    let pipe = PipedBytes(bytes, history: 1 << 16)
    let reader = try AudioReader(SourceReader(pipe))
    #expect(reader.isStream && reader.fileType == .movie && reader.track?.kind == .audio)
    let moofs = try fragments(bytes)
    try #require(moofs.count == 8)
    let first = try #require(try reader.next()).payload.floats
    #expect(pipe.furthest < UInt64(moofs[1]))
    let rest = sound(reader)
    #expect(first + rest.samples == whole && rest.error == nil && reader.missingBytes == 0)

    let sought = try AudioReader(SourceReader(PipedBytes(bytes, history: 1 << 16)))
    try sought.seek(to: 200_000)
    #expect(sound(sought).samples == Array(whole[200_000...]))
  }

  @Test("HE-AAC comes as from a file, unless its beginning depends on its end", .needs(.ffmpeg))
  func highEfficiency() throws {
    let path = folder.path("he.m4a")
    var options = AudioWriter.Options()
    (options.codec, options.bitRate) = (.highEfficiencyAAC, 48_000)
    let writer = try AudioWriter(path: path, format: .int16(44_100, .stereo), options: options)
    var generator = Noise(seed: 9)
    let samples = (0..<200_000).map { _ in Int16.random(in: -4000...4000, using: &generator) }
    try writer.append(PCMBuffer(samples, sampleRate: 44_100, layout: .stereo))
    try writer.finish()
    // ffmpeg leaves the edits out.
    let plain = folder.path("plain.mp4")
    try MadeMedia.make([
      "-i", path, "-c", "copy", "-use_editlist", "0", "-map_metadata", "-1", "-movflags",
      "empty_moov+default_base_moof", "-frag_duration", "500000", plain,
    ])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
    let whole = sound(try AudioReader(SourceReader(MemorySource(bytes)))).samples
    let reader = try AudioReader(SourceReader(PipedBytes(bytes, history: 1 << 16)))
    #expect(sound(reader).samples == whole && whole.count > 200_000)

    let sink = MemorySink()
    var layout = Remuxer.Options()
    layout.layout = .fragmented
    _ = try Remuxer(from: MP4Demuxer(path: path), to: sink, options: layout).run()
    #expect(throws: AudioDecodingError.movieInStream(file: "pipe")) {
      _ = try AudioReader(SourceReader(PipedBytes(sink.bytes, history: .max)))
    }
  }

  @Test("what comes before the pipe breaks is heard", .needs(.ffmpeg))
  func broken() throws {
    let bytes = try film()
    let whole = sound(try AudioReader(SourceReader(MemorySource(bytes)))).samples
    let first = try fragments(bytes)[0]
    var longest = 0
    for length in stride(from: first + 200, to: bytes.count, by: 4099) {
      let reader = try AudioReader(SourceReader(PipedBytes(Array(bytes[..<length]), history: .max)))
      let (samples, error) = sound(reader)
      #expect(error == nil && whole.starts(with: samples) && samples.count >= longest, "\(length)")
      longest = samples.count
    }
    #expect(longest > whole.count / 2)
    // In the midst of a packet.
    let movie = try MP4Demuxer(source: MemorySource(bytes))
    var packets = movie.samples(of: try #require(movie.audioTrack))
    try packets.seek(toSample: 100)
    let record = try #require(try packets.nextRecord())
    let cut = Array(bytes[..<(Int(record.offset) + record.size - 10)])
    let reader = try AudioReader(SourceReader(PipedBytes(cut, history: .max)))
    #expect(sound(reader).samples.count == 100 * 1024 && reader.missingBytes == 10)
  }

  @Test("damage is an error after the fragments before it", .needs(.ffmpeg))
  func damaged() throws {
    var bytes = try film()
    let moof = try fragments(bytes)[3]
    let run = try #require(Data(bytes[moof...]).range(of: Data("trun".utf8)))
    // More samples than fit.
    for index in 0..<4 { bytes[moof + run.lowerBound + 8 + index] = 0x7F }
    let (samples, error) = sound(try AudioReader(SourceReader(PipedBytes(bytes, history: .max))))
    #expect(samples.count > 100_000 && samples.count < 300_000)
    #expect("\(try #require(error))".contains("pipe"))
  }

  @Test("a movie whose end has to be known first says that it cannot be read from a pipe", .needs(.ffmpeg))
  func whole() throws {
    let path = folder.path("whole.m4a")
    try MadeMedia.make(["-f", "lavfi", "-i", "anoisesrc=d=1", "-c:a", "aac", path])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(throws: AudioDecodingError.movieInStream(file: "pipe")) {
      _ = try AudioReader(SourceReader(PipedBytes(bytes, history: .max)))
    }
  }
}
