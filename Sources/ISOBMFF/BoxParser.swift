public import MediaCore

/// Reads boxes from a source into a tree.
///
/// The parser is tolerant and takes notes: what does not parse as a known box stays as bytes, a box that claims more
/// than its parent holds is truncated, bytes that are not a box end up in their parent's `trailing`, and each such
/// oddity is noted in `issues`. Code that needs a valid box decides what an issue means.
public struct BoxParser {
  private var window: SourceWindow
  private let limits: BoxLimits
  private let deferred: [FourCC]
  private var boxCount = 0
  private var loadedSize = 0
  /// Types from the outermost box to the one being read.
  private var path: [FourCC] = []
  /// Oddities found so far, in file order; at most `maximumIssues`.
  public private(set) var issues: [BoxError] = []

  /// How many issues are kept: a damaged file could otherwise produce one for every few bytes.
  private static let maximumIssues = 100
  /// Bytes read at once: most boxes of a movie fit, except its tables.
  private static let windowSize = 16 << 10
  /// Bytes kept of a box that is not read: enough for the header of every table with its counts.
  private static let headSize = 32
  /// The most bytes of fields in boxes that have both fields and children: the names in a subtitle's entry.
  private static let fieldsBeforeChildren = 4096

  /// A parser over a source.
  ///
  /// - Parameters:
  ///   - reader: where bytes come from.
  ///   - limits: bounds on the tree.
  ///   - deferred: types of boxes that are only to be located for now, not read.
  public init(_ reader: SourceReader, limits: BoxLimits = BoxLimits(), deferring deferred: [FourCC] = []) {
    window = SourceWindow(reader, capacity: BoxParser.windowSize)
    self.limits = limits
    self.deferred = deferred
  }

  /// The header of the box at `offset`, or `nil` if there is none.
  public mutating func header(at offset: UInt64, limit: UInt64) throws(BoxError) -> BoxHeader? {
    BoxHeader(try read(offset, BoxHeader.maximumSize, limit: limit), at: offset, limit: limit)
  }

  /// Reads the box with this header, including everything in it.
  ///
  /// - Throws: `BoxError` when limits are exceeded or the source fails.
  package mutating func node(_ header: BoxHeader, parent: FourCC? = nil, context: BoxContext = BoxContext())
    throws(BoxError)
    -> BoxNode
  {
    var context = context
    return try node(header, parent: parent, context: &context)
  }

  /// Reads the boxes between two offsets.
  ///
  /// - Returns: the boxes, and the bytes after the last one that are not a box.
  public mutating func nodes(from start: UInt64, to end: UInt64) throws(BoxError) -> (
    nodes: [BoxNode], trailing: ArraySlice<UInt8>
  ) {
    var context = BoxContext()
    return try children(from: start, to: end, parent: nil, context: &context)
  }

  private mutating func children(
    from start: UInt64, to end: UInt64, parent: FourCC?, context: inout BoxContext
  ) throws(BoxError) -> ([BoxNode], ArraySlice<UInt8>) {
    guard path.count <= limits.depth else { throw BoxError(.nestedTooDeep, path: pathText, offset: start) }
    var nodes: [BoxNode] = []
    var offset = start
    while offset < end {
      guard let header = try header(at: offset, limit: end) else { break }
      nodes.append(try node(header, parent: parent, context: &context))
      offset = header.end
    }
    guard offset < end else { return (nodes, []) }
    let room = loadedSize <= limits.loadedSize ? limits.leafSize : 0
    let count = Int(min(end - offset, UInt64(room)))
    let trailing = try kept(offset, count, limit: end)
    if UInt64(count) < end - offset || trailing.contains(where: { $0 != 0 }) {
      note(BoxError(.trailingBytes(end - offset), path: pathText, offset: offset))
    }
    return (nodes, trailing)
  }

  private mutating func node(_ header: BoxHeader, parent: FourCC?, context: inout BoxContext) throws(BoxError)
    -> BoxNode
  {
    boxCount += 1
    guard boxCount <= limits.boxCount else { throw BoxError(.tooManyBoxes, path: pathText, offset: header.offset) }
    path.append(header.type)
    defer { path.removeLast() }
    if header.isCut {
      note(BoxError(.truncated, path: pathText, offset: header.offset))
    }
    if deferred.contains(header.type) { return try located(header, context) }
    switch BoxRegistry.kind(of: header.type, in: parent, context: context) {
    case .container:
      return try container(header, content: .container, from: header.payloadOffset, context: &context)
    case .box(let kind) where kind.hasChildren:
      return try boxWithChildren(kind, header, parent: parent, context: &context)
    case .box(let kind):
      guard let payload = try payload(of: header) else { return try located(header, context) }
      do {
        let (box, used) = try read(kind, payload, parent: parent, &context)
        return BoxNode(header: header, content: .fields(box), trailing: payload.dropFirst(used), context: context)
      } catch {
        note(error.located(path: pathText, offset: header.offset))
        return BoxNode(header: header, content: .opaque(payload), context: context)
      }
    case .unknown:
      return try opaque(header, context)
    }
  }

