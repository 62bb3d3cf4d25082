import Foundation
import MediaCore
import PCM
import TestSupport
import Testing

/// What files say about their sound, as other programs wrote it and as it may be damaged.
@Suite(.inTurn) struct TagTests {
  private func made(_ name: String, _ options: [String]) throws -> [PCMFileTag] {
    let folder = try TemporaryFolder()
    let path = folder.path(name)
    let metadata = ["title=Lied für Vögel", "artist=A Lyrebird", "comment=two\nlines", "copyright=2026"]
    try MadeMedia.make(
      ["-f", "lavfi", "-i", "anoisesrc=d=0.05:seed=1", "-bitexact"] + metadata.flatMap { ["-metadata", $0] } + options
        + [path]
    )
    return try PCMFileReader(path: path).tags()
  }

  private func tags(_ pairs: KeyValuePairs<String, String>) -> Set<PCMFileTag> {
    Set(pairs.map { PCMFileTag($0.key, $0.value) })
  }

  @Test("what ffmpeg writes into WAVE, AIFF, CAF and ID3 of each version is read", .needs(.ffmpeg))
  func ffmpegWrites() throws {
    let texts = [("Lied für Vögel", "A Lyrebird", "two\nlines", "2026")].map { [$0.0, $0.1, $0.2, $0.3] }[0]
    func expected(_ names: String...) -> Set<PCMFileTag> { Set(zip(names, texts).map { PCMFileTag($0, $1) }) }
    #expect(try expected("INAM", "IART", "ICMT", "ICOP").isSubset(of: made("a.wav", [])))
    #expect(try tags(["NAME": texts[0], "ANNO": texts[2], "(c) ": texts[3]]).isSubset(of: made("a.aiff", [])))
    #expect(try expected("title", "artist", "comment", "copyright").isSubset(of: made("a.caf", ["-c:a", "pcm_s16le"])))
    for version in ["3", "4"] {
      let tags = try made("a.aiff", ["-write_id3v2", "1", "-id3v2_version", version])
      #expect(expected("TIT2", "TPE1").isSubset(of: tags), "\(tags)")
    }
    let broadcast = try made(
      "a.wav", ["-write_bext", "1", "-metadata", "description=A take", "-metadata", "originator=Mic"])
    #expect(tags(["bext:Description": "A take", "bext:Originator": "Mic"]).isSubset(of: broadcast))
  }

  /// A tag in a WAVE file, after its samples.
  private func tags(id3: [UInt8]) throws -> [PCMFileTag] {
    try PCMFileReader(
      PlainWAV.file(
        PlainWAV.chunk("fmt ", PlainWAV.fmt()), PlainWAV.chunk("data", [1, 2]), PlainWAV.chunk("id3 ", id3))
    ).tags()
  }

