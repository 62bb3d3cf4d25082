import MP4
import MediaCore
import TestSupport
import Testing

/// What sample entries say of the codec and of the sound: set-up boxes made bit by bit after the standards.
@Suite(.inTurn) struct CodecStringTests {
  private func description(_ entry: [UInt8], handler: String) throws -> SampleDescription {
    var track = MadeTrack(samples: [1], at: MovieMaker.mediaStart)
    track.handler = handler
    track.entries = [entry]
    let movie = try MP4Demuxer(source: MemorySource(MovieMaker.progressive([track], media: [0]), name: "made.mp4"))
    return try #require(movie.tracks.first?.descriptions.first)
  }

  private func sound(_ entry: [UInt8]) throws -> (string: String, format: AudioTrackFormat) {
    let description = try description(entry, handler: "soun")
    guard case .audio(let format) = description.format else { throw MP4Error(.noDescription) }
    return (description.codecString, format)
  }

  private func picture(_ type: String, _ boxes: [UInt8]...) throws -> String {
    try description(MadeEntry.video(type, boxes.flatMap { $0 }), handler: "vide").codecString
  }

  // MARK: Rates that the sample entry cannot hold

  @Test(
    "FLAC's rate, channels and bits are those of STREAMINFO, whatever the sample entry says",
    arguments: [(88_200, 2, 24), (96_000, 6, 24), (176_400, 1, 16), (192_000, 8, 32), (655_350, 2, 16), (8000, 1, 4)])
  func flac(rate: UInt32, channels: UInt32, bits: UInt32) throws {
    let word = rate << 12 | (channels - 1) << 9 | (bits - 1) << 4
    let info = [UInt8](repeating: 0, count: 10) + Plain.u32(word) + [UInt8](repeating: 0, count: 20)
    let box = Plain.fullBox("dfLa", [0x80, 0, 0, 34], info)
    for claimed in [0, 48_000, rate & 0xFFFF] as [UInt32] {
      let found = try sound(MadeEntry.audio("fLaC", rate: claimed, box))
      #expect(found.string == "fLaC")
      #expect(found.format.sampleRate == Double(rate))
      #expect(found.format.channels == Int(channels) && found.format.bitsPerSample == Int(bits))
    }
  }

  @Test("FLAC whose STREAMINFO is cut short or missing has what the sample entry says")
  func shortFLAC() throws {
    for boxes in [[], Plain.fullBox("dfLa"), Plain.fullBox("dfLa", [0x80, 0, 0, 4, 1, 2, 3, 4])] {
      #expect(try sound(MadeEntry.audio("fLaC", rate: 44_100, boxes)).format.sampleRate == 44_100)
    }
  }

