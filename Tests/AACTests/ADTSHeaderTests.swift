import AAC
import MediaCore
import TestSupport
import Testing

@Suite("ADTSHeader", .inTurn)
struct ADTSHeaderTests {
  @Test("The header of AAC-LC in stereo at 44.1 kHz is the one that ffmpeg writes")
  func plain() throws {
    let config = AudioSpecificConfig(sampleRate: 44100, channelConfiguration: 2)
    #expect(try ADTSHeader(config: config, payloadSize: 371 - 7).written == bytes("fff1 5080 2e7f fc"))
  }

  @Test("Every field is read from its place")
  func fields() throws {
    // 111111111111 1 00 1 | 11 1011 1 1|01 1 0 1 0 00 | 00000111 111 00000000111 10
    let header = try ADTSHeader(bytes("fff9 ef68 07e0 1e"))
    #expect(header.isMPEG2)
    #expect(header.checksum == nil)
    #expect(header.objectType == 4)
    #expect(header.samplingFrequencyIndex == 11)
    #expect(header.sampleRate == 8000)
    #expect(header.isPrivate)
    #expect(header.channelConfiguration == 5)
    #expect(header.isOriginal)
    #expect(!header.isHome)
    #expect(header.copyrightBit)
    #expect(!header.copyrightStart)
    #expect(header.frameSize == 63)
    #expect(header.bufferFullness == 7)
    #expect(header.blockCount == 3)
    #expect(header.headerSize == 7)
    #expect(header.payloadSize == 56)
  }

  @Test("A checksum makes the header nine bytes, and several packets add their positions")
  func checksums() throws {
    let single = try ADTSHeader(bytes("fff0 5080 2e7f fc abcd"))
    #expect(single.checksum == 0xABCD && single.headerSize == 9 && single.blockPositions.isEmpty)
    let triple = try ADTSHeader(bytes("fff0 5080 2e7f fe 0010 0020 abcd"))
    #expect(triple.checksum == 0xABCD && triple.headerSize == 13 && triple.blockPositions == [16, 32])
    #expect(triple.written == bytes("fff0 5080 2e7f fe 0010 0020 abcd"))
  }

  @Test("What is not a header is refused by field")
  func refusals() {
    func code(_ text: String) -> AACError? {
      do throws(AACError) {
        _ = try ADTSHeader(bytes(text))
        return nil
      } catch { return error }
    }
    #expect(code("fff1 5080 2e7f") == AACError(.truncated, field: "adts_fixed_header"))
    #expect(code("fff0 5080 2e7f fc ab") == AACError(.truncated, field: "adts_error_check"))
    #expect(code("ffe1 5080 2e7f fc") == AACError(.invalidValue(0xFFE), field: "syncword"))
    // Layer 1 in MPEG audio's counting: an MP3 file's frames look so.
    #expect(code("fffb 5080 2e7f fc") == AACError(.invalidValue(1), field: "layer"))
    #expect(code("fff1 7480 2e7f fc") == AACError(.invalidValue(13), field: "sampling_frequency_index"))
    #expect(code("fff1 5080 00df fc") == AACError(.invalidValue(6), field: "aac_frame_length"))
    #expect(code("fff0 5080 011f fc 0000") == AACError(.invalidValue(8), field: "aac_frame_length"))
  }

  @Test("Any bytes are refused, or written again as they were")
  func roundTrip() {
    var noise = Noise(state: 2)
    var accepted = 0
    for round in 0..<200_000 {
      var data = noise.bytes(7 + round % 9)
      // Half of them get past the sync word, to reach the fields.
      if round % 2 == 0 {
        data[0] = 0xFF
        data[1] = 0xF0 | data[1] & 0x0F
      }
      guard let header = try? ADTSHeader(data) else { continue }
      accepted += 1
      #expect(header.written == Array(data.prefix(header.headerSize)))
    }
    #expect(accepted > 10_000)
  }

