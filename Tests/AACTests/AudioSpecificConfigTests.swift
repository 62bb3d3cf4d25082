import AAC
import TestSupport
import Testing

@Suite("AudioSpecificConfig", .inTurn)
struct AudioSpecificConfigTests {
  /// Configurations of real files, with what ffprobe and the conformance streams' documents say of them.
  struct Known: Sendable {
    let bytes: String
    let name: String
    let rate: UInt32
    let channels: Int
    var coreRate: UInt32?
    var frameLength = 1024
    var codec = "mp4a.40.2"
  }

  static let known = [
    Known(bytes: "1210", name: "AAC-LC", rate: 44100, channels: 2),
    Known(bytes: "1208 56e5 00", name: "AAC-LC", rate: 44100, channels: 1),
    Known(bytes: "1200 0504 0020 01e0 00", name: "AAC-LC", rate: 44100, channels: 1),
    Known(bytes: "1184 04c4 0020 01e0 00", name: "AAC-LC", rate: 48000, channels: 1, frameLength: 960),
    Known(bytes: "1200 0508 0020 010f 00", name: "AAC-LC", rate: 44100, channels: 3),
    Known(bytes: "1000 0408 0502 0108 8000 00", name: "AAC-LC", rate: 96000, channels: 6),
    Known(bytes: "0880 0044 0000 0000", name: "AAC Main", rate: 88200, channels: 1, codec: "mp4a.40.1"),
    Known(bytes: "1310 56e5 98", name: "HE-AAC", rate: 48000, channels: 2, coreRate: 24000),
    Known(bytes: "1300 058c 0100 0108 8000 56e5 98", name: "HE-AAC", rate: 48000, channels: 6, coreRate: 24000),
    Known(bytes: "1400 0604 0000 0000 56e5 a8", name: "HE-AAC", rate: 32000, channels: 1, coreRate: 16000),
    // Explicit SBR: 00101 0110 0010 0011 00010 000, then zeros.
    Known(bytes: "2b11 8800", name: "HE-AAC", rate: 48000, channels: 2, coreRate: 24000, codec: "mp4a.40.5"),
    // Explicit PS of a mono core: 11101 0110 0001 0011 00010 000.
    Known(bytes: "eb09 8800", name: "HE-AAC v2", rate: 48000, channels: 2, coreRate: 24000, codec: "mp4a.40.29"),
    // The same, backward compatible: 00010 0110 0001 000, 0x2b7 00101 1 0011, 0x548 1.
    Known(bytes: "1308 56e5 9d48 80", name: "HE-AAC v2", rate: 48000, channels: 2, coreRate: 24000),
    // A rate without a code, 44 101 Hz: 00010 1111 000000001010110001000101 0010 000.
    Known(bytes: "1780 5622 90", name: "AAC-LC", rate: 44101, channels: 2),
    // Object type 23, low delay, 480 samples: 10111 0011 0001 100 0, error protection 00.
    Known(bytes: "b98c 00", name: "AAC-LD", rate: 48000, channels: 1, frameLength: 480, codec: "mp4a.40.23"),
    // Object type 39 by the escape, 480 samples: 11111 000111 0011 0001 1.
    Known(bytes: "f8e6 3000", name: "AAC-ELD", rate: 48000, channels: 1, frameLength: 480, codec: "mp4a.40.39"),
    // Object type 42: 11111 001010 0100 0001, rate 00100, frame length index 011.
    Known(
      bytes: "f948 2460", name: "xHE-AAC (USAC)", rate: 44100, channels: 1, frameLength: 2048, codec: "mp4a.40.42"),
  ]

  @Test("Configurations of real files mean what independent programs say", arguments: known)
  func meaning(known: Known) throws {
    let config = try AudioSpecificConfig(bytes(known.bytes))
    #expect(config.name == known.name)
    #expect(config.outputSampleRate == known.rate)
    #expect(config.sampleRate == known.coreRate ?? known.rate)
    #expect(config.outputChannels == known.channels)
    #expect(config.frameLength == known.frameLength)
    #expect(config.codecString == known.codec)
  }