  @Test("TrueHD's rate is a whole number of 32 bits, or what its own box says", arguments: [44_100, 48_000, 192_000])
  func trueHD(rate: UInt32) throws {
    var entry = MadeEntry.audio("mlpa", rate: 0)
    entry.replaceSubrange(32..<36, with: Plain.u32(rate))
    #expect(try sound(entry).format.sampleRate == Double(rate))
    // As a number of 16.16, which is against the specification.
    if rate < 65_536 { #expect(try sound(MadeEntry.audio("mlpa", rate: rate)).format.sampleRate == Double(rate)) }
    // 176.4 kHz; eight channels: L/R, C, LFE, Ls/Rs and Lrs/Rrs are bits 0, 1, 2, 3 and 6.
    let format: UInt32 = 10 << 28 | 0b100_1111
    let found = try sound(entry.withBoxes(Plain.box("dmlp", Plain.u32(format), Plain.u16(0), Plain.u32(0))))
    #expect(found.format.sampleRate == 176_400 && found.format.channels == 8)
  }

  @Test("Opus decodes to 48 kHz, whatever went in")
  func opus() throws {
    let box = Plain.box("dOps", [0, 6], Plain.u16(312), Plain.u32(16_000), Plain.u16(0), [1, 4, 2, 0, 4, 1, 2, 3, 5])
    let found = try sound(MadeEntry.audio("Opus", channels: 2, rate: 16_000, box))
    #expect(found.string == "Opus")
    #expect(found.format.sampleRate == 48_000 && found.format.channels == 6)
  }

  @Test(
    "rates of AC-3 come from its own box, and later versions of the stream halve them",
    arguments: [
      (0, 8, 48_000.0), (1, 8, 44_100.0), (2, 6, 32_000.0), (3, 8, 24_000.0), (1, 9, 22_050.0), (0, 10, 12_000.0),
    ])
  func ac3(code: UInt32, version: UInt32, rate: Double) throws {
    // fscod, bsid, bsmod 0, acmod 7 (3/2), lfeon, bit_rate_code, reserved.
    let bits = code << 22 | version << 17 | 7 << 11 | 1 << 10
    let found = try sound(
      MadeEntry.audio("ac-3", rate: 24_000, Plain.box("dac3", Array(Plain.u32(bits << 8).prefix(3)))))
    #expect(found.string == "ac-3")
    #expect(found.format.sampleRate == rate && found.format.channels == 6)
  }

  @Test("MPEG-4 ALS has rate, channels and bits of its own set-up")
  func lossless() throws {
    // Object type 31 + 4, rate index 15 and 24 bits that say something else, no channels; then ALSSpecificConfig.
    var config: [UInt8] = [0xF8, 0x9E, 0x01, 0x77, 0x20, 0x00]
    config += Plain.type("ALS\0") + Plain.u32(192_000) + Plain.u32(9) + Plain.u16(5)
    config.append(0b001_010_00)
    var decoder: [UInt8] = [0x40, 0x15] + [UInt8](repeating: 0, count: 11)
    decoder += [5, UInt8(config.count)] + config
    let stream: [UInt8] = [0, 0, 0, 4, UInt8(decoder.count)] + decoder
    let entry = MadeEntry.audio(
      "mp4a", channels: 0, rate: 48_016, Plain.fullBox("esds", [3, UInt8(stream.count)] + stream))
    let found = try sound(entry)
    #expect(found.string == "mp4a.40.36")
    #expect(found.format.sampleRate == 192_000 && found.format.channels == 6 && found.format.bitsPerSample == 24)
  }

  @Test(
    "channels of MPEG-H are those of its reference layout",
    arguments: [(1, 1), (2, 2), (6, 6), (7, 8), (13, 24), (19, 12), (0, 2), (63, 2)])
  func mpegH(layout: UInt8, channels: Int) throws {
    let found = try sound(MadeEntry.audio("mhm1", channels: 2, Plain.box("mhaC", [1, 0x0D, layout, 0, 0])))
    #expect(found.string == "mhm1.0x0D" && found.format.channels == channels)
  }

  @Test("AMR has the one rate and the one channel there are", arguments: [("samr", 8000.0), ("sawb", 16_000)])
  func amr(type: String, rate: Double) throws {
    let format = try sound(MadeEntry.audio(type, channels: 2, rate: 50)).format
    #expect(format.sampleRate == rate && format.channels == 1)
  }

  @Test(
    "PCM whose name tells its bits has those, as the entry always says 16",
    arguments: [("in24", 24), ("in32", 32), ("fl32", 32), ("fl64", 64), ("alaw", 8), ("ulaw", 8), ("sowt", 16)])
  func pcmBits(type: String, bits: Int) throws {
    #expect(try sound(MadeEntry.audio(type)).format.bitsPerSample == bits)
  }

  // MARK: Names for web pages

  @Test(
    "AC-4's string has the versions of stream and presentation, and who can decode it",
    arguments: [(false, "ac-4.02.01.03"), (true, "ac-4.02.02.00")])
  func ac4(hasProgram: Bool, string: String) throws {
    // ac4_dsi_version 1, bitstream_version 2, fs_index 1, frame_rate_index 1, n_presentations 1.
    let head = Array(Plain.u32((1 << 29 | 2 << 22 | 1 << 21 | 1 << 17 | 1 << 8) as UInt32).prefix(3))
    var bits = Bits()
    bits.append(hasProgram ? 1 : 0, 1)
    if hasProgram {
      bits.append(4711, 16)
      bits.append(1, 1)
      for word in [1, 2, 3, 4] as [UInt64] { bits.append(word, 32) }
    }
    // ac4_bitrate_dsi, then alignment, then the presentation: version, bytes, configuration 0x1F, mdcompat.
    bits.append(1, 2)
    bits.append(96_000, 32)
    bits.append(0xFFFF_FFFF, 32)
    bits.align()
    bits.append(hasProgram ? 2 : 1, 8)
    bits.append(36, 8)
    bits.append(0x1F, 5)
    bits.append(hasProgram ? 0 : 3, 3)
    #expect(try sound(MadeEntry.audio("ac-4", Plain.box("dac4", head + bits.bytes))).string == string)
    // Cut anywhere, it is the bare name.
    for count in 0..<(head.count + bits.bytes.count) {
      #expect(
        try sound(MadeEntry.audio("ac-4", Plain.box("dac4", Array((head + bits.bytes).prefix(count))))).string == "ac-4"
      )
    }
  }