  private func syncsafe(_ count: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(count >> $0 & 0x7F) } }

  private func id3(_ version: UInt8, flags: UInt8 = 0, _ frames: [UInt8]) -> [UInt8] {
    Plain.type("ID3\u{0}").dropLast() + [version, 0, flags] + syncsafe(frames.count) + frames
  }

  private func frame(_ version: UInt8, _ name: String, _ content: [UInt8], flags: UInt8 = 0) -> [UInt8] {
    let size = Plain.u32(UInt32(content.count))
    return switch version {
    case 2: Array(name.utf8) + size.dropFirst() + content
    case 3: Plain.type(name) + size + [0, flags] + content
    default: Plain.type(name) + syncsafe(content.count) + [0, flags] + content
    }
  }

  @Test("each encoding of ID3 is read", arguments: [UInt8(2), 3, 4])
  func encodings(version: UInt8) throws {
    let name = version == 2 ? "TT2" : "TIT2"
    let contents: [[UInt8]] = [
      [0, 0x56, 0xF6, 0x67, 0x65, 0x6C, 0], [1, 0xFF, 0xFE, 0x56, 0, 0xF6, 0, 0x67, 0, 0x65, 0, 0x6C, 0, 0, 0],
      [1, 0xFE, 0xFF, 0, 0x56, 0, 0xF6, 0, 0x67, 0, 0x65, 0, 0x6C], [2, 0, 0x56, 0, 0xF6, 0, 0x67, 0, 0x65, 0, 0x6C],
      [3] + Array("Vögel".utf8),
    ]
    for content in contents {
      #expect(try tags(id3: id3(version, frame(version, name, content))) == [PCMFileTag(name, "Vögel")])
    }
    let picture = frame(version, version == 2 ? "PIC" : "APIC", [UInt8](repeating: 7, count: 9000))
    let comment = frame(version, version == 2 ? "COM" : "COMM", [0] + Array("engwhy\0because".utf8))
    let user = frame(version, version == 2 ? "TXX" : "TXXX", [1, 0xFF, 0xFE, 0x41, 0, 0, 0, 0xFF, 0xFE, 0x42, 0])
    let read = try tags(id3: id3(version, picture + comment + user + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
    #expect(
      read == [
        PCMFileTag(version == 2 ? "COM:why" : "COMM:why", "because"),
        PCMFileTag(version == 2 ? "TXX:A" : "TXXX:A", "B"),
      ])
  }

  @Test("unsynchronised tags, extended headers, groups and several values are read; what is sealed is not")
  func forms() throws {
    let full: [UInt8] = [1, 0xFF, 0, 0xFE, 0x41, 0]
    let expected = [PCMFileTag("TIT2", "A")]
    // Before the zeros were put in, the frame was a byte shorter.
    let old = Plain.type("TIT2") + Plain.u32(5) + [0, 0] + full
    #expect(try tags(id3: id3(3, flags: 0x80, old)) == expected)
    #expect(try tags(id3: id3(4, flags: 0x80, frame(4, "TIT2", full, flags: 2))) == expected)
    #expect(
      try tags(id3: id3(3, flags: 0x40, Plain.u32(6) + [0, 0, 0, 0, 0, 0] + frame(3, "TIT2", [0, 65]))) == expected)
    #expect(try tags(id3: id3(4, flags: 0x40, syncsafe(6) + [1, 0] + frame(4, "TIT2", [0, 65]))) == expected)
    #expect(try tags(id3: id3(4, frame(4, "TIT2", [9] + syncsafe(2) + [0, 65], flags: 0x41))) == expected)
    #expect(try tags(id3: id3(4, frame(4, "TPE1", [3] + Array("A\0B".utf8)))) == [PCMFileTag("TPE1", "A; B")])
    #expect(try tags(id3: id3(4, frame(4, "TIT2", [0, 65], flags: 4))) == [])
    #expect(try tags(id3: id3(5, frame(4, "TIT2", [0, 65]))) == [])
  }

  @Test("damaged tags never trap, and cost no sample")
  func damaged() throws {
    var noise = Noise(seed: 3)
    let item = PlainWAV.chunk("INAM", Array("Bird".utf8))
    let seeds = [
      PlainWAV.file(
        PlainWAV.chunk("fmt ", PlainWAV.fmt()), PlainWAV.chunk("data", [1, 2]),
        PlainWAV.chunk("LIST", Plain.type("INFO") + item),
        PlainWAV.chunk(
          "id3 ", id3(4, frame(4, "TIT2", [1, 0xFF, 0xFE, 65, 0]) + frame(4, "COMM", [1] + Array("eng\0\0".utf8)))),
        PlainWAV.chunk("bext", noise.bytes(602))),
      PlainAIFF.file(
        PlainAIFF.comm(frames: 1), PlainAIFF.ssnd([1, 2]), PlainAIFF.chunk("NAME", [0xFF, 0xFE, 65]),
        PlainAIFF.chunk("ID3 ", id3(3, flags: 0x80, frame(3, "TXXX", [1, 0xFF, 0, 0xFE, 0, 0])))),
      PlainCAF.file(
        PlainCAF.desc(), PlainCAF.chunk("info", Plain.u32(1) + Array("title\0Bird\0".utf8)), PlainCAF.data([1, 2])),
    ]
    for seed in seeds { #expect(try !PCMFileReader(seed).tags().isEmpty) }
    for _ in 0..<20_000 {
      var bytes = seeds.randomElement(using: &noise) ?? []
      for _ in 0..<Int.random(in: 1...6, using: &noise) {
        bytes[Int.random(in: 12..<bytes.count, using: &noise)] = UInt8.random(in: 0...255, using: &noise)
      }
      if noise.once(in: 4) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &noise)) }
      guard let file = try? PCMFileReader(bytes) else { continue }
      let tags = try file.tags()
      #expect(tags.allSatisfy { !$0.value.isEmpty })
    }
    #expect(try PCMFileReader(SourceReader(PipedBytes(seeds[0]))).tags() == [])
  }
}
