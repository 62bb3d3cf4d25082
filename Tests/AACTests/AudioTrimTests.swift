import Foundation
import Lyrebird
import TestSupport
import Testing

@Suite("Audio trim", .inTurn)
struct AudioTrimTests {
  /// A track at 44.1 kHz with edits: start in media ticks, `nil` for an empty edit, and duration in ticks of a second
  /// divided by `scale`.
  private func trim(
    _ edits: [(start: Int64?, duration: Int64)], scale: UInt32 = 44100, length: Int64, tag: String? = nil,
    rate: Int = 44100
  ) -> [Range<Int64>] {
    var track = Track(id: 1, kind: .audio, timescale: 44100)
    track.edits = edits.map { edit in
      Edit(
        duration: MediaTime(value: edit.duration, timescale: scale),
        mediaTime: edit.start.map { MediaTime(value: $0, timescale: 44100) })
    }
    return AudioTrim(
      track: track, start: MediaTime(value: 0, timescale: 44100), length: length, smoothPlayback: tag, sampleRate: rate
    ).pieces
  }

  private static let tag = " 00000000 00000840 000003C0 0000000000019000 00000000 00000000"

  @Test("without any information nothing is trimmed")
  func nothing() {
    #expect(trim([], length: 10240) == [0..<10240])
    #expect(trim([], length: 10240, tag: "no numbers") == [0..<10240])
    #expect(trim([], length: 2112, tag: Self.tag) == [0..<2112], "a tag about frames that are not there")
    #expect(trim([(nil, 500)], length: 10240) == [0..<10240])
  }

  @Test("pieces that are too long to count have no length")
  func endless() {
    #expect(AudioTrim(pieces: [-5..<Int64.max]).frameCount == nil)
    #expect(AudioTrim(pieces: [Int64.min..<5]).frameCount == nil)
    #expect(AudioTrim(pieces: [0..<(.max - 1), 0..<(.max - 1)]).frameCount == nil)
  }

  @Test("an edit says which frames are heard, exactly")
  func edit() {
    #expect(trim([(1024, 5000)], length: 10240) == [1024..<6024])
    #expect(trim([(nil, 300), (1024, 5000)], length: 10240) == [1024..<6024])
    #expect(trim([(1024, 5000), (8000, 100)], length: 10240) == [1024..<6024, 8000..<8100])
    #expect(trim([(1024, 50_000)], length: 10240) == [1024..<10240], "as much of it as there is")
    #expect(trim([(20_000, 100)], length: 10240) == [10240..<10240], "beyond the media")
    #expect(trim([(.max, .max)], length: 10240) == [10240..<10240])
    #expect(trim([(1024, 0)], length: 1024) == [1024..<1024], "an encoder that was given nothing")
  }

  @Test("an edit in milliseconds that ends with the media ends with its last frame")
  func coarse() {
    // 1 000 003 frames are 22 675.8 ms; the media itself ends on the frame.
    #expect(trim([(1024, 22676)], scale: 1000, length: 1_001_027) == [1024..<1_001_027])
    #expect(trim([(1024, 22675)], scale: 1000, length: 1_001_027) == [1024..<1_001_027])
    #expect(trim([(1024, 22000)], scale: 1000, length: 1_001_027) == [1024..<971_224])
  }

  @Test("an edit without a length goes on to the end of the last packet")
  func open() {
    #expect(trim([(1024, 0)], length: 9876) == [1024..<9876])
  }

  @Test("a tag says priming and length, unless edits cut something off")
  func smoothPlayback() {
    #expect(trim([], length: 105_472, tag: AudioTrimTests.tag) == [2112..<104_512])
    #expect(trim([(0, 105_472)], length: 105_472, tag: AudioTrimTests.tag) == [2112..<104_512])
    #expect(trim([(1024, 100)], length: 105_472, tag: AudioTrimTests.tag) == [1024..<1124])
    #expect(AudioTrim(smoothPlayback: " 0 0 0 0") == nil)
    #expect(AudioTrim(smoothPlayback: " 0 FFFFFFFFFFFFFFFF 0 FFFFFFFFFFFFFFFF") == nil)
  }

  @Test("times of the track are turned into frames of the decoder")
  func rates() {
    #expect(trim([(2048, 20_000)], length: 51_200, rate: 22050) == [1024..<11_024])
  }
}

@Suite("Audio track decoder", .inTurn, .needs(.ffmpeg))
struct AudioTrackDecoderTests {
  private func all(_ decoder: AudioTrackDecoder) throws -> [Float] {
    var samples: [Float] = []
    while let sound = try decoder.next() { samples += sound.payload.floats }
    return samples
  }