  /// The descriptors of an IAMF sequence: header, codec, an element of a stereo layer and a 5.1 layer on top.
  private static func iamf(profiles: [UInt8], codec: [UInt8]) -> [UInt8] {
    func unit(_ type: UInt8, _ content: [UInt8]) -> [UInt8] { [type << 3, UInt8(content.count)] + content }
    let element: [UInt8] =
      // Id, channel-based, codec id, four substreams.
      [7, 0 << 5, 0, 4, 0, 1, 2, 3]
      // One parameter: demixing, with its own timing of one block, and its two bytes.
      + [1, 1, 100, 0x80, 0x01, 0, 0x40, 0x40, 0, 0]
      // Two layers: stereo as one coupled substream; 5.1 adds two single ones and one coupled, with an output gain.
      + [2 << 5, 1 << 4, 1, 1, 5 << 4 | 8, 3, 1, 0xFC, 0, 0]
    let units = unit(31, Plain.type("iamf") + profiles) + unit(0, [0] + codec) + unit(1, element)
    let size = units.count
    return Plain.box("iacb", [1, UInt8(size & 0x7F | 0x80), UInt8(size >> 7)] + units)
  }

  @Test("IAMF's string has both profiles and the codec inside, and rate and channels are found there too")
  func iamf() throws {
    let opus = Plain.type("Opus") + [0xC0, 0x07] + Plain.u16(0xFFFC) + [1, 2, 1, 56, 0, 0, 0xBB, 0x80, 0, 0, 0]
    // A DecoderConfigDescriptor of an AudioSpecificConfig: AAC-LC, 44.1 kHz (index 4), stereo.
    let aac =
      Plain.type("mp4a") + [0x80, 0x08] + Plain.u16(0xFFFF)
      + [4, 17, 0x40, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 2, 0x12, 0x10]
    let pcm = Plain.type("ipcm") + [0x80, 0x08] + Plain.u16(0) + [1, 24] + Plain.u32(96_000)
    for (codec, profiles, string, rate) in [
      (opus, [1, 1], "iamf.001.001.Opus", 48_000), (aac, [0, 0], "iamf.000.000.mp4a.40.2", 44_100),
      (pcm, [0, 2], "iamf.000.002.ipcm", 96_000),
    ] as [([UInt8], [UInt8], String, Double)] {
      let entry = MadeEntry.audio(
        "iamf", channels: 0, bits: 0, rate: 0, CodecStringTests.iamf(profiles: profiles, codec: codec))
      let found = try sound(entry)
      #expect(found.string == string)
      #expect(found.format.sampleRate == rate)
      // One coupled pair, two single, one coupled pair.
      #expect(found.format.channels == 6)
    }
  }

  @Test("IAMF descriptors that are cut or lie about sizes are no crash, and give the bare name at worst")
  func brokenIAMF() throws {
    let opus = Plain.type("Opus") + [0xC0, 0x07] + Plain.u16(0xFFFC) + [UInt8](repeating: 0, count: 11)
    let whole = Array(CodecStringTests.iamf(profiles: [0, 0], codec: opus).dropFirst(8))
    for count in 0..<whole.count {
      let found = try sound(MadeEntry.audio("iamf", rate: 0, Plain.box("iacb", Array(whole.prefix(count)))))
      #expect(found.string == "iamf" || found.string == "iamf.000.000.Opus")
    }
    for place in 0..<whole.count {
      for value in [0, 0x7F, 0x80, 0xFF] as [UInt8] {
        var broken = whole
        broken[place] = value
        _ = try sound(MadeEntry.audio("iamf", rate: 0, Plain.box("iacb", broken)))
      }
    }
  }

