import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

@Suite("Decoder", .inTurn)
struct DecoderTests {
  private static let stereo = AudioSpecificConfig(sampleRate: 44100, channelConfiguration: 2)

  /// Bits one after another, as a packet.
  private func packet(_ fields: [(value: Int, bits: Int)]) -> [UInt8] {
    var writer = BitWriter()
    for field in fields { writer.append(UInt32(field.value), bits: field.bits) }
    writer.alignToByte()
    return writer.bytes
  }

  @Test("every code word of a spectral book is read as the lines that it stands for", arguments: 1...11)
  func spectralBook(number: Int) {
    let book = HuffmanBook.spectral(number)
    let reader = SpectralReader()
    let target = AlignedMemory<Float>(4)
    var noise = Noise(state: UInt64(number))
    for index in book.lengths.indices {
      var lines: [Int] = []
      var writer = BitWriter()
      // Bands are four lines or more: two code words of a pair book.
      for _ in 0..<(4 / book.dimension) {
        var part = book.lines(at: index)
        writer.append(book.codes[index], bits: Int(book.lengths[index]))
        if !book.isSigned {
          for place in part.indices where part[place] != 0 {
            let isNegative = Bool.random(using: &noise)
            writer.append(isNegative)
            if isNegative { part[place] = -part[place] }
          }
        }
        for place in part.indices where number == 11 && abs(part[place]) == 16 {
          let magnitude = Int.random(in: 16...8191, using: &noise)
          let width = Int.bitWidth - magnitude.leadingZeroBitCount - 1
          for _ in 4..<width { writer.append(true) }
          writer.append(false)
          writer.append(UInt32(magnitude - 1 << width), bits: width)
          part[place] = part[place].signum() * magnitude
        }
        lines += part
      }
      let bits = writer.position
      writer.alignToByte()
      let memory = AlignedMemory(writer.bytes + [UInt8](repeating: 0, count: PacketBitReader.padding))
      let packet = PacketBitReader(memory, bytes: writer.bytes.count)
      var cache = unsafe BitCache(packet)
      let isWhole = unsafe reader.read(&cache, book: number, gain: 0.5, lines: 4, to: target, at: 0)
      #expect(isWhole)
      #expect(cache.position(in: packet) == bits)
      let expected = lines.map { Float(0.5 * copysign(pow(Double(abs($0)), 4.0 / 3), Double($0))) }
      let read = (0..<4).map { target[$0] }
      #expect(zip(read, expected).allSatisfy { abs($0 - $1) <= abs($1) * 1e-6 }, "\(index): \(read), not \(expected)")
    }
  }

  @Test("scalefactor differences are read as they are written")
  func scalefactors() {
    let book = HuffmanBook.scalefactor
    for index in book.lengths.indices {
      var writer = BitWriter()
      writer.append(book.codes[index], bits: Int(book.lengths[index]))
      writer.alignToByte()
      let memory = AlignedMemory(writer.bytes + [UInt8](repeating: 0, count: PacketBitReader.padding))
      var packet = PacketBitReader(memory, bytes: writer.bytes.count)
      #expect(SpectralReader().scalefactorDifference(&packet) == index - 60)
      #expect(packet.position == Int(book.lengths[index]))
    }
  }

  @Test("a bit reader stays in its packet, however far it is sent")
  func bounds() {
    let bytes = [UInt8](repeating: 0xFF, count: 4)
    let memory = AlignedMemory(bytes + [UInt8](repeating: 0, count: PacketBitReader.padding))
    for step in [33, 1 << 40, Int.max, -1, Int.min] {
      var packet = PacketBitReader(memory, bytes: 4)
      packet.skip(step)
      #expect(packet.position == 32 && packet.isOverrun, "\(step)")
      #expect(packet.bits(32) == 0 && packet.position == 32)
    }
  }

  @Test("a table of constants has an entry for every index")
  func lookup() {
    let table = LookupTable<2, Int>([5, 6, 7])
    #expect((0..<4).map { table[$0] } == [5, 6, 7, 7])
    #expect(table[4] == 5 && table[-1] == 7 && table[.max] == 7 && table[.min] == 5)
  }

