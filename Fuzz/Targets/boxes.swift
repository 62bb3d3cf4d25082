import ISOBMFF
import MediaCore

// Any bytes are a list of boxes to the parser, however odd. What it read it must write again, byte for byte: this is
// what remuxing stands on. Every box must also be able to show itself.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBoxes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  var parser = BoxParser(SourceReader(MemorySource(bytes)))
  do {
    let (nodes, trailing) = try parser.nodes(from: 0, to: UInt64(bytes.count))
    var tally = Tally()
    for node in nodes { tally.visit(node) }
    if !tally.isDeferred {
      var written: [UInt8] = []
      for node in nodes { node.write(to: &written) }
      written.append(contentsOf: trailing)
      let same = zip(written, bytes).prefix { $0 == $1 }.count
      require(written == bytes, "\(written.count) bytes written of \(bytes.count), the same up to \(same)")
    }
  } catch {
    // Refusing is an answer, as long as it comes with words.
    require(!error.description.isEmpty, "an error says what is wrong")
  }
  for issue in parser.issues { require(!issue.description.isEmpty, "an issue says what is odd") }
  return 0
}

/// Walks a tree, has every box show itself, and notes whether all of it was read.
private struct Tally {
  var isDeferred = false

  mutating func visit(_ node: BoxNode) {
    switch node.content {
    case .deferred: isDeferred = true
    case .fields(let box): show(box.fields(context: node.context), in: node.type)
    case .container, .opaque: break
    }
    for child in node.children { visit(child) }
  }

  private func show(_ fields: [Field], in type: FourCC, areNamed: Bool = true) {
    for field in fields {
      require(!areNamed || !field.name.isEmpty, "the fields of \(type) have names")
      if case .list(let rows, let total) = field.value {
        require(rows.count <= total, "\(type).\(field.name) shows no more rows than there are")
        // What a list holds may be plain values.
        for row in rows { show(row, in: type, areNamed: false) }
      }
    }
  }
}
