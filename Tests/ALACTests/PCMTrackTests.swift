import Foundation
import Lyrebird
import TestSupport
import Testing

/// Uncompressed tracks, as ffmpeg writes them and as files of the corpus have them.
@Suite("PCM tracks", .inTurn) struct PCMTrackTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let codecs = [
    "pcm_u8", "pcm_s8", "pcm_s16be", "pcm_s16le", "pcm_s24be", "pcm_s24le", "pcm_s32be", "pcm_s32le", "pcm_f32be",
    "pcm_f32le", "pcm_f64be", "pcm_f64le", "pcm_mulaw", "pcm_alaw",
  ]

  private func made(_ codec: String, channels: Int, rate: Int = 44_100, options: [String] = []) throws -> String {
    let path = folder.path("made.mov")
    try MadeMedia.make(
      varied(channels: channels, rate: rate, seconds: 0.5137) + ["-c:a", codec] + options + [path])
    return path
  }

  /// The bytes of a track's samples, one after the other.
  private func bytes(_ movie: MP4Demuxer, _ track: Track) throws -> [UInt8] {
    var samples = movie.samples(of: track)
    var bytes: [UInt8] = []
    while let sample = try samples.next() { bytes += try sample.payload.load() }
    return bytes
  }

  @Test("every sample is the one that ffmpeg decodes", .needs(.ffmpeg), arguments: codecs, [1, 2, 6])
  func kinds(codec: String, channels: Int) throws {
    let path = try made(codec, channels: channels)
    let decoder = try AudioTrackDecoder(path)
    #expect(decoder.isLossless && decoder.frameCount == 22_654)
    try compare(decoder, path)
  }

  /// Compares with ffmpeg in the decoder's own format.
  private func compare(_ decoder: AudioTrackDecoder, _ path: String) throws {
    if decoder.format.sampleFormat == .float32 {
      var floats: [Float] = []
      while let sound = try decoder.next() { floats += sound.payload.floats }
      let raw = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-f", "f32le", "-"]).output
      let expected = unsafe raw.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
      #expect(floats == expected)
    } else {
      #expect(try decoder.rest() == (try ffmpegInt32s(path)))
    }
  }

  @Test(
    "above 64 kHz, where QuickTime says lpcm, it is the same", .needs(.ffmpeg),
    arguments: codecs.filter { !$0.contains("law") && $0 != "pcm_u8" })
  func highRates(codec: String) throws {
    let path = try made(codec, channels: 2, rate: 96_000)
    let track = try #require(try MP4Demuxer(path: path).audioTrack)
    #expect(track.descriptions.first?.codec == "lpcm" && track.audioFormat?.sampleRate == 96_000)
    try compare(try AudioTrackDecoder(path), path)
  }

  /// All of the corpus but those that ffmpeg does not read, or not right, for which see below.
  @Test("every track of the corpus in PCM or Apple Lossless is what ffmpeg decodes", .needs(.corpus, .ffmpeg))
  func wholeCorpus() throws {
    let names = [
      "alac", "twos", "sowt", "ipcm", "fpcm", "lpcm", "in24", "in32", "fl32", "fl64", "raw ", "ulaw", "alaw",
    ]
    var count = 0
    for file in try Shared.corpusFiles() where names.contains(where: { file.codecs.contains($0) }) {
      guard !file.path.contains("fpcm"), !file.path.contains("ipcm_24") else { continue }
      count += 1
      #expect(try DecodedTrack(file.url.path).samples == (try ffmpegInt32s(file.url.path)), "\(file)")
    }
    #expect(count >= 10)
  }

  @Test("single frames are gathered, and every place is found", .needs(.ffmpeg), arguments: ["", "frag_keyframe"])
  func seeking(flags: String) throws {
    let options = flags.isEmpty ? [] : ["-movflags", "\(flags)+empty_moov", "-frag_duration", "100000"]
    let path = try made("pcm_s24be", channels: 2, options: options)
    let whole = try DecodedTrack(path).samples
    #expect(whole == (try ffmpegInt32s(path)))
    let decoder = try AudioTrackDecoder(path)
    #expect(try #require(try decoder.next()).payload.frameCount > 500)
    for frame in [0, 1, 4095, 4096, 7000, 22_653, 22_654, 50_000] as [Int64] {
      try decoder.seek(to: frame)
      #expect(try decoder.rest() == Array(whole.dropFirst(2 * Int(frame))), "\(frame)")
    }
  }

  @Test("edits are applied to the frame", .needs(.ffmpeg))
  func edits() throws {
    let (path, cut) = (try made("pcm_s16le", channels: 2), folder.path("cut.mov"))
    // In 16-bit PCM every packet is a sync sample: what is copied from a second on begins there.
    try MadeMedia.make(["-ss", "0.2", "-i", path, "-c", "copy", cut])
    #expect(try DecodedTrack(cut).samples == (try ffmpegInt32s(cut)))
  }

  /// Files of the corpus that ffmpeg cannot read, or reads as 16 bits: the bytes themselves say what is right.
  @Test(
    "samples of MP4's own PCM are what their bytes say", .needs(.corpus),
    arguments: [
      "sample_fpcm_32be.mp4", "sample_fpcm_32le.mp4", "sample_fpcm_64be.mp4", "sample_fpcm_64le.mp4",
      "sample_ipcm_16be.mp4", "sample_ipcm_24le.mp4", "sample_fixed_rechunk_no_elst.mp4",
    ])
  func corpus(name: String) throws {
    let movie = try MP4Demuxer(path: Shared.corpus.appendingPathComponent("androidx__media/\(name)").path)
    let track = try #require(movie.audioTrack)
    let coding = try #require(track.audioFormat?.pcmCoding)
    let raw = try bytes(movie, track)
    var decoded: [Double] = []
    let decoder = try AudioTrackDecoder(movie, track: track)
    while let sound = try decoder.next() {
      decoded += coding.kind == .float ? sound.payload.floats.map(Double.init) : sound.payload.int32s.map(Double.init)
    }
    let expected = stride(from: 0, to: raw.count, by: coding.byteCount).map { start -> Double in
      let sample = Array(raw[start..<(start + coding.byteCount)])
      let bits = (coding.isLittleEndian ? sample.reversed() : sample).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      switch (coding.kind, coding.byteCount) {
      case (.float, 4): return Double(Float(bitPattern: UInt32(bits)))
      case (.float, _): return Double(Float(Double(bitPattern: bits)))
      default: return Double(Int32(truncatingIfNeeded: bits << (32 - 8 * coding.byteCount)))
      }
    }
    #expect(decoded == expected && !decoded.isEmpty)
  }

  @Test("the two laws of telephones are those of their formulas")
  func laws() throws {
    func decoded(_ kind: PCMCoding.Kind) throws -> [Int16] {
      let decoder = try PCMDecoder(PCMCoding(kind, byteCount: 1), sampleRate: 8000, channels: 1)
      let bytes = (0...255).map { UInt8($0) }
      let packet = unsafe decoder.decodePacket(bytes.span.bytes)
      #expect(packet.frames == 256)
      var samples = [Int16](repeating: 0, count: 256)
      var span = samples.mutableSpan
      decoder.copy(0..<256, to: &span)
      return samples
    }
    // G.711: the largest values of the laws, and their zeros.
    let (mu, a) = (try decoded(.muLaw), try decoded(.aLaw))
    #expect(mu[0] == -32_124 && mu[0x80] == 32_124 && mu[0xFF] == 0 && mu[0x7F] == 0)
    #expect(a[0x2A] == -32_256 && a[0xAA] == 32_256 && a[0xD5] == 8 && a[0x55] == -8)
  }

  @Test(
    "the loudspeakers that a QuickTime movie names are those of the sound", .needs(.ffmpeg),
    arguments: [("quad", 4, 0x33), ("2.1", 3, 0xB), ("4.1", 5, 0x10F), ("5.1(side)", 6, 0x3F), ("stereo", 2, 3)]
      as [(String, Int, UInt32)])
  func layouts(name: String, channels: Int, mask: UInt32) throws {
    let path = folder.path("made.mov")
    let sound = (0..<channels).map { "sin(\(1000 + 100 * $0)*t)" }.joined(separator: "|")
    try MadeMedia.make(["-f", "lavfi", "-i", "aevalsrc=\(sound):c=\(name):s=48000:d=0.1", "-c:a", "pcm_s16le", path])
    #expect(try AudioReader(path: path).format.layout == ChannelLayout(channels: channels, mask: mask))
  }
}
