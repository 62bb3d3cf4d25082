internal import ISOBMFF
internal import MediaCore

/// What decrypting each sample of a track takes: its initialization vector, and which parts of it are clear.
///
/// Files keep it in a `senc` box, for the whole track or for each fragment; `saiz` tells how many bytes each sample
/// has in it, `saio` where in the file they are. Source: ISO/IEC 23001-7, 7.
struct SampleEncryption: Sendable {
  /// Flags of `senc`: 2 says that samples have clear parts.
  var flags: UInt32 = 0
  /// Bytes for each sample.
  var sizes: [UInt8] = []
  /// All samples' bytes, one behind another.
  var bytes: [UInt8] = []

  /// The boxes for samples from one number up to another. The offset in `saio` is filled in when it is known.
  func boxes(from first: Int, to end: Int) -> [BoxNode] {
    let start = sizes[..<first].reduce(0) { $0 + Int($1) }
    let own = sizes[first..<end]
    var data = SampleEncryptionBox()
    data.versionAndFlags.flags = flags
    data.sampleCount = UInt32(clamping: own.count)
    data.samples = bytes[start..<(start + own.reduce(0) { $0 + Int($1) })]
    var size = SampleAuxiliaryInformationSizesBox()
    size.sampleCount = data.sampleCount
    if let common = own.first, common > 0, own.allSatisfy({ $0 == common }) {
      size.defaultSize = common
    } else {
      size.sizes = own
    }
    var place = SampleAuxiliaryInformationOffsetsBox()
    place.versionAndFlags.version = 1
    place.offsets64 = PackedTable([0])
    return [BoxNode("saiz", size), BoxNode("saio", place), BoxNode("senc", data)]
  }

  /// Types of the boxes that `boxes(from:to:)` makes.
  static let types: Set<FourCC> = ["senc", "saiz", "saio"]

  /// Fills in where the data of each `senc` lies, given where the tree begins in what offsets count from.
  static func locate(in root: inout BoxNode, at start: UInt64, reader: SourceReader) {
    guard holdsData(root) else { return }
    var places = dataPlaces(in: root, at: start, reader)[...]
    fill(&root, &places)
  }

  /// Whether there is anything to locate: finding places takes laying out the whole tree, level by level.
  private static func holdsData(_ node: BoxNode) -> Bool {
    node.type == "senc" || node.children.contains(where: holdsData)
  }

  /// Where the samples' data of each `senc` begins: behind its header, version and count.
  private static func dataPlaces(in node: BoxNode, at start: UInt64, _ reader: SourceReader) -> [UInt64] {
    if node.type == "senc" { return [start + UInt64(node.header.headerSize) + 8] }
    var head = OutputPlan()
    head.append(BoxNode(header: node.header, content: node.content), from: reader)
    var place = start + head.count
    var places: [UInt64] = []
    for child in node.children {
      places += dataPlaces(in: child, at: place, reader)
      var plan = OutputPlan()
      plan.append(child, from: reader)
      place += plan.count
    }
    return places
  }

  private static func fill(_ node: inout BoxNode, _ places: inout ArraySlice<UInt64>) {
    if node.children.contains(where: { $0.type == "senc" }), let place = places.popFirst() {
      node.change("saio") { $0.edit(SampleAuxiliaryInformationOffsetsBox.self) { $0.offsets64 = PackedTable([place]) } }
    }
    for index in node.children.indices where !node.children[index].children.isEmpty {
      fill(&node.children[index], &places)
    }
  }
}