  @Test("What SBR signalling says is told from what it leaves open")
  func signalling() throws {
    let silent = try AudioSpecificConfig(bytes("1210"))
    #expect(silent.hasSBR == nil && silent.extensionSignalling == .none)
    let denied = try AudioSpecificConfig(bytes("1208 56e5 00"))
    #expect(denied.hasSBR == false && denied.extensionSignalling == .backwardCompatible)
    let compatible = try AudioSpecificConfig(bytes("1310 56e5 98"))
    #expect(compatible.hasSBR == true && compatible.hasPS == nil)
    let explicit = try AudioSpecificConfig(bytes("eb09 8800"))
    #expect(explicit.hasPS == true && explicit.objectType == 2 && explicit.signalledObjectType == 29)
  }

  @Test("Channel configurations count the loudspeakers of the standard's table")
  func channels() {
    let counts = (0...15).map {
      AudioSpecificConfig(sampleRate: 48000, channelConfiguration: UInt8($0)).channels
    }
    #expect(counts == [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8, 0])
  }

  @Test("A program configuration keeps its comment and its elements")
  func programConfiguration() throws {
    let text = "Encoded by Dolby Laboratories, December 2001"
    let config = try AudioSpecificConfig(bytes("1200 050c 0102 0108 8400 2c") + Array(text.utf8))
    let program = try #require(config.programConfig)
    #expect(program.comment == Array(text.utf8))
    #expect(program.front.map(\.isPair) == [false, true, true])
    #expect(program.side.isEmpty && program.back.isEmpty)
    #expect(program.lowFrequency.count == 1)
    #expect(config.channels == 6)
  }

  @Test(
    "A configuration is written as it was read",
    arguments: [
      "1210", "1208 56e5 00", "1200 0504 0020 01e0 00", "1184 04c4 0020 01e0 00", "1000 0408 0502 0108 8000 00",
      "1310 56e5 98", "1300 058c 0100 0108 8000 56e5 98", "2b11 8800", "eb09 8800", "1308 56e5 9d48 80",
      "1780 5622 90", "1200 0508 4800 2000 c640 0d4c 6176 6335 392e 3337 2e31 3030 56e5 00",
    ])
  func writing(text: String) throws {
    let original = bytes(text)
    #expect(try AudioSpecificConfig(original).written == original)
  }

  @Test("What is cut off or reserved is an error that names the field")
  func errors() {
    #expect(throws: AACError(.truncated, field: "audioObjectType")) { try AudioSpecificConfig([]) }
    #expect(throws: AACError(.truncated, field: "samplingFrequencyIndex")) { try AudioSpecificConfig([0x12]) }
    #expect(throws: AACError(.invalidValue(0), field: "audioObjectType")) { try AudioSpecificConfig([0, 0]) }
    #expect(throws: AACError(.invalidValue(13), field: "samplingFrequencyIndex")) {
      try AudioSpecificConfig(bytes("1690"))
    }
    #expect(throws: AACError(.truncated, field: "program_config_element")) {
      try AudioSpecificConfig(bytes("1200 0504"))
    }
    #expect(throws: AACError(.invalidValue(0), field: "samplingFrequency")) {
      try AudioSpecificConfig(bytes("1780 0000 1000"))
    }
  }

  @Test("What cannot be written is refused")
  func refusals() throws {
    let usac = try AudioSpecificConfig(bytes("f948 2460"))
    #expect(throws: AACError(.cannotWrite(objectType: 42))) { try usac.written }
    let bare = AudioSpecificConfig(sampleRate: 44100, channelConfiguration: 0)
    #expect(throws: AACError.self) { try bare.written }
    let fast = AudioSpecificConfig(sampleRate: 1 << 24, channelConfiguration: 2)
    #expect(throws: AACError.self) { try fast.written }
  }

  @Test("No bytes trap, and what can be written again means the same")
  func noise() throws {
    var noise = Noise(state: 1)
    let seeds = Self.known.map { bytes($0.bytes) }
    var written = 0
    for round in 0..<20_000 {
      var data = round % 2 == 0 ? noise.bytes(round % 40) : seeds[round % seeds.count]
      if !data.isEmpty { data[Int.random(in: 0..<data.count, using: &noise)] = noise.bytes(1)[0] }
      guard let config = try? AudioSpecificConfig(data) else { continue }
      _ = (config.name, config.codecString, config.outputChannels, config.outputSampleRate)
      guard let bytes = try? config.written else { continue }
      #expect(try AudioSpecificConfig(bytes) == config)
      written += 1
    }
    #expect(written > 1000)
  }
}