  @Test("a packet with nothing in it is silence")
  func silence() throws {
    let decoder = try AACDecoder(configuration: DecoderTests.stereo)
    // channel_pair_element, no common window, two channels without bands, end.
    let channel = [(0, 8), (0, 1), (0, 2), (0, 1), (0, 6), (0, 1), (0, 1), (0, 1), (0, 1)]
    let bytes = packet([(1, 3), (0, 4), (0, 1)] + channel + channel + [(7, 3)])
    let sound = try decoder.decode(sample(bytes))
    #expect(sound.payload.frameCount == 1024 && sound.payload.format == decoder.format)
    #expect(sound.payload.floats.allSatisfy { $0 == 0 })
    let outcome = unsafe decoder.decode(bytes.span.bytes)
    #expect(outcome == .decoded && decoder.concealedPackets == 0)
  }

  @Test("a broken packet is concealed and counted, and says what is wrong")
  func concealment() throws {
    let decoder = try AACDecoder(configuration: DecoderTests.stereo)
    for (bytes, field) in [([], "id_syn_ele"), ([0xE0], "id_syn_ele"), ([0x20, 0xFF, 0xFF], "ics_reserved_bit")]
      as [([UInt8], String)]
    {
      let outcome = unsafe decoder.decode(bytes.span.bytes)
      guard case .concealed(let error) = outcome else {
        Issue.record("\(outcome)")
        continue
      }
      #expect(error.field == field, "\(error)")
      #expect(try decoder.decode(sample(bytes)).payload.frameCount == 1024)
    }
    #expect(decoder.concealedPackets == 6)
  }

  @Test("decoded sound has the time and the track of its packet, counted in frames")
  func times() throws {
    let decoder = try AACDecoder(configuration: DecoderTests.stereo)
    var packet = sample([])
    packet.trackID = 7
    for (time, timescale, frame) in [
      (-1024, 44_100, -1024), (1000, 1000, 44_100), (3, 88_200, 2), (.max, 1, .max), (.min, 1, .min),
    ] as [(Int64, UInt32, Int64)] {
      packet.timing = SampleTiming(decodeTime: 0, presentationTime: time, duration: 1, timescale: timescale)
      let sound = try decoder.decode(packet)
      #expect(sound.trackID == 7)
      let expected = SampleTiming(decodeTime: frame, presentationTime: frame, duration: 1024, timescale: 44_100)
      #expect(sound.timing == expected)
    }
  }

  @Test("a packet that cannot be read is an error of its source, not a broken packet")
  func unreadable() throws {
    let decoder = try AACDecoder(configuration: DecoderTests.stereo)
    var packet = sample([])
    packet.payload = .range(SourceReader(MemorySource([1, 2, 3])), offset: 1, count: 5)
    let error = #expect(throws: AACError.self) { try decoder.decode(packet) }
    guard case .source? = error?.code else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(decoder.concealedPackets == 0)
  }

  /// A packet at time 0.
  private func sample(_ bytes: [UInt8]) -> EncodedSample {
    let timing = SampleTiming(decodeTime: 0, presentationTime: 0, duration: 1024, timescale: 44_100)
    return EncodedSample(trackID: 1, timing: timing, isSync: true, payload: .bytes(bytes[...]))
  }