  private func decoder(_ path: String) throws -> AudioTrackDecoder {
    let movie = try MP4Demuxer(path: path)
    return try AudioTrackDecoder(movie, track: try #require(movie.audioTrack))
  }

  @Test(
    "as many frames come out as went in, in their places", arguments: [1, 1023, 1024, 1025, 4410],
    [[], ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"]] as [[String]])
  func frameCount(frames: Int, options: [String]) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("made.m4a")
    try MadeMedia.make(
      ["-f", "lavfi", "-i", "aevalsrc='0.5*sin(880*t)':s=44100:d=1", "-af", "atrim=end_sample=\(frames)"]
        + ["-c:a", "aac", "-aac_pns", "0"] + options + [path])
    let samples = try all(try decoder(path))
    // Without a delayed header ffmpeg does not know the priming when it writes a fragmented one, nor the length.
    if options.isEmpty { #expect(samples.count == frames) }
    let reference = try ffmpegDecoded(path, options: [])
    let difference = Difference(samples, reference)
    #expect(difference.largest < 0.05, "\(difference)")
  }

  @Test(
    "seeking to a frame gives what playing up to it gives", arguments: [0, 1, 1023, 1024, 5000, 20_000, 22_049, 99_999])
  func seek(frame: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("made.m4a")
    try MadeStream(channels: 1, seconds: 0.5).make(path)
    let whole = try all(try decoder(path))
    #expect(whole.count == 22_050)
    let sought = try decoder(path)
    _ = try sought.next()
    try sought.seek(to: Int64(frame))
    #expect(sought.position == Int64(frame))
    #expect(try all(sought) == Array(whole.dropFirst(frame)))
  }

  @Test("sound comes at its frame of what is heard, from the start on and after a seek, and ends with a short one")
  func times() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("made.m4a")
    try MadeStream(channels: 1, seconds: 0.5).make(path)
    let decoder = try decoder(path)
    for start in [0, 5000, 22_049] as [Int64] {
      try decoder.seek(to: start)
      var end = start
      while let sound = try decoder.next() {
        #expect(sound.timing.presentationTime == end && sound.timing.decodeTime == end)
        #expect(sound.timing.timescale == 44_100 && sound.trackID == decoder.trackID)
        #expect(sound.timing.duration == Int64(sound.payload.frameCount))
        end += sound.timing.duration
        #expect(decoder.position == end)
      }
      #expect(end == 22_050)
    }
  }

  @Test("decoded into memory of the caller it is the same sound, however little fits", arguments: [1, 100, 1023, 2048])
  func intoMemory(room: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("made.m4a")
    try MadeStream(channels: 2, seconds: 0.5).make(path)
    let whole = try all(try decoder(path))
    let pieces = try decoder(path)
    var (floats, memory) = ([Float](), [Float](repeating: 0, count: 2 * room))
    while true {
      var span = memory.mutableSpan
      guard let frames = try pieces.next(into: &span) else { break }
      #expect(frames > 0 && frames <= min(room, 1024))
      floats += memory[..<(2 * frames)]
    }
    #expect(floats == whole && pieces.position == 22_050)
    // What is left of a packet does not come after a seek, nor after the end.
    for place in [7000, 22_050] as [Int64] {
      try pieces.seek(to: 2000)
      var span = memory.mutableSpan
      _ = try pieces.next(into: &span)
      try pieces.seek(to: place)
      #expect(try all(pieces) == Array(whole.dropFirst(2 * Int(place))))
    }
  }

  @Test("decoded as 16-bit samples it is what a buffer makes of the floats")
  func integers() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("made.m4a")
    try MadeStream(channels: 2, seconds: 0.5).make(path)
    let (buffers, integers) = (try decoder(path), try decoder(path))
    var memory = [Int16](repeating: 0, count: 2 * 1024)
    while let sound = try buffers.next() {
      var span = memory.mutableSpan
      let frames = try #require(try integers.next(into: &span))
      #expect(Array(memory[..<(2 * frames)]) == sound.payload.int16s)
    }
  }

  @Test("an ADTS stream is decoded and sought as a movie is, but nothing is trimmed")
  func stream() throws {
    let folder = try TemporaryFolder()
    try MadeStream(channels: 1, seconds: 0.5).make(folder.path("made.m4a"))
    try MadeMedia.make(["-i", folder.path("made.m4a"), "-c:a", "copy", folder.path("made.aac")])
    let packets = try Decoded(movie: folder.path("made.m4a"))
    let stream = try ADTSReader(SourceReader(try FileSource(path: folder.path("made.aac"))))
    let decoder = try AudioTrackDecoder(AACStream(stream))
    #expect(try all(decoder) == packets.samples)
    try decoder.seek(to: 5000)
    #expect(try all(decoder) == Array(packets.samples.dropFirst(5000)))
  }
}