  private mutating func opaque(_ header: BoxHeader, _ context: BoxContext) throws(BoxError) -> BoxNode {
    guard let payload = try payload(of: header) else { return try located(header, context) }
    return BoxNode(header: header, content: .opaque(payload), context: context)
  }

  /// A leaf's payload, or `nil` where reading it would exceed a limit.
  private mutating func payload(of header: BoxHeader) throws(BoxError) -> ArraySlice<UInt8>? {
    guard header.payloadSize <= UInt64(limits.leafSize), loadedSize <= limits.loadedSize else { return nil }
    return try kept(header.payloadOffset, Int(header.payloadSize), limit: header.end)
  }

  private mutating func located(_ header: BoxHeader, _ context: BoxContext) throws(BoxError) -> BoxNode {
    let count = Int(min(header.payloadSize, UInt64(BoxParser.headSize)))
    let head = try kept(header.payloadOffset, count, limit: header.end)
    return BoxNode(header: header, content: .deferred(head: head), context: context)
  }

  private mutating func boxWithChildren(
    _ kind: any Box.Type, _ header: BoxHeader, parent: FourCC?, context: inout BoxContext
  ) throws(BoxError) -> BoxNode {
    let count = Int(min(header.payloadSize, UInt64(BoxParser.fieldsBeforeChildren)))
    let head = try read(header.payloadOffset, count, limit: header.end)
    let (box, used): (any Box, Int)
    do {
      (box, used) = try read(kind, head, parent: parent, &context)
    } catch {
      note(error.located(path: pathText, offset: header.offset))
      return try opaque(header, context)
    }
    return try container(
      header, content: .fields(box), from: header.payloadOffset + UInt64(used), context: &context)
  }

  private mutating func container(
    _ header: BoxHeader, content: BoxNode.Content, from start: UInt64, context: inout BoxContext
  ) throws(BoxError) -> BoxNode {
    let own = context
    // What a box says about its surroundings (a handler, a version) applies inside the same track only.
    var inner = context
    let (nodes, trailing) = try children(from: start, to: header.end, parent: header.type, context: &inner)
    return BoxNode(header: header, content: content, children: nodes, trailing: trailing, context: own)
  }

  private mutating func read(
    _ kind: any Box.Type, _ payload: ArraySlice<UInt8>, parent: FourCC?, _ context: inout BoxContext
  ) throws(BoxError) -> (any Box, Int) {
    let (box, used, cost) = try kind.readAny(payload, context: context)
    loadedSize += cost
    // QuickTime has a second handler in `minf`, for the data: only the media's own counts.
    if parent == "mdia", let handler = box as? HandlerBox { context.handler = handler.handlerType }
    if let description = box as? SampleDescriptionBox {
      context.sampleDescriptionVersion = description.versionAndFlags.version
    }
    return (box, used)
  }

  private mutating func read(_ offset: UInt64, _ count: Int, limit: UInt64) throws(BoxError) -> ArraySlice<UInt8> {
    do throws(SourceError) {
      let available = limit > offset ? Int(min(limit - offset, UInt64(count))) : 0
      let bytes = try window.bytes(at: offset, count: available)
      loadedSize += bytes.count
      return bytes
    } catch {
      throw BoxError(.source(error), offset: offset)
    }
  }

  /// Bytes that the tree keeps: copied if a slice would keep the whole window in memory.
  private mutating func kept(_ offset: UInt64, _ count: Int, limit: UInt64) throws(BoxError) -> ArraySlice<UInt8> {
    let bytes = try read(offset, count, limit: limit)
    return bytes.count < BoxParser.windowSize ? ArraySlice(Array(bytes)) : bytes
  }

  private mutating func note(_ issue: BoxError) {
    if issues.count < BoxParser.maximumIssues { issues.append(issue) }
  }

  /// The path as text, made only when it is reported: `moov/trak/mdia`, shortened if it is too long to read.
  private var pathText: String {
    let text = path.prefix(16).map(\.description).joined(separator: "/")
    return path.count <= 16 ? text : text + "/..."
  }
}