  @Test("AV1's string has all fields where one is not the usual one, and only four otherwise")
  func av1() throws {
    // seq_profile, seq_level_idx; tier, depth, monochrome, subsampling, position.
    let usual = Plain.box("av1C", [0x81, 0 << 5 | 4, 0b0_0_0_0_1_1_00, 0])
    #expect(try picture("av01", usual) == "av01.0.04M.08")
    let hdr = Plain.box("colr", Plain.type("nclx"), Plain.u16(9), Plain.u16(16), Plain.u16(9), [0])
    // The example of the AV1 binding, 5: 10 bits, 4:2:0 co-located, BT.2020, PQ.
    let tenBits = Plain.box("av1C", [0x81, 0 << 5 | 4, 0b0_1_0_0_1_1_10, 0])
    #expect(try picture("av01", tenBits, hdr) == "av01.0.04M.10.0.112.09.16.09.0")
    let full = Plain.box("av1C", [0x81, 1 << 5 | 13, 0b1_0_0_0_0_0_00, 0])
    #expect(try picture("av01", full) == "av01.1.13H.08.0.000.01.01.01.0")
    let grey = Plain.box("av1C", [0x81, 0 << 5 | 0, 0b0_0_0_1_1_1_00, 0])
    #expect(try picture("av01", grey) == "av01.0.00M.08.1.110.01.01.01.0")
  }

  @Test("VP9's string has subsampling and colour where these are not the usual ones")
  func vp9() throws {
    func box(_ bytes: [UInt8]) -> [UInt8] { Plain.fullBox("vpcC", version: 1, bytes, Plain.u16(0)) }
    #expect(try picture("vp09", box([0, 10, 8 << 4 | 1 << 1, 1, 1, 1])) == "vp09.00.10.08")
    // The example of the VP9 binding.
    #expect(try picture("vp09", box([2, 10, 10 << 4 | 1 << 1, 9, 16, 9])) == "vp09.02.10.10.01.09.16.09.00")
    #expect(try picture("vp09", box([1, 31, 8 << 4 | 3 << 1 | 1, 1, 13, 0])) == "vp09.01.31.08.03.01.13.00.01")
  }

  @Test("H.266's string has its constraints in base32, where there are any")
  func vvc() throws {
    func box(constraints: [UInt8]) -> [UInt8] {
      // ols_idx 0, one sublayer, constant_frame_rate 0, chroma 1, depth 2, reserved; then the profile record.
      let head: [UInt8] = [0xFF, 0b0000_0000, 0b0001_0001, 0b0101_1111]
      return Plain.fullBox(
        "vvcC",
        head + [UInt8(constraints.count), 1 << 1 | 0, 51] + constraints + [0] + Plain.u16(1920) + Plain.u16(1080)
          + Plain.u16(0) + [0])
    }
    #expect(try picture("vvc1", box(constraints: [0])) == "vvc1.1.L51")
    // The example of ISO/IEC 14496-15, E.6: frames only.
    #expect(try picture("vvc1", box(constraints: [0x80])) == "vvc1.1.L51.CQA")
    // "foo", of which RFC 4648, 10 says MZXW6.
    #expect(try picture("vvi1", box(constraints: [0x66, 0x6F, 0x6F, 0])) == "vvi1.1.L51.CMZXW6")
  }

  @Test("Dolby Vision on H.264 and AV1 is named by its profile and level")
  func dolbyVision() throws {
    // Versions; profile, level, flags.
    let box = Plain.box("dvcC", [1, 0], Plain.u16(9 << 9 | 5 << 3 | 0b101), [UInt8](repeating: 0, count: 20))
    for type in ["dva1", "dvav", "dav1", "dvh1", "dvhe"] { #expect(try picture(type, box) == "\(type).09.05") }
  }
}

/// Bits one after another, most significant first.
private struct Bits {
  private(set) var bytes: [UInt8] = []
  private var count = 0

  mutating func append(_ value: UInt64, _ width: Int) {
    for shift in (0..<width).reversed() {
      if count % 8 == 0 { bytes.append(0) }
      bytes[bytes.count - 1] |= UInt8(value >> UInt64(shift) & 1) << UInt8(7 - count % 8)
      count += 1
    }
  }

  mutating func align() { while count % 8 != 0 { append(0, 1) } }
}

extension [UInt8] {
  /// A sample entry with more boxes in it.
  fileprivate func withBoxes(_ boxes: [UInt8]) -> [UInt8] {
    Plain.u32(UInt32(count + boxes.count)) + dropFirst(4) + boxes
  }
}
