import Foundation
import TestSupport
import Testing

/// What the command makes of streams of LOAS, and of streams that end inside a packet.
@Suite(.inTurn) struct LOASTests {
  private let folder: TemporaryFolder
  /// The packets of the demo's sound.
  private let packets: [[UInt8]]

  init() throws {
    folder = try TemporaryFolder()
    try #require(try Command.run("extract", Demo.path, folder.path("demo.aac")).status == 0)
    packets = LOASTests.packets([UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path("demo.aac")))))
    let maker = LOASMaker()
    let stream = packets.enumerated().flatMap { maker.frame([$1], isConfigured: $0.isMultiple(of: 10)) }
    try Data(stream).write(to: URL(fileURLWithPath: folder.path("demo.loas")))
  }

  /// The packets behind headers of seven bytes.
  private static func packets(_ adts: [UInt8]) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var start = 0
    while start + 7 <= adts.count {
      let size = Int(adts[start + 3] & 3) << 11 | Int(adts[start + 4]) << 3 | Int(adts[start + 5]) >> 5
      packets.append([UInt8](adts[(start + 7)..<(start + size)]))
      start += size
    }
    return packets
  }

  private func shell(_ script: String) throws -> (status: Int32, output: Data, errors: String) {
    try Tool.run("/bin/bash", ["-c", script, "bash", Command.path, folder.url.path])
  }

  @Test("Every verb that takes ADTS takes LOAS, and hears the same")
  func verbs() throws {
    let (adts, loas) = (folder.path("demo.aac"), folder.path("demo.loas"))
    #expect(try Command.run("decode", loas, "-").output == Command.run("decode", adts, "-").output)
    try #require(try Command.run("extract", loas, folder.path("again.aac")).status == 0)
    #expect(try shell("cmp \"$2/demo.aac\" \"$2/again.aac\"").status == 0)
    let loudness = try shell("for f in demo.aac demo.loas; do \"$1\" loudness \"$2/$f\" | sed 's/.*: //'; done | uniq")
    #expect(String(decoding: loudness.output, as: UTF8.self).split(separator: "\n").count == 1)
    let info = try Command.run("info", loas, "--json")
    #expect(String(decoding: info.output, as: UTF8.self).contains("\"container\":\"loas\""))
    #expect(info.errors.isEmpty, "\(info.errors)")
    let lines = try Command.run("packets", loas)
    #expect(String(decoding: lines.output, as: UTF8.self).split(separator: "\n").count == packets.count + 1)
    let play = try Command.run("play", loas, "--device", "null", "--start", "1")
    #expect(play.status == 0, "\(play.errors)")
    let remux = try Command.run("remux", loas, folder.path("out.mp4"))
    #expect(remux.status == 65 && remux.errors.contains("not a movie"), "\(remux.errors)")
  }

  @Test("A pipe of LOAS is decoded as a file is, whole or joined midway")
  func pipes() throws {
    for skipped in [0, 1, 5000] {
      let file = try shell("tail -c +\(skipped + 1) \"$2/demo.loas\" > \"$2/part\"; \"$1\" decode \"$2/part\" -")
      #expect(file.status == 0 && file.output.count > 10_000, "\(file.errors)")
      let pipe = try shell("tail -c +\(skipped + 1) \"$2/demo.loas\" | \"$1\" decode - -")
      #expect(pipe.status == 0 && pipe.output == file.output, "\(pipe.errors)")
      let extracted = try shell(
        "\"$1\" extract \"$2/part\" \"$2/a.aac\"; \"$1\" extract - - < <(cat \"$2/part\") | cmp - \"$2/a.aac\"")
      #expect(extracted.status == 0, "\(extracted.errors)")
    }
  }

  @Test("A pipe is read no further than needed: what was written is heard before more comes")
  func slowPipe() throws {
    let size = try shell("\"$1\" packets --json \"$2/demo.loas\" | sed -n 7p | grep -o 'offset\":[0-9]*' | cut -d: -f2")
    let six = try #require(Int(String(decoding: size.output, as: UTF8.self).filter(\.isNumber)))
    // The pipe stays open. Of six packets all have to be decoded, and five of them written.
    let result = try shell(
      """
      mkfifo "$2/pipe"; exec 3<>"$2/pipe"; head -c \(six) "$2/demo.loas" >&3
      "$1" decode "$2/pipe" - 3>&- >"$2/out" & for i in {1..100}; do
        sleep 0.1; size=$(stat -c %s "$2/out"); [ "$size" -gt 18000 ] && break; done
      echo "$size"; exec 3>&-; wait
      """)
    #expect(try #require(Int(String(decoding: result.output, as: UTF8.self).filter(\.isNumber))) > 18000)
  }

  @Test("A stream that ends inside a packet is decoded up to there, and said to be cut", arguments: ["aac", "loas"])
  func cut(kind: String) throws {
    let cut = folder.path("cut.\(kind)")
    _ = try shell("head -c -30 \"$2/demo.\(kind)\" > \"$2/cut.\(kind)\"")
    for verb in [["decode", cut, folder.path("out.wav")], ["info", cut], ["loudness", cut], ["packets", cut]] {
      let result = try Tool.run(Command.path, verb)
      #expect(result.status == 0 && result.errors.contains("30 B are missing at its end"), "\(verb): \(result.errors)")
      #expect(!result.errors.contains("no frames"), "\(verb): \(result.errors)")
    }
    if kind == "loas" {
      let result = try Command.run("extract", cut, folder.path("out.aac"))
      #expect(result.status == 0 && result.errors.contains("30 B are missing at its end"), "\(result.errors)")
    }
    // What is whole is there.
    let whole = try Command.run("decode", folder.path("demo.\(kind)"), "-").output
    let part = try Command.run("decode", cut, "-").output
    #expect(part.count > 10_000 && part.dropFirst(44) == whole.dropFirst(44).prefix(part.count - 44))
    // Nothing is missing where only the beginning was asked for.
    let begin = try Command.run("decode", cut, folder.path("out.wav"), "--to", "0.5")
    #expect(begin.status == 0 && !begin.errors.contains("missing"), "\(begin.errors)")
  }
}
