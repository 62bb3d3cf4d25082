import AAC
import MediaCore
import TestSupport
import Testing

/// The reader against a reading that is as plain as can be: one byte after another, nothing clever.
@Suite("ADTSReader agrees with a plain reading", .inTurn)
struct ADTSReaderNoiseTests {
  struct Reading: Equatable {
    var frames: [Range<Int>] = []
    var junk = 0
    var tags = 0
    var tail = 0
    var changes = 0
  }

  func plainly(_ data: [UInt8]) -> Reading {
    var reading = Reading()
    var first: [UInt8] = []
    var at = 0
    var (isInStep, closing) = (true, 0)
    func has(_ text: String, at place: Int) -> Bool { data.dropFirst(place).starts(with: Array(text.utf8)) }
    func has(_ text: String) -> Bool { has(text, at: at) }
    /// Size and key of the header here, if there is one.
    func header(_ at: Int) -> (length: Int, key: [UInt8], size: Int)? {
      guard at + 7 <= data.count, data[at] == 0xFF, data[at + 1] & 0xF6 == 0xF0, data[at + 2] >> 2 & 15 < 13 else {
        return nil
      }
      let size = data[at + 1] & 1 == 1 ? 7 : 9
      let length = Int(data[at + 3] & 3) << 11 | Int(data[at + 4]) << 3 | Int(data[at + 5]) >> 5
      let key = [data[at + 1] >> 3 & 1, data[at + 2] & 0b1111_1101, data[at + 3] >> 6]
      return length >= size ? (length, key, size) : nil
    }
    func closingTag(_ at: Int) -> Int? {
      if has("TAG+", at: at) { return 227 }
      if has("TAG", at: at) { return 128 }
      guard has("APETAGEX", at: at), at + 24 <= data.count else { return nil }
      let size = (0..<4).reduce(0) { $0 + Int(data[at + 12 + $1]) << (8 * $1) }
      return 32 + (data[at + 23] & 0x20 == 0 ? 0 : size)
    }
    /// Whether the stream goes on, or ends, where a frame after junk does.
    func goesOn(_ at: Int, _ key: [UInt8]) -> Bool {
      at == data.count || header(at)?.key == key || has("ID3", at: at) || closingTag(at) != nil
    }
    while at + 7 <= data.count {
      if let (length, key, size) = header(at), at + length <= data.count,
        isInStep || key == first || goesOn(at + length, key)
      {
        if first.isEmpty { first = key } else if first != key { reading.changes += 1 }
        reading.frames.append(at + size..<at + length)
        at += length
        reading.tags += closing
        (isInStep, closing) = (true, 0)
        continue
      }
      if has("ID3"), data.count > at + 10 {
        let size = (6...9).reduce(0) { $0 << 7 | Int(data[at + $1]) } + (data[at + 5] & 0x10 == 0 ? 10 : 20)
        reading.tags += min(size, data.count - at)
        at = min(at + size, data.count)
        continue
      }
      if isInStep, let size = closingTag(at) {
        closing += min(size, data.count - at)
        at = min(at + size, data.count)
        continue
      }
      at += 1
      reading.junk += 1
      isInStep = false
    }
    reading.tail = data.count - at + closing
    return reading
  }

  func reading(_ data: [UInt8]) throws -> Reading {
    guard let (samples, reader) = try? readAll(data) else { return Reading() }
    let report = reader.report
    return Reading(
      frames: samples.compactMap(place), junk: Int(report.junkBytes), tags: Int(report.tagBytes),
      tail: Int(report.tailBytes), changes: Int(report.headerChanges))
  }

  /// A stream with everything in it that occurs between frames.
  func stream(_ noise: inout Noise) -> [UInt8] {
    var data: [UInt8] = []
    for _ in 0..<Int.random(in: 1...60, using: &noise) {
      let payload = noise.bytes(Int.random(in: 0...400, using: &noise))
      switch Int.random(in: 0...20, using: &noise) {
      case 0: data += noise.bytes(Int.random(in: 1...3000, using: &noise))
      case 1: data += Array("ID3".utf8) + [4, 0, payload.first ?? 0, 0, 0, 0, 90] + noise.bytes(90)
      case 2: data += frame(payload: payload, errorCheck: [1, 2])
      case 4: data += Array("TAG".utf8) + noise.bytes(125)
      case 5:
        data += Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 70, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xA0] + noise.bytes(78)
      case 3: data += frame(rate: 6, channels: 1, payload: payload)
      default: data += frame(payload: payload)
      }
    }
    return data
  }

  @Test("on streams with tags, junk, cuts and flipped bytes")
  func damagedStreams() throws {
    var noise = Noise(state: 3)
    var compared = 0
    for _ in 0..<400 {
      var data = stream(&noise)
      for _ in 0..<Int.random(in: 0...5, using: &noise) {
        data[Int.random(in: 0..<data.count, using: &noise)] = noise.bytes(1)[0]
      }
      data.removeLast(Int.random(in: 0..<data.count, using: &noise) / 8)
      let expected = plainly(data)
      guard !expected.frames.isEmpty else { continue }
      // Protected frames of several packets are taken apart, which the plain reading does not do.
      guard try readAll(data).reader.report.frames == readAll(data).reader.report.packets else { continue }
      #expect(try reading(data) == expected)
      compared += 1
    }
    #expect(compared > 100)
  }

  @Test("on noise dense with beginnings of frames and tags")
  func denseNoise() throws {
    var noise = Noise(state: 4)
    let bits: [UInt8] = [0xFF, 0xF1, 0xF9, 0xF0, 0x50, 0x49, 0x44, 0x33, 0x54, 0x41, 0x47, 0x00, 0x01, 0x1F]
    for _ in 0..<2000 {
      let count = Int.random(in: 0...300, using: &noise)
      let data = (0..<count).map { _ in bits[Int.random(in: 0..<bits.count, using: &noise)] }
      let expected = plainly(data)
      guard !expected.frames.isEmpty else {
        #expect(throws: AACError(.noFrames, file: "memory")) { try readAll(data) }
        continue
      }
      let (_, reader) = try readAll(data)
      #expect(Int(reader.report.frames) == expected.frames.count)
      #expect(Int(reader.report.junkBytes) == expected.junk)
      #expect(Int(reader.report.tailBytes) == expected.tail)
    }
  }
}
