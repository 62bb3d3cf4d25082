import AAC
import Foundation
import Lyrebird
import TestSupport
import Testing

/// Streams of FAAC, which says what it is and not how long its priming is.
@Suite("FAAC's priming", .inTurn)
struct EncoderNoteTests {
  @Test("FAAC's name is found in the fill element that a stream begins with, and nowhere else")
  func names() {
    let long = bytes("de36 0000") + Array("libfaac 1.26.1 (Aug 16 2008)".utf8) + [0, 0, 0]
    #expect(EncoderNote.faac(in: long) == "libfaac 1.26.1")
    let short = bytes("de04 0000") + Array("libfaac 1.28".utf8) + bytes("0000 0190")
    #expect(EncoderNote.faac(in: short) == "libfaac 1.28")
    for count in 0..<short.count - 4 { _ = EncoderNote.faac(in: short.prefix(count)) }
    for text in ["libfaac", "libfaac x.y", "Lavc58.1.1", "libfaac  ", "libfaak 1.28"] {
      #expect(EncoderNote.faac(in: bytes("de04 0000") + Array(text.utf8) + [0, 0, 0, 0, 0, 0]) == nil)
    }
    // In another element it is chance.
    #expect(EncoderNote.faac(in: [0x21] + long) == nil)
  }

  /// Files that FAAC made: of the last packet, the movies say how much is heard.
  static let files = [
    "corpus/sannies__mp4parser/v2.mp4", "corpus/sannies__mp4parser/Tiny_Sample_-_OLD.mp4",
    "corpus/sannies__mp4parser/count-deutsch-audio.mp4", "corpus/androidx__media/sample.adts",
    "corpus/androidx__media/sample_with_id3.adts", "corpus/Borewit__music-metadata/adts-mpeg4.aac", "aac/ct_faac.aac",
  ]

  @Test("Its priming is left out as ffmpeg leaves it out", .needs(.corpus, .ffmpeg), arguments: files)
  func priming(name: String) throws {
    let path = Shared.folder.appendingPathComponent(name).path
    let source = SourceReader(try FileSource(path: path))
    let decoder: AudioTrackDecoder
    if try ADTSReader.looksLikeADTS(source) {
      decoder = try AudioTrackDecoder(AACStream(try ADTSReader(source)))
    } else {
      let movie = try MP4Demuxer(reader: source)
      decoder = try AudioTrackDecoder(movie, track: try #require(movie.audioTrack))
    }
    #expect(decoder.trim.encoder?.hasPrefix("libfaac 1.") == true)
    #expect(decoder.trim.pieces.first?.lowerBound == 1024)
    var samples: [Float] = []
    while let sound = try decoder.next() { samples += sound.payload.floats }
    let reference = try ffmpegDecoded(path, options: [])
    let channels = decoder.format.channels
    #expect(abs(samples.count - reference.count) < 1024 * channels)
    if name.hasSuffix("s") || name.hasSuffix("c") { #expect(samples.count == reference.count) }
    #expect(Difference(samples, reference).ratio > 60, "\(Difference(samples, reference))")
    // Seeking counts from the same frame.
    try decoder.seek(to: 5000)
    let sought = try #require(try decoder.next())
    #expect(sought.timing.presentationTime == 5000)
    #expect(Difference(sought.payload.floats, Array(samples.dropFirst(5000 * channels))).ratio > 80)
  }

  @Test("Where edits cut the priming off, it is not cut off again", .needs(.corpus))
  func edits() throws {
    let path = Shared.folder.appendingPathComponent("aac/ct_faac.aac").path
    var stream = try ADTSReader(SourceReader(try FileSource(path: path)))
    let sink = MemorySink()
    let format = try #require(stream.track.audioFormat)
    let description = SampleDescription.aac(
      audioSpecificConfig: format.decoderConfiguration, sampleRate: 44_100, channels: 2)
    let muxer = try MP4Muxer(
      to: sink, name: "made", tracks: [MuxerTrack(audio: description, timescale: 44_100, priming: 500)])
    for _ in 0..<20 {
      var packet = try #require(try stream.next())
      packet.timing.decodeTime -= 500
      packet.timing.presentationTime -= 500
      try muxer.append(packet)
    }
    _ = try muxer.finish()
    let movie = try MP4Demuxer(reader: SourceReader(MemorySource(sink.bytes)))
    let decoder = try AudioTrackDecoder(movie, track: try #require(movie.audioTrack))
    #expect(decoder.trim.encoder == nil && decoder.trim.pieces == [500..<20 * 1024])
  }
}
