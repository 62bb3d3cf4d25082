import Foundation
@testable import MP4
import MediaCore
import TestSupport
import Testing

/// Movie headers that QuickTime compressed, and the method they are compressed by.
@Suite(.inTurn) struct CompressedMovieTests {
  /// Compressed by zlib itself: the header of `small` stored as it is, and with the fixed codes; that of `large` with
  /// codes of its own; and `far`, which copies from as far back as the method can.
  private static let stored = decoded(
    """
    eAEBKwLU/QAAAittb292AAAAbG12aGQAAAAAAAAAAAAAAAAAAAJYAAAAAAABAAABAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAA
    AAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAP//AAABt3RyYWsAAABcdGtoZAAAAAcAAAAAAAAAAAAAAAEAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAEAAAAACgAAAAeAAAAAAAVNtZGlhAAAAIG1kaGQAAAAA
    AAAAAAAAAAAAAAPoAAAAAFXEAAAAAAAhaGRscgAAAAAAAAAAdmlkZQAAAAAAAAAAAAAAAAAAAAEKbWluZgAAACRkaW5mAAAAHGRyZWYAAAAA
    AAAAAQAAAAx1cmwgAAAAAQAAAN5zdGJsAAAAZnN0c2QAAAAAAAAAAQAAAFZhdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAoAB4ABIAAAA
    SAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAGP//AAAAGHN0dHMAAAAAAAAAAQAAAAMAAAAoAAAAHHN0c2MAAAAA
    AAAAAQAAAAEAAAABAAAAAQAAACBzdHN6AAAAAAAAAAAAAAADAAAACgAAABQAAAAeAAAAHHN0Y28AAAAAAAAAAwAAADwAAABkAAAAlgFFMFM=
    """)
  private static let fixed = decoded(
    """
    eAFjYGDSzs3PL2NgYMjJLctIYUABTBFgihGMEIARVRU634EBH/j/H6hhe0lRYjaQE1OSDbaTHY/pJNnL1AAUfgCWDM5NyUwEMhRyU9D9xfwC
    RIYeAXMUM1JyimAyZZkpqei2cOVm5qUBGSopEFompSg1DckJPKVFOQpQ9r3ikqQcIJ1WXFKcgqQmLLEs2RCXB5kagE72ADI8CAYBDEiAgpFB
    orikpBhJDzMQa4BcCLQ9GUkcGSsA5aqQwwKIuYBYBIjlIHqT85HkbIAY5JNpAAFFMFM=
    """)
  private static let dynamic = decoded(
    """
    eNrtlL1LQmEUxl+vV0tsiDBRCjRsKBRKy6aMdDDLIRwMow8zX0XRm+C9XahJaG52bm5udmnwz2jsv7Dn6JGuQkVbQy/+fD/vOc95Xq9COLpa
    q2UKIZqaWZNioimFYWcbfj6bbfLU9HxffNcGAyEcIaNdamBybjSGOWe+if6rvEoHy280U3uarJcwCGpyui77O33nX4eTlZpstsc7Zl1WprKo
    pla/qWKwKkf9smxXqhYJc7ftZnA0Vo9047qJcVU3dGk5c1Iyy9GvClQ6kJzBIPOjBePmIxuFTzcM3fJMH6yRQmQvW9bHe+jt29i7t0TqW86p
    wAXmgZ8qBlF2Nke+UU6wwVoVEAB7oEhWgjQ5AuLgCkTAGQiDSxADsyAJlgD9xHaAF5yCBAgBN7kGUmCTrhEsACe4oNsDxyALDpksr+X5jJOf
    CXKMFMd0c44E5/SyhgJrSrLGGGsOcw0RrinONaa55iJ7EGBPMuyRjz3LsYdR9tTPHrvYc9v/HfzpO/DoRrll2d8lDXiPxu+eh9eppkXWsA62
    uL4Dzk/66e+FYt2BB/AIuuAJPIMX0PsABa1gAA==
    """)
  private static let far = decoded(
    """
    eNrt3d8rHAAAwHGnWBeXlpr8OCzzMA/T7YrMrzaGJZabHWccGXeWLnfGmujiwe4e7M6MOsvmrBzOJdSmyI/oKE2KNL+y3Q4PFA9rNPewvewP
    8LDH7+dv+L5/F/Ut1dmeH578s+lvTWEug2BWsievDchUqwwKuzFJcSQPbFxr7dtMyn8cGz9S+WTbu8HyxR3ywlS61W2OSI07SXuZI7qYsW3v
    vzLt3tTk/pG7tJEe81ihT7tTuPtoxZ6Y1S1bl7337T36NO8baHkwLgh33DZKemQZXbo4c8FZgvjahbHul6UpqPjulEZnCtAqlgShsdLkN3Pi
    fpFoWPparzSnHFbV2e6MLby9OlixtLP8vcz1c1bopf7ojrZelxg2yp2DD/W3hNWdvaOaoQ9Ffhna5s+rmf62/phNh8d6PNFwozaqI6vZaRto
    nfja1r4//DRdpnL3SKN/K+2Tz8tKsnX6maG2gmDdwrLyIEbqMOap+hrr1RXvnp3WyO9ZxXlO7/OpjvteAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAPCfLPKWvfRb9goAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/HO/
    Y+rc25kntt6T15w+e1ehrm/sU+UZHdKYA+Xygi64oG1oRq/LLil7PmlX/o6W9rhVsvSnw/vtbV8nWgdszuasjqjaGw0Tx1aPYzOm3+afufq5
    WZvhV/RhSDPa21ktvKV/OOgs3zBIrluj3R/VXsLZn66y78s7SxWDV98ujN2x1VUdppiV+tfSYZGoXzz3JlkaGypYUmgDTDrN1N3ioCbLrzrj
    xTVxwlmBOU7XlSHrkRhvO8IF4w8sgb7zn456fd/L1mXdWYn2lUe7Qme7T+GY2ROpdcn/5Gpu7ppe7W/bZi5EOS/TTuJSI8zdW6WmFyHuL5YG
    7+0nlSPxsY/zkzb7WtcaA+VHiiSjXWFQqTMDauV7klmBwRXW9G36LN/zw5Nd3aJf9MKl0dXlu/oLFpC3NA==
    """)

