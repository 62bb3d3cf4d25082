import ISOBMFF
import MediaCore
import TestSupport
import Testing

@Suite("Reading boxes into a tree", .inTurn)
struct BoxParserTests {
  /// What parsing some bytes gives.
  private struct Outcome {
    var nodes: [BoxNode]
    var trailing: ArraySlice<UInt8>
    var issues: [BoxError]
    var written: [UInt8] { nodes.flatMap(\.written) + trailing }
  }

  private func parse(
    _ bytes: [UInt8], limits: BoxLimits = BoxLimits(), deferring: [FourCC] = []
  ) throws(BoxError) -> Outcome {
    var parser = BoxParser(SourceReader(MemorySource(bytes)), limits: limits, deferring: deferring)
    let (nodes, trailing) = try parser.nodes(from: 0, to: UInt64(bytes.count))
    return Outcome(nodes: nodes, trailing: trailing, issues: parser.issues)
  }

  /// A box around a payload.
  private func box(_ type: String, _ payload: [UInt8] = []) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(UInt32(8 + payload.count))
    return bytes + type.utf8 + payload
  }

  private func nested(_ depth: Int) -> [UInt8] {
    (0..<depth).reduce([]) { inner, _ in box("moov", inner) }
  }

  @Test("a tree is read, found through and written")
  func tree() throws {
    let header = box("mfhd", bytes("00000000 00000007"))
    let outcome = try parse(box("moof", header + box("abcd", [1, 2])) + box("free"))
    #expect(outcome.issues.isEmpty)
    #expect(outcome.nodes.map(\.type) == ["moof", "free"])
    #expect(outcome.nodes.first?.child("mfhd", as: MovieFragmentHeaderBox.self)?.sequenceNumber == 7)
    #expect(outcome.nodes.first?.first("abcd")?.payload == [1, 2])
    #expect(outcome.written == box("moof", header + box("abcd", [1, 2])) + box("free"))
  }

  @Test("sizes in 64 bits and sizes that reach to the end stay as they are")
  func sizes() throws {
    let large = bytes("00000001 61626364 0000000000000012 aabb")
    let toEnd = bytes("00000000 65666768 ccdd")
    let outcome = try parse(large + toEnd)
    #expect(outcome.nodes.map(\.payload) == [[0xAA, 0xBB], [0xCC, 0xDD]])
    #expect(outcome.nodes.map(\.header.sizeForm) == [.large, .toEnd])
    #expect(outcome.written == large + toEnd)
    #expect(outcome.issues.isEmpty)
  }

  @Test("user types")
  func userTypes() throws {
    let type = "a2394f525a9b4f14a2446c427c648df4"
    let outcome = try parse(bytes("0000001a 75756964" + type + "aabb"))
    #expect(outcome.nodes.first?.header.userType == bytes(type))
    #expect(outcome.nodes.first?.payload == [0xAA, 0xBB])
    #expect(outcome.written == bytes("0000001a 75756964" + type + "aabb"))
    // Too short for a user type: a box without one.
    let short = try parse(bytes("0000000a 75756964 aabb"))
    #expect(short.nodes.first?.header.userType == nil)
    #expect(short.written == bytes("0000000a 75756964 aabb"))
  }

  @Test("a box that claims more than there is, is cut, noted, and written with the size it claimed")
  func cutBoxes() throws {
    for cut in ["00000010 61626364 aabb", "00000001 61626364 ffffffffffffffff aabb", "ffffffff 61626364 aabb"] {
      let inner = bytes(cut)
      let outcome = try parse(box("moov", inner) + box("free"))
      #expect(outcome.nodes.map(\.type) == ["moov", "free"])
      #expect(outcome.nodes.first?.first("abcd")?.payload == [0xAA, 0xBB])
      #expect(outcome.issues.map(\.code) == [.truncated])
      #expect(outcome.issues.map(\.path) == ["moov/abcd"])
      #expect(outcome.issues.map(\.offset) == [8])
      #expect(outcome.written == box("moov", inner) + box("free"))
    }
  }

  @Test("bytes that are no box are kept; zeros are nothing to note")
  func trailingBytes() throws {
    for (junk, count) in [("00000003 6162", 1), ("00000000", 0), ("00000007 61626364 aa", 1), ("000000", 0)] {
      let outcome = try parse(box("udta", bytes(junk)))
      #expect(outcome.nodes.first?.children.isEmpty == true)
      #expect(outcome.nodes.first?.trailing == bytes(junk)[...])
      #expect(outcome.issues.count == count)
      #expect(outcome.written == box("udta", bytes(junk)))
    }
  }

  @Test("a note on bytes that are no box says how many there are")
  func countOfTrailingBytes() throws {
    let few = try parse(box("udta", bytes("00000007 61626364 aa"))).issues
    #expect(few.map(\.code) == [.trailingBytes(9)])
    #expect(few.first?.description == "udta at byte 8: 9 bytes after the last box are not a box")
    #expect(try parse(box("udta", [1])).issues.first?.reason == "1 byte after the last box is not a box")
    // More than a leaf may have are counted, too, though not kept.
    var limits = BoxLimits()
    limits.leafSize = 4
    let many = try parse(box("udta", bytes("00000007 61626364 aa")), limits: limits)
    #expect(many.nodes.first?.trailing.count == 4 && many.issues.map(\.code) == [.trailingBytes(9)])
  }

  @Test("fields that cannot be true leave the box as it is")
  func damagedFields() throws {
    let impossible = box("stts", bytes("00000000 ffffffff"))
    let outcome = try parse(impossible)
    guard case .opaque = outcome.nodes.first?.content else {
      Issue.record("read as something")
      return
    }
    #expect(outcome.issues.map(\.code) == [.countExceedsBox(claimed: 0xFFFF_FFFF, room: 0)])
    #expect(
      outcome.issues.first?.description == "stts.entries at byte 0: claims 4294967295 entries, but there is room for 0")
    #expect(outcome.written == impossible)
  }

  @Test("versions that are not known stay as they are")
  func unknownVersions() throws {
    let draft = box("vpcC", bytes("00000000 02 1e a3 09 0000 0000"))
    let future = box("sidx", bytes("02000000 00000001"))
    let outcome = try parse(draft + future)
    #expect(outcome.issues.map(\.code) == [.invalidValue(0), .invalidValue(2)])
    #expect(outcome.written == draft + future)
  }

  @Test("nesting is bounded")
  func depth() throws {
    var limits = BoxLimits()
    limits.depth = 5
    #expect(try parse(nested(5), limits: limits).written == nested(5))
    #expect(failure { () throws(BoxError) in _ = try parse(nested(6), limits: limits) } == .nestedTooDeep)
    #expect(failure { () throws(BoxError) in _ = try parse(nested(1000)) } == .nestedTooDeep)
  }

  @Test("the number of boxes is bounded")
  func boxCount() throws {
    var limits = BoxLimits()
    limits.boxCount = 10
    let boxes = (0..<10).flatMap { _ in box("free") }
    #expect(try parse(boxes, limits: limits).nodes.count == 10)
    #expect(failure { () throws(BoxError) in _ = try parse(boxes + box("free"), limits: limits) } == .tooManyBoxes)
  }

  @Test("issues are bounded")
  func issueCount() throws {
    let outcome = try parse((0..<1000).flatMap { _ in box("stts") })
    #expect(outcome.issues.count == 100)
    #expect(outcome.nodes.count == 1000)
  }

  @Test("large leaves are only located, and so are unwanted ones")
  func deferring() throws {
    var limits = BoxLimits()
    limits.leafSize = 40
    let large = box("free", [UInt8](repeating: 9, count: 41))
    let unwanted = box("stts", bytes("00000000 00000000"))
    let outcome = try parse(
      large + unwanted + box("stss", bytes("00000000 00000000")), limits: limits, deferring: ["stts"])
    guard outcome.nodes.count == 3, case .deferred(let head) = outcome.nodes[0].content,
      case .deferred(let table) = outcome.nodes[1].content, case .fields = outcome.nodes[2].content
    else {
      Issue.record("not as wanted")
      return
    }
    #expect(head == [UInt8](repeating: 9, count: 32)[...])
    #expect(table.count == 8)
  }

  @Test("what is read in all is bounded, and trailing bytes count")
  func loadedSize() throws {
    var limits = BoxLimits()
    limits.loadedSize = 1000
    let leaf = box("free", [UInt8](repeating: 9, count: 600))
    let outcome = try parse(leaf + leaf + leaf + box("moov", [UInt8](repeating: 0, count: 7)), limits: limits)
    let deferred = outcome.nodes.map { if case .deferred = $0.content { true } else { false } }
    #expect(deferred == [false, false, true, false])
    #expect(outcome.nodes.last?.trailing.isEmpty == true)
    #expect(outcome.issues.count == 1)
  }

  @Test("a list of tiny elements counts for what it takes in memory")
  func listCost() throws {
    var limits = BoxLimits()
    limits.loadedSize = 5000
    // A hundred descriptions of a byte each.
    let groups = box("sgpd", bytes("01000000 726f6c6c 00000001 00000064") + [UInt8](repeating: 1, count: 100))
    let outcome = try parse(groups + groups, limits: limits)
    let deferred = outcome.nodes.map { if case .deferred = $0.content { true } else { false } }
    #expect(deferred == [false, true])
  }

  @Test("the media's handler decides what its sample entries are, and only its own")
  func handlers() throws {
    func handler(_ type: String) -> [UInt8] {
      box("hdlr", bytes("00000000 00000000") + type.utf8 + [UInt8](repeating: 0, count: 13))
    }
    func track(_ type: String, _ entry: [UInt8]) -> [UInt8] {
      let description = box("stsd", bytes("00000000 00000001") + entry)
      return box(
        "trak", box("mdia", handler(type) + box("minf", handler("url ") + box("stbl", description))))
    }
    let sound = box("mp4a", [UInt8](repeating: 0, count: 28))
    let text = box("wvtt", [UInt8](repeating: 0, count: 8))
    let outcome = try parse(box("moov", track("soun", sound) + track("text", text)))
    let entries = outcome.nodes.first?.all("trak").compactMap {
      $0.first("mdia", "minf", "stbl", "stsd")?.children.first
    }
    #expect(entries?.first?.box(as: AudioSampleEntry.self) != nil)
    #expect(entries?.last?.box(as: PlainSampleEntry.self) != nil)
    #expect(outcome.issues.isEmpty)
  }

  @Test("QuickTime's and ISO's meta boxes both have their children")
  func meta() throws {
    let handler = box("hdlr", bytes("00000000 00000000") + "mdta".utf8 + [UInt8](repeating: 0, count: 13))
    for payload in [handler, bytes("00000000") + handler] {
      let outcome = try parse(box("meta", payload))
      #expect(outcome.nodes.first?.child("hdlr", as: HandlerBox.self)?.handlerType == "mdta")
      #expect(outcome.written == box("meta", payload))
    }
  }

  @Test("timed metadata: keys hold boxes whose types are numbers")
  func timedMetadata() throws {
    var context = BoxContext()
    context.handler = "meta"
    let key = box("\u{0}\u{0}\u{0}\u{1}", box("keyd", bytes("6d647461") + "a".utf8))
    let payload = box("mebx", bytes("000000000000 0001") + box("keys", key))
    let description = box("stsd", bytes("00000000 00000001") + payload)
    var parser = BoxParser(SourceReader(MemorySource(description)))
    let header = try #require(try parser.header(at: 0, limit: UInt64(description.count)))
    let node = try parser.node(header, context: context)
    #expect(node.first("mebx", "keys", FourCC(1), "keyd")?.payload == bytes("6d647461 61"))
    #expect(parser.issues.isEmpty)
    #expect(node.written == description)
  }

  @Test("files changed at random are read without harm, and written as they were read")
  func randomDamage() throws {
    let handler = box("hdlr", bytes("00000000 00000000") + "soun".utf8 + [UInt8](repeating: 0, count: 13))
    let entry = box("mp4a", [UInt8](repeating: 0, count: 28) + box("esds", bytes("00000000 03 03 0000 00")))
    let tables = box("stsd", bytes("00000000 00000001") + entry) + box("stts", bytes("00000000 00000000"))
    let movie = box("moov", box("trak", box("mdia", handler + box("minf", box("stbl", tables)))) + box("udta"))
    var random = Random(seed: 7)
    for _ in 0..<3000 {
      var damaged = movie
      for _ in 0...random.below(6) { damaged[random.below(damaged.count)] = random.byte() & 0x1F }
      let outcome = try parse(damaged)
      #expect(outcome.written == damaged)
    }
  }
}