  @Test("A header survives the way through a configuration")
  func configuration() throws {
    for objectType in 1...4 {
      for index in 0..<13 {
        for channels in 1...7 {
          var header = try ADTSHeader(bytes("fff1 5080 2e7f fc"))
          header.objectType = UInt8(objectType)
          header.samplingFrequencyIndex = UInt8(index)
          header.channelConfiguration = UInt8(channels)
          #expect(try ADTSHeader(config: header.configuration(), payloadSize: header.payloadSize) == header)
        }
      }
    }
  }
}

/// What the articles' seven-byte header gets wrong.
@Suite("ADTS says what the AudioSpecificConfig says, or nothing", .inTurn)
struct ADTSTruthTests {
  func header(_ text: String, size: Int = 100) throws(AACError) -> ADTSHeader {
    try ADTSHeader(config: try AudioSpecificConfig(bytes(text)), payloadSize: size)
  }

  @Test("The profile is the stream's own, and the stream is MPEG-4")
  func profile() throws {
    let main = try header("0a10")
    #expect(main.objectType == 1 && !main.isMPEG2)
    #expect(main.written == bytes("fff1 1080 0d7f fc"))
    #expect(try header("2210").objectType == 4)
  }

  @Test("A rate without a code is refused rather than given a reserved one")
  func rates() {
    #expect(throws: AACError(.notInADTS(.sampleRate(44101)))) { try header("1780 5622 90") }
  }

  @Test("A rate that is spelled out but has a code gets the code")
  func spelledOut() throws {
    // 00010 1111 44100 in 24 bits, 0010 000.
    #expect(try header("1780 5622 10").samplingFrequencyIndex == 4)
  }

  @Test("Eight channels are configuration 7, and the private bit stays clear")
  func eightChannels() throws {
    let header = try header("1238")
    #expect(header.channelConfiguration == 7 && !header.isPrivate)
    #expect(header.written == bytes("fff1 51c0 0d7f fc"))
  }

  @Test("Configurations above 7 are refused", arguments: [("1258", UInt8(11)), ("1260", 12), ("1270", 14)])
  func moreChannels(text: String, configuration: UInt8) {
    #expect(throws: AACError(.notInADTS(.channelConfiguration(configuration)))) { try header(text) }
  }

  @Test("A frame of 8191 bytes is the largest; one byte more is refused")
  func largest() throws {
    #expect(try header("1210", size: 8184).written == bytes("fff1 5083 ffff fc"))
    #expect(throws: AACError(.notInADTS(.frameBytes(8192)), field: "aac_frame_length")) {
      try header("1210", size: 8185)
    }
    #expect(throws: AACError.self) { try header("1210", size: .max) }
  }

  @Test("HE-AAC gets the rate of its core", arguments: ["2b11 8800", "eb09 8800", "1310 56e5 98", "1308 56e5 9d48 80"])
  func highEfficiency(text: String) throws {
    let header = try header(text)
    #expect(header.objectType == 2)
    #expect(header.sampleRate == 24000)
  }

  @Test("Frames of 960 samples are refused")
  func shortFrames() {
    #expect(throws: AACError(.notInADTS(.samplesPerFrame(960)))) { try header("1184 04c4 0020 01e0 00") }
  }

  @Test(
    "Object types beyond 4 are refused by name",
    arguments: [("f948 2460", UInt8(42), "xHE-AAC (USAC)"), ("f8e6 3000", 39, "AAC-ELD"), ("b98c 00", 23, "AAC-LD")])
  func objectTypes(text: String, type: UInt8, name: String) throws {
    let error = #expect(throws: AACError.self) { try header(text) }
    #expect(error?.code == .notInADTS(.objectType(type)))
    #expect(error?.description.contains(name) == true)
  }

  @Test("A layer over a core coder is refused")
  func coreCoder() {
    // 00010 0100 0010, frame length 0, core coder 1, delay 14 bits, extension 0.
    #expect(throws: AACError(.notInADTS(.coreCoder))) { try header("1212 0000") }
  }
}
