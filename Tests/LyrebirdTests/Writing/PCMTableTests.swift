import Foundation
import Lyrebird
import TestSupport
import Testing

/// The index of muxed PCM: ffmpeg from 6.0 on finds the frames of a chunk by the one size that all samples have.
@Suite(.inTurn) struct PCMTableTests {
  @Test(
    "frames of PCM that are muxed one by one have one size for all", .needs(.corpus),
    arguments: ["ipcm_16be", "ipcm_24le", "fpcm_32le", "fpcm_64be"])
  func commonSize(name: String) throws {
    let movie = try MP4Demuxer(
      path: Shared.corpus.appendingPathComponent("androidx__media/sample_\(name).mp4").path)
    let track = try #require(movie.audioTrack)
    let format = try #require(track.audioFormat)
    let size = try #require(Int(name.suffix(4).prefix(2))) / 8 * format.channels
    var samples = movie.samples(of: track)
    var data: [UInt8] = []
    while data.count < 300 * size, let sample = try samples.next() { data += try sample.payload.load() }
    let sink = MemorySink()
    let muxer = try MP4Muxer(
      to: sink,
      tracks: [MuxerTrack(audio: track.descriptions[0], timescale: UInt32(format.sampleRate), id: 1)])
    for frame in 0..<300 {
      let timing = SampleTiming(
        decodeTime: Int64(frame), presentationTime: Int64(frame), duration: 1, timescale: UInt32(format.sampleRate))
      let bytes = data.dropFirst(frame * size).prefix(size)
      try muxer.append(EncodedSample(trackID: 1, timing: timing, isSync: true, payload: .bytes(Array(bytes)[...])))
    }
    try muxer.finish()
    let type = Array("stsz".utf8)
    let start = try #require(sink.bytes.indices.first { sink.bytes[$0...].starts(with: type) })
    // After the type: version and flags, the common size, the number of samples.
    func number(_ place: Int) -> Int {
      sink.bytes[(start + place)..<(start + place + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    #expect(number(8) == size && number(12) == 300)
    let reader = try AudioReader(SourceReader(MemorySource(sink.bytes)))
    let expected = try AudioReader(movie, track: track).read(limit: 300)
    #expect(try reader.read() == expected)
  }
}
