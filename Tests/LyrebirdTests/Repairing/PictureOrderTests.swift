import Foundation
import Lyrebird
import TestSupport
import Testing

/// Which slices are one picture, and when it is shown, where that is harder to tell.
@Suite(.inTurn) struct PictureOrderTests {
  @Test("where a key frame is lost, pictures before and after the gap keep their order", .needs(.ffmpeg))
  func lostKeyFrame() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("made.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25", "-t", "8", "-c:v", "libx264", "-pix_fmt", "yuv420p",
      "-bf", "3", "-g", "50", path,
    ])
    let whole = try WholeMovie(path: path)
    let track = try #require(whole.movie.videoTrack)
    var bytes = whole.bytes
    let places = try whole.places(track)
    for place in places[50] { bytes[place] = 0 }
    var options = MovieRepair.Options()
    options.pattern = whole.movie
    let (report, output) = try repaired(try WholeMovie(bytes).withoutIndex(), options)
    let saved = try WholeMovie(output)
    let found = try #require(saved.movie.videoTrack)
    #expect(report.tracks[0].gapCount == 1)
    func shown(_ movie: WholeMovie, _ track: Track) throws -> [[UInt8]] {
      let payloads = try movie.payloads(track)
      var samples = movie.movie.samples(of: track)
      var times: [(time: Int64, payload: [UInt8])] = []
      for payload in payloads { times.append((try #require(try samples.nextRecord()).presentationTime, payload)) }
      return times.sorted { $0.time < $1.time }.map(\.payload)
    }
    let kept = Set(try saved.payloads(found))
    #expect(kept.count >= places.count - 2)
    #expect(try shown(saved, found) == shown(whole, track).filter { kept.contains($0) })
    // Nobody waits: what is shown first is shown as soon as two pictures are decoded.
    var samples = saved.movie.samples(of: found)
    while let record = try samples.nextRecord() {
      #expect(record.presentationTime - record.decodeTime <= 5 * record.duration)
    }
  }

  @Test("both fields of a frame are one sample, also where only the first is a key frame")
  func fields() throws {
    let samples = (0..<40).map { Self.frame($0) }
    let whole = try Self.movie(samples)
    var options = MovieRepair.Options()
    options.pattern = whole.movie
    let (report, bytes) = try repaired(try whole.withoutIndex(), options)
    let saved = try WholeMovie(bytes)
    #expect(try saved.payloads(saved.movie.tracks[0]) == samples)
    #expect(report.tracks[0].gapCount == 0)
    var records = saved.movie.samples(of: saved.movie.tracks[0])
    while let record = try records.nextRecord() {
      #expect(record.isSync == record.number.isMultiple(of: 16) && record.presentationTime == record.decodeTime)
    }
  }

  // MARK: A stream of H.264 in fields

  /// Bits as they are written: ITU-T H.264, 7.2 and 9.1.
  private struct Bits {
    private var bits: [UInt8] = []

    mutating func u(_ count: Int, _ value: Int) {
      for shift in (0..<count).reversed() { bits.append(UInt8(value >> shift & 1)) }
    }

    mutating func ue(_ value: Int) {
      let width = Int.bitWidth - (value + 1).leadingZeroBitCount
      u(2 * width - 1, value + 1)
    }

    /// The bytes, filled up with ones, so that nothing looks like a start code.
    var bytes: [UInt8] {
      let filled = bits + [UInt8](repeating: 1, count: -bits.count & 7)
      return stride(from: 0, to: filled.count, by: 8).map { filled[$0..<$0 + 8].reduce(0) { $0 << 1 | $1 } }
    }
  }

  private static func slice(_ frame: Int, isBottom: Bool, first: Int) -> [UInt8] {
    let isKey = frame.isMultiple(of: 16) && !isBottom
    var bits = Bits()
    bits.ue(first)
    bits.ue(isKey ? 7 : 5)
    bits.ue(0)
    bits.u(4, frame % 16)
    bits.u(2, isBottom ? 3 : 2)
    if isKey { bits.ue(frame / 16 % 2) }
    bits.u(8, frame % 16 * 2 + (isBottom ? 1 : 0))
    let unit = [isKey ? 0x65 : 0x41] + bits.bytes + [UInt8](repeating: UInt8(0x80 + frame), count: 40 + frame)
    return [0, 0, 0, UInt8(unit.count)] + unit
  }

  /// A frame of two fields, of two slices each.
  private static func frame(_ number: Int) -> [UInt8] {
    [(false, 0), (false, 20), (true, 0), (true, 20)].flatMap { slice(number, isBottom: $0.0, first: $0.1) }
  }

  private static func movie(_ samples: [[UInt8]]) throws -> WholeMovie {
    var set = Bits()
    // Main profile, level 3; number 0, 4 bits of frame_num, order counts of 8 bits, one reference frame.
    for (count, value) in [(8, 77), (8, 0), (8, 30)] { set.u(count, value) }
    for value in [0, 0, 0, 4, 1] { set.ue(value) }
    set.u(1, 0)
    for value in [9, 3] { set.ue(value) }
    // Not only frames.
    set.u(1, 0)
    var picture = Bits()
    for value in [0, 0] { picture.ue(value) }
    picture.u(2, 0)
    func unit(_ header: UInt8, _ bits: Bits) -> [UInt8] { [0, UInt8(bits.bytes.count + 1), header] + bits.bytes }
    let configuration = [1, 77, 0, 30, 0xFF, 0xE1] + unit(0x67, set) + [1] + unit(0x68, picture)
    let sink = MemorySink()
    let track = MuxerTrack(video: .h264(configuration: configuration, width: 160, height: 128), timescale: 25)
    var options = MuxerOptions()
    options.layout = .moovLast
    let muxer = try MP4Muxer(to: sink, tracks: [track], options: options)
    for (number, sample) in samples.enumerated() {
      let timing = SampleTiming(
        decodeTime: Int64(number), presentationTime: Int64(number), duration: 1, timescale: 25)
      try muxer.append(
        EncodedSample(
          trackID: muxer.tracks[0].track.id, timing: timing, isSync: number.isMultiple(of: 16),
          payload: .bytes(sample[...])))
    }
    _ = try muxer.finish()
    return try WholeMovie(sink.bytes)
  }
}