  private static func decoded(_ text: String) -> [UInt8] {
    [UInt8](Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
  }

  private static let small: [UInt8] = {
    var track = MadeTrack(samples: [10, 20, 30], at: 60)
    track.chunks = [.init(1, 1)]
    track.places = [60, 100, 150]
    return MovieMaker.moov([track])
  }()

  private static let large: [UInt8] = {
    var track = MadeTrack(samples: (0..<200).map { UInt32($0 * $0 % 97) }, at: 60)
    track.syncSamples = (0..<20).map { UInt32($0 * 10 + 1) }
    return MovieMaker.moov([track])
  }()

  /// Noise, then zeros, then the same noise again, and so on.
  private static let farPlain: [UInt8] = {
    var number: UInt32 = 1
    let noise = (0..<300).map { _ in
      number = (number &* 1_103_515_245 &+ 12345) & 0x7FFF_FFFF
      return UInt8(truncatingIfNeeded: number >> 16)
    }
    let back = Array(noise.reversed())
    return noise + [UInt8](repeating: 0, count: 30_000) + noise + [UInt8](repeating: 7, count: 32_000) + back
      + [UInt8](repeating: 0, count: 300) + back
  }()

  private static let media = Plain.box("mdat", [UInt8](repeating: 1, count: 20_000))

  /// A file whose movie header is compressed.
  private static func file(_ compressed: [UInt8], size: Int, method: String = "zlib") -> [UInt8] {
    MovieMaker.fileType + media
      + Plain.box(
        "moov",
        Plain.box(
          "cmov", Plain.box("dcom", Plain.type(method)), Plain.box("cmvd", Plain.u32(UInt32(size)), compressed)))
  }

  @Test("all three kinds of blocks give the bytes that zlib compressed")
  func inflates() {
    #expect([0, 1, 2, 2] == [Self.stored, Self.fixed, Self.dynamic, Self.far].map { $0[2] >> 1 & 3 })
    #expect(Inflate.zlib(Self.stored[...], limit: 1000) == Self.small)
    #expect(Inflate.zlib(Self.fixed[...], limit: 1000) == Self.small)
    #expect(Inflate.zlib(Self.dynamic[...], limit: 10_000) == Self.large)
    #expect(Inflate.zlib(Self.far[...], limit: 100_000) == Self.farPlain)
    // In the middle of an array, and with bytes after the end.
    let embedded = [9, 9, 9] + Self.fixed + [1, 2, 3]
    #expect(Inflate.zlib(embedded[3...], limit: 1000) == Self.small)
  }

  @Test("a movie with a compressed header is the movie with the plain one")
  func readsCompressedHeaders() throws {
    for (compressed, plain) in [(Self.stored, Self.small), (Self.fixed, Self.small), (Self.dynamic, Self.large)] {
      let expected = try opened(MovieMaker.fileType + Self.media + plain)
      let movie = try opened(Self.file(compressed, size: plain.count))
      #expect(movie.tracks.count == 1)
      #expect(movie.duration == expected.duration)
      #expect(movie.layout == expected.layout)
      let all = Delivery(expected.samples(of: expected.tracks[0])).records
      let found = Delivery(movie.samples(of: movie.tracks[0]))
      #expect(found.records == all)
      #expect(found.error == nil)
      var reader = movie.samples(of: movie.tracks[0])
      #expect(try reader.next()?.payload.load().count == all[0].size)
    }
  }

  @Test("what bounds samples of one size is the file's size, not that of its compressed header")
  func boundsByTheFile() throws {
    var track = MadeTrack()
    track.sizes = .constant(1500, count: 10)
    track.times = [.init(10, 1)]
    track.chunks = [.init(1, 10)]
    track.places = [60]
    let moov = MovieMaker.moov([track])
    // One stored block, and the checksum that RFC 1950 asks for.
    let length = UInt16(moov.count)
    let block = [1, UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8)] + moov
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in moov {
      a = (a + UInt32(byte)) % 65521
      b = (b + a) % 65521
    }
    let found = try delivery(Self.file([0x78, 0x01] + block + Plain.u32(b << 16 | a), size: moov.count))
    #expect(found.records.count == 10)
    #expect(found.error == nil)
  }

