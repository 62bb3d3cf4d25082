import Foundation
import ISOBMFF
import MediaCore
import TestSupport
import Testing

/// Real files, read box by box and written again.
@Suite(.enabled(if: Shared.isAvailable, Comment(rawValue: Shared.missing)))
struct CorpusRoundTripTests {
  /// Everything is read, whatever its size: only media stays where it is.
  private static let limits: BoxLimits = {
    var limits = BoxLimits()
    limits.leafSize = 1 << 30
    limits.loadedSize = 1 << 30
    return limits
  }()

  /// The boxes of a file, top-level ones one after another, and what was odd about them.
  private static func topLevel(
    of bytes: [UInt8], each: (BoxNode, ArraySlice<UInt8>) throws -> Void
  ) throws -> [BoxError] {
    var parser = BoxParser(SourceReader(MemorySource(bytes)), limits: limits)
    var offset: UInt64 = 0
    while let header = try parser.header(at: offset, limit: UInt64(bytes.count)) {
      offset = header.end
      if header.type == "mdat" { continue }
      try each(try parser.node(header), bytes[Int(header.offset)..<Int(header.end)])
    }
    return parser.issues
  }

  private static let files = (try? Shared.corpusFiles()) ?? []

  @Test("every box of every file is written as it was read", arguments: files)
  func writesWhatWasRead(file: Shared.CorpusFile) throws {
    let bytes = [UInt8](try Data(contentsOf: file.url))
    _ = try Self.topLevel(of: bytes) { node, original in
      let written = node.written
      if written.elementsEqual(original) { return }
      let same = zip(written, original).prefix { $0 == $1 }.count
      Issue.record(
        "\(node.type) at \(node.header.offset): \(written.count) bytes written of \(original.count), first difference at \(same)"
      )
    }
  }

  @Test("known kinds of boxes are understood in every file that is to be read")
  func understandsKnownKinds() throws {
    var understood: Set<FourCC> = []
    var fallenBack: [FourCC: [String]] = [:]
    for file in Self.files where file.expectation == "read" {
      func visit(_ node: BoxNode, in parent: FourCC?) {
        if case .box = BoxRegistry.kind(of: node.type, in: parent, context: node.context) {
          switch node.content {
          case .fields:
            understood.insert(node.type)
            if !node.trailing.isEmpty {
              print(
                file.path, node.type, parent as Any, Array(node.trailing.prefix(20)), node.trailing.count,
                node.box(as: MetaBox.self) as Any)
            }
          default: fallenBack[node.type, default: []].append(file.path)
          }
        }
        for child in node.children { visit(child, in: node.type) }
      }
      _ = try Self.topLevel(of: [UInt8](try Data(contentsOf: file.url))) { node, _ in visit(node, in: nil) }
    }
    print(fallenBack)
    print(understood.map(\.description).sorted())
  }
}
