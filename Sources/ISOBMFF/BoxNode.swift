public import MediaCore

/// A box in a tree: header, fields, children, and whatever other bytes it has.
///
/// Writing a tree that was read produces the bytes it was read from, including unknown boxes, reserved fields and bytes
/// after the last child.
public struct BoxNode: Sendable {
  /// What a box holds before its children.
  package enum Content: Sendable {
    /// Nothing but children.
    case container
    /// Known fields.
    case fields(any Box)
    /// A box of unknown kind or version: its bytes as they are.
    case opaque(ArraySlice<UInt8>)
    /// A box that was not read because it is large or was not needed yet: its first bytes.
    case deferred(head: ArraySlice<UInt8>)
  }

  /// Type, position and size.
  public package(set) var header: BoxHeader
  /// What the box holds before its children.
  package var content: Content
  /// The boxes inside it.
  public package(set) var children: [BoxNode]
  /// Bytes after the fields and children that are neither.
  package var trailing: ArraySlice<UInt8>
  /// What the meaning of the fields depends on.
  package var context: BoxContext

  /// A node from all its parts.
  package init(
    header: BoxHeader, content: Content, children: [BoxNode] = [], trailing: ArraySlice<UInt8> = [],
    context: BoxContext = BoxContext()
  ) {
    self.header = header
    self.content = content
    self.children = children
    self.trailing = trailing
    self.context = context
  }

  /// A node to be written.
  package init(_ type: FourCC, _ box: (any Box)? = nil, children: [BoxNode] = []) {
    self.init(header: BoxHeader(type: type), content: box.map { .fields($0) } ?? .container, children: children)
  }

  /// The box's type.
  public var type: FourCC { header.type }

  /// The fields as a certain kind of box; `nil` if they are of another kind.
  package func box<Kind: Box>(as kind: Kind.Type = Kind.self) -> Kind? {
    if case .fields(let box) = content { box as? Kind } else { nil }
  }

  /// The first child of this type.
  public func first(_ type: FourCC) -> BoxNode? {
    children.first { $0.type == type }
  }

  /// The box at the end of a path, following the first child of each type.
  public func first(_ path: FourCC...) -> BoxNode? {
    var node: BoxNode? = self
    for type in path { node = node?.first(type) }
    return node
  }

  /// All children of this type.
  public func all(_ type: FourCC) -> [BoxNode] {
    children.filter { $0.type == type }
  }

  /// The first child that is a certain kind of box.
  package func child<Kind: Box>(_ type: FourCC, as kind: Kind.Type = Kind.self) -> Kind? {
    first(type)?.box()
  }

  /// Changes the first child of a type, if there is one.
  package mutating func change<Failure: Error>(
    _ type: FourCC, _ body: (inout BoxNode) throws(Failure) -> Void
  ) throws(Failure) {
    guard let index = children.firstIndex(where: { $0.type == type }) else { return }
    try body(&children[index])
  }

  /// Changes the fields, if they are of this kind.
  package mutating func edit<Kind: Box>(_ kind: Kind.Type, _ body: (inout Kind) -> Void) {
    guard var box = box(as: kind) else { return }
    body(&box)
    content = .fields(box)
  }

  /// The fields by their names in the standard, for display; the bytes of an unknown box are one field, `data`, and
  /// bytes that are neither fields nor boxes another, `trailing`.
  public var fields: [Field] {
    var fields: [Field] =
      switch content {
      case .fields(let box): box.fields(context: context)
      case .opaque(let bytes) where !bytes.isEmpty: [Field(name: "data", value: .bytes(bytes))]
      case .container, .opaque, .deferred: []
      }
    if trailing.contains(where: { $0 != 0 }) {
      fields.append(Field(name: "trailing", value: .bytes(trailing)))
    }
    return fields
  }

  /// The payload's bytes, if they are in memory: fields, children and trailing bytes.
  public var payload: [UInt8] {
    var bytes: [UInt8] =
      switch content {
      case .container, .deferred: []
      case .fields(let box): box.written(context: context)
      case .opaque(let bytes): Array(bytes)
      }
    for child in children { child.write(to: &bytes) }
    bytes.append(contentsOf: trailing)
    return bytes
  }

  /// Appends the whole box. A truncated box keeps the size it claimed.
  public func write(to bytes: inout [UInt8]) {
    let payload = payload
    let size = header.isCut ? header.claimedSize : UInt64(header.headerSize + payload.count)
    header.write(size: size, to: &bytes)
    bytes.append(contentsOf: payload)
  }

  /// The whole box as bytes.
  public var written: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }
}