  @Test("a stream that is cut anywhere is refused")
  func refusesCutStreams() {
    for stream in [Self.stored, Self.fixed, Self.dynamic] {
      for count in stream.indices { #expect(Inflate.zlib(stream[..<count], limit: 10_000) == nil) }
    }
  }

  /// Some bits may be either: those that fill up the last byte, or from where among zeros a zero is copied.
  @Test("a stream with any bit turned is refused, or means the same bytes")
  func refusesChangedStreams() {
    for (stream, plain) in [(Self.fixed, Self.small), (Self.dynamic, Self.large)] {
      var refused = 0
      for bit in 0..<(stream.count * 8) {
        var changed = stream
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        guard let result = Inflate.zlib(changed[...], limit: 10_000) else {
          refused += 1
          continue
        }
        #expect(result == plain)
      }
      #expect(refused > stream.count * 7)
    }
  }

  @Test("noise is refused")
  func refusesNoise() {
    var noise = Noise(seed: 6)
    for _ in 0..<2000 {
      let bytes = noise.bytes(Int.random(in: 0...100, using: &noise))
      #expect(Inflate.zlib(bytes[...], limit: 10_000) == nil)
      #expect(Inflate.zlib(([0x78, 0x9C] + bytes)[...], limit: 10_000) == nil)
    }
  }

  @Test("no more is given than the limit allows")
  func keepsTheLimit() {
    #expect(Inflate.zlib(Self.far[...], limit: Self.farPlain.count) == Self.farPlain)
    #expect(Inflate.zlib(Self.far[...], limit: Self.farPlain.count - 1) == nil)
    #expect(Inflate.zlib(Self.stored[...], limit: Self.small.count - 1) == nil)
    #expect(Inflate.zlib(Self.fixed[...], limit: 0) == nil)
  }

  @Test("a broken compressed header is an error that names it")
  func namesBrokenHeaders() throws {
    var broken = Self.fixed
    broken[100] ^= 0x10
    let inner = Plain.box("free")
    let cases: [([UInt8], String)] = [
      (Self.file(broken, size: Self.small.count), "moov/cmov/cmvd"),
      (Self.file(Self.fixed, size: Self.small.count - 1), "moov/cmov/cmvd"),
      (Self.file([], size: 100), "moov/cmov"),
      (Self.file(Self.fixed, size: Self.small.count, method: "lzma"), "moov/cmov/dcom"),
      (MovieMaker.fileType + Plain.box("moov", Plain.box("cmov", Plain.box("cmvd", inner))), "moov/cmov"),
    ]
    for (bytes, path) in cases {
      let error = #expect(throws: MP4Error.self) { try opened(bytes) }
      #expect(error?.path?.hasPrefix(path) == true)
      #expect(error?.offset != nil)
    }
  }
}