  @Test("what cannot be decoded is refused by name")
  func refusals() throws {
    var config = DecoderTests.stereo
    (config.hasSBR, config.frameLength) = (true, 960)
    #expect(throws: AACError(.notDecodable("SBR with frames of 960 samples"))) { try AACDecoder(configuration: config) }
    #expect(try AACDecoder(configuration: config, coreOnly: true).format.sampleRate == 44100)
    for (type, name) in [(3, "AAC SSR"), (23, "AAC-LD"), (42, "xHE-AAC (USAC)")] {
      let config = AudioSpecificConfig(objectType: UInt8(type), sampleRate: 44100, channelConfiguration: 2)
      #expect(throws: AACError(.notDecodable(name))) { try AACDecoder(configuration: config) }
    }
    for channels in [0, 8, 9, 10, 13, 15] {
      let config = AudioSpecificConfig(sampleRate: 44100, channelConfiguration: UInt8(channels))
      #expect(throws: AACError(.notDecodable("channel configuration \(channels)"))) {
        try AACDecoder(configuration: config)
      }
    }
  }

  @Test("a band replication layer that nothing announced is noted if asked for, and left out otherwise")
  func implicitSBR() throws {
    let channel = [(0, 8), (0, 1), (0, 2), (0, 1), (0, 6), (0, 1), (0, 1), (0, 1), (0, 1)]
    let bytes = packet([(1, 3), (0, 4), (0, 1)] + channel + channel + [(6, 3), (1, 4), (13, 4), (0, 4), (7, 3)])
    var config = DecoderTests.stereo
    config.sampleRate = 22_050
    config.settle { sample(bytes) }
    #expect(config.hasSBR == true && config.isSettled && config.outputSampleRate == 44_100)
    let core = try AACDecoder(configuration: DecoderTests.stereo)
    #expect(try core.decode(sample(bytes)).payload.frameCount == 1024)
    #expect(core.concealedPackets == 0 && core.format.sampleRate == 44_100)
  }

  @Test("a broken replication layer costs the treble of its packet, is reported, and the core is heard")
  func brokenLayer() throws {
    var config = DecoderTests.stereo
    (config.sampleRate, config.hasSBR, config.extensionSampleRate) = (22_050, true, 44_100)
    let channel = [(0, 8), (0, 1), (0, 2), (0, 1), (0, 6), (0, 1), (0, 1), (0, 1), (0, 1)]
    // A header, then two channels, the first of which has eight envelopes: one of four kinds of number, and not
    // allowed.
    let header = [(1, 1), (0, 1), (8, 4), (8, 4), (0, 3), (0, 2), (0, 1), (0, 1)]
    let layer = [(6, 3), (4, 4), (13, 4)] + header + [(0, 1), (0, 1), (0, 2), (3, 2), (0, 5)]
    let element = [(1, 3), (0, 4), (0, 1)] + channel + channel
    let decoder = try AACDecoder(configuration: config)
    let broken = packet(element + layer + [(7, 3)])
    let outcome = unsafe decoder.decode(broken.span.bytes)
    #expect(outcome == .concealed(AACError(.invalidValue(8), field: "bs_num_env")))
    #expect(decoder.concealedPackets == 1 && decoder.frameLength == 2048 && decoder.format.sampleRate == 44_100)
    let whole = packet(element + [(7, 3)])
    let next = unsafe decoder.decode(whole.span.bytes)
    #expect(next == .decoded && decoder.buffer(0..<2048).floats.allSatisfy { $0 == 0 })
  }

  @Test("16-bit samples are rounded to the nearest and clipped, like those of a buffer", arguments: [1, 2, 3])
  func conversion(channels: Int) {
    var noise = Noise(state: 5)
    let steps: [Float] = [0, 0.5, 1.5, -0.5, 32766.5, 32767.5, -32768.5, .nan, .infinity, -.infinity]
    let random: [Float] = (0..<500).map { _ in Float.random(in: -1.1...1.1, using: &noise) }
    let samples: [Float] = steps.map { $0 / 32768 } + random
    let memory = (0..<channels).map { channel in AlignedMemory(samples.map { $0 * Float(channel + 1) }) }
    let target = AlignedMemory<Int16>(samples.count * channels)
    let bytes = unsafe UnsafeMutableRawBufferPointer(start: target.start, count: 2 * target.count)
    unsafe Interleaving.int16s(memory, 0..<samples.count, to: bytes)
    for (place, sample) in samples.enumerated() {
      for channel in 0..<channels {
        #expect(target[place * channels + channel] == Int16(pcm: sample * Float(channel + 1)), "\(sample)")
      }
    }
  }

  @Test("program configurations put channels where their loudspeakers are")
  func programs() {
    var program = ProgramConfig()
    program.front = [.init(isPair: false, tag: 0), .init(isPair: true, tag: 0), .init(isPair: true, tag: 1)]
    program.lowFrequency = [0]
    let wide = ChannelMap(
      AudioSpecificConfig(sampleRate: 44100, channelConfiguration: 0, programConfig: program))
    // Front left, right, centre, LFE, left and right of centre.
    #expect(wide?.layout == ChannelLayout(channels: 6, mask: 0xCF))
    #expect(wide?.slots.map(\.outputChannels) == [[2], [4, 5], [0, 1], [3]])
    program.back = [.init(isPair: true, tag: 2), .init(isPair: true, tag: 3), .init(isPair: true, tag: 4)]
    let strange = ChannelMap(
      AudioSpecificConfig(sampleRate: 44100, channelConfiguration: 0, programConfig: program))
    #expect(strange?.layout == ChannelLayout(channels: 12, mask: 0))
    #expect(strange?.slots.flatMap(\.outputChannels) == Array(0..<12))
  }
}
