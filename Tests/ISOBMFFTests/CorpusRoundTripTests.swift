import Foundation
import ISOBMFF
import MediaCore
import TestSupport
import Testing

/// Real files, read box by box and written again.
@Suite(.inTurn, .needs(.corpus))
struct CorpusRoundTripTests {
  private static let files = (try? Shared.corpusFiles()) ?? []

  @Test("every box of every file is written as it was read", arguments: files)
  func writesWhatWasRead(file: Shared.CorpusFile) throws {
    try Self.visitTopLevel(of: file) { node, original in
      let written = node.written
      if written.elementsEqual(original) { return }
      let same = zip(written, original).prefix { $0 == $1 }.count
      Issue.record("\(node.type): \(written.count) bytes of \(original.count), the first \(same) are equal")
    }
  }

  @Test("known kinds of boxes are understood in every file and segment that is to be read")
  func understandsKnownKinds() throws {
    var understood: Set<FourCC> = []
    var opaque: [String] = []
    var unexplained: [String] = []
    for file in Self.files where ["read", "segment"].contains(file.expectation) {
      try Self.visit(file) { node, parent in
        guard case .box = BoxRegistry.kind(of: node.type, in: parent, context: node.context) else { return }
        guard case .fields = node.content else { return opaque.append("\(file) \(node.type)") }
        understood.insert(node.type)
        if node.trailing.contains(where: { $0 != 0 }) { unexplained.append("\(file) \(node.type)") }
      }
    }
    #expect(opaque == [])
    #expect(understood.count > 100)
    #expect(
      Set(unexplained) == [
        // A handler that ends within its reserved bytes.
        "apache__tika/testMP4_udtaLocation.mp4 hdlr",
        // Padding, inside the box, that is a box itself.
        "sannies__mp4parser/example.f4v elst",
      ])
  }

  @Test("payloads from real files, cut short or changed at random, are refused or written as they were read")
  func survivesDamage() throws {
    var tried: [FourCC: Int] = [:]
    for file in Self.files {
      try Self.visit(file) { node, parent in
        guard case .box(let kind) = BoxRegistry.kind(of: node.type, in: parent, context: node.context),
          tried[node.type, default: 0] < 3
        else { return }
        tried[node.type, default: 0] += 1
        checkRobustness(of: kind, with: Array(node.payload.prefix(2000)), context: node.context)
      }
    }
    #expect(tried.count > 100)
  }

  // MARK: Going through files

  /// Everything is read, whatever its size.
  private static let limits: BoxLimits = {
    var limits = BoxLimits()
    limits.leafSize = 1 << 30
    limits.loadedSize = 1 << 30
    return limits
  }()

  /// Hands out the boxes of a file that are in no other, but for media, with the bytes they were read from.
  private static func visitTopLevel(
    of file: Shared.CorpusFile, _ visit: (BoxNode, ArraySlice<UInt8>) throws -> Void
  ) throws {
    let bytes = [UInt8](try Data(contentsOf: file.url))
    var parser = BoxParser(SourceReader(MemorySource(bytes)), limits: limits)
    var offset: UInt64 = 0
    while let header = try parser.header(at: offset, limit: UInt64(bytes.count)) {
      offset = header.end
      if header.type == "mdat" { continue }
      try visit(try parser.node(header), bytes[Int(header.offset)..<Int(header.end)])
    }
  }

  /// Hands out all boxes of a file, each with the type of the box around it.
  private static func visit(_ file: Shared.CorpusFile, _ visit: (BoxNode, FourCC?) -> Void) throws {
    func descend(_ node: BoxNode, in parent: FourCC?) {
      visit(node, parent)
      for child in node.children { descend(child, in: node.type) }
    }
    try visitTopLevel(of: file) { node, _ in descend(node, in: nil) }
  }
}
