internal import Lyrebird

/// Prints boxes as an indented tree, or as JSON, one object per line.
struct BoxTreePrinter {
  private let output: Output
  private let maximumLevel: Int
  private let isJSON: Bool

  /// How many bytes of an unknown box are shown.
  private static let shownBytes = 16

  init(_ output: Output, maximumLevel: Int, isJSON: Bool) {
    self.output = output
    self.maximumLevel = maximumLevel
    self.isJSON = isJSON
  }

  func print(_ node: BoxNode) throws(SinkError) {
    try print(node, level: 1, path: "")
  }

  private func print(_ node: BoxNode, level: Int, path: String) throws(SinkError) {
    guard level <= maximumLevel else { return }
    let path = path.isEmpty ? node.type.description : path + "/" + node.type.description
    if isJSON {
      try output.line(json(node, path: path).text)
    } else {
      try printText(node, level: level)
    }
    for child in node.children { try print(child, level: level + 1, path: path) }
  }

  // MARK: Text

  private func printText(_ node: BoxNode, level: Int) throws(SinkError) {
    let indent = String(repeating: "  ", count: level - 1)
    let size = node.header.end - node.header.offset
    var line =
      "\(indent)\(Terminal.bold(node.type.description))  \(Terminal.dim("@\(node.header.offset) \(size) bytes"))"
    if node.header.isCut { line += Terminal.red("  claims \(node.header.claimedSize)") }
    if let userType = node.header.userType { line += "  " + hexadecimal(userType) }
    try output.line(line)
    for field in node.fields { try print(field, indent: indent + "    ") }
  }

  private func print(_ field: Field, indent: String) throws(SinkError) {
    let name = Terminal.dim(field.name)
    switch field.value {
    case .integer(let value): try output.line("\(indent)\(name) \(value)")
    case .number(let value): try output.line("\(indent)\(name) \(Text.decimals(value, 6))")
    case .text(let text): try output.line("\(indent)\(name) \(Text.printable(text))")
    case .bytes(let bytes): try output.line("\(indent)\(name) \(shortened(bytes))")
    case .table(let table): try print(table, name: name, indent: indent)
    case .list(let rows, let total):
      try output.line("\(indent)\(name) \(count(total))")
      for row in rows { try output.line(indent + "  " + Text.list(row.map(inline), "  ")) }
      if total > rows.count { try output.line("\(indent)  … \(total - rows.count) more") }
    }
  }

  private func print(_ table: TablePreview, name: String, indent: String) throws(SinkError) {
    try output.line("\(indent)\(name) \(count(table.total))")
    for row in table.rows {
      let cells = zip(table.columns, row).map { column, value in
        column.isEmpty ? "\(value)" : "\(Terminal.dim(column)) \(value)"
      }
      try output.line(indent + "  " + Text.list(cells, "  "))
    }
    if table.total > table.rows.count, !table.rows.isEmpty {
      try output.line("\(indent)  … \(table.total - table.rows.count) more")
    }
  }

  private func count(_ total: Int) -> String { total == 1 ? "1 entry" : "\(total) entries" }

  /// A field of a list's element, all on one line.
  private func inline(_ field: Field) -> String {
    let value =
      switch field.value {
      case .integer(let value): "\(value)"
      case .number(let value): Text.decimals(value, 6)
      case .text(let text): Text.printable(text)
      case .bytes(let bytes): shortened(bytes)
      case .table(let table): count(table.total)
      case .list(_, let total): count(total)
      }
    return "\(Terminal.dim(field.name)) \(value)"
  }

  private func shortened(_ bytes: ArraySlice<UInt8>) -> String {
    let shown = hexadecimal(bytes.prefix(BoxTreePrinter.shownBytes))
    return bytes.count > BoxTreePrinter.shownBytes ? "\(shown)… (\(bytes.count) bytes)" : shown
  }

  // MARK: JSON

  private func json(_ node: BoxNode, path: String) -> JSONObject {
    var object = JSONObject()
    object.add("path", path)
    object.add("type", node.type.description)
    object.add("offset", node.header.offset)
    object.add("size", node.header.end - node.header.offset)
    if node.header.isCut { object.add("claimed_size", node.header.claimedSize) }
    if let userType = node.header.userType { object.add("user_type", hexadecimal(userType)) }
    let fields = node.fields
    if !fields.isEmpty { object.add("fields", json(fields)) }
    return object
  }

  private func json(_ fields: [Field]) -> JSONObject {
    var object = JSONObject()
    for field in fields {
      switch field.value {
      case .integer(let value): object.add(field.name, value)
      case .number(let value): object.add(field.name, value)
      case .text(let text): object.add(field.name, text)
      case .bytes(let bytes): object.add(field.name, hexadecimal(bytes))
      case .table(let table):
        var preview = JSONObject()
        preview.add("columns", table.columns)
        preview.add("rows", rows: table.rows)
        preview.add("total", table.total)
        object.add(field.name, preview)
      case .list(let rows, let total):
        var preview = JSONObject()
        preview.add("elements", rows.map(json))
        preview.add("total", total)
        object.add(field.name, preview)
      }
    }
    return object
  }
}
