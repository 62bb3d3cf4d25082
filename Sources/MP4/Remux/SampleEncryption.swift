internal import ISOBMFF
internal import MediaCore

/// What is needed to decrypt each sample of a track: its initialization vector, and which parts of it are clear.
///
/// Files keep it in a `senc` box, for the whole track or for each fragment; `saiz` holds the number of its bytes for
/// each sample, `saio` its file offsets. Source: ISO/IEC 23001-7, 7.
struct SampleEncryption: Sendable {
  /// Flags of `senc`: 2 means that samples have clear parts.
  var flags: UInt32 = 0
  /// Whether all samples that have data have it in the layout that `flags` describes.
  var isUniform = true
  /// The data of all samples, one after another.
  private(set) var bytes: [UInt8] = []
  /// Where in `bytes` the data of each sample ends.
  private var ends: [Int] = []

  /// How many samples were added, including those that have no data.
  var sampleCount: Int { ends.count }

  /// Adds the data of a sample; empty if it has none.
  mutating func append(_ data: ArraySlice<UInt8>) {
    bytes += data
    ends.append(bytes.count)
  }

  /// The data of a sample; empty where it has none.
  func data(of sample: Int) -> ArraySlice<UInt8> {
    ends.indices.contains(sample) ? bytes[start(of: sample)..<ends[sample]] : []
  }

  /// Whether some of the first `count` samples have data, and others have none, or another kind.
  func lacksSome(of count: Int) -> Bool {
    guard !bytes.isEmpty else { return false }
    return !isUniform || sampleCount < count || (0..<count).contains { ends[$0] == start(of: $0) }
  }

  private func start(of sample: Int) -> Int { sample == 0 ? 0 : ends[sample - 1] }

  /// The boxes for samples from one number up to another; none if no sample among them has data. The offset in `saio`
  /// is filled in when it is known.
  func boxes(from first: Int, to end: Int) -> [BoxNode] {
    guard first < min(end, sampleCount) else { return [] }
    let numbers = first..<min(end, sampleCount)
    guard let last = numbers.last, ends[last] > start(of: first) else { return [] }
    var data = SampleEncryptionBox()
    data.versionAndFlags.flags = flags
    data.sampleCount = UInt32(clamping: numbers.count)
    data.samples = bytes[start(of: first)..<ends[last]]
    let senc = BoxNode("senc", data)
    let sizes = numbers.compactMap { UInt8(exactly: ends[$0] - start(of: $0)) }
    // `senc` is enough; a sample with more than 255 bytes cannot be in `saiz`.
    guard sizes.count == numbers.count else { return [senc] }
    var size = SampleAuxiliaryInformationSizesBox()
    size.sampleCount = data.sampleCount
    if let common = sizes.first, common > 0, sizes.allSatisfy({ $0 == common }) {
      size.defaultSize = common
    } else {
      size.sizes = sizes[...]
    }
    var offsetBox = SampleAuxiliaryInformationOffsetsBox()
    offsetBox.versionAndFlags.version = 1
    offsetBox.offsets64 = PackedTable([0])
    return [BoxNode("saiz", size), BoxNode("saio", offsetBox), senc]
  }

  /// Types of the boxes that `boxes(from:to:)` makes.
  static let types: Set<FourCC> = ["senc", "saiz", "saio"]

  /// Fills in where the data of each `senc` lies, given the position of the tree relative to what offsets count from.
  static func locate(in root: inout BoxNode, at start: UInt64, reader: SourceReader) {
    guard holdsData(root) else { return }
    var offsets = dataOffsets(in: root, at: start, reader)[...]
    fill(&root, &offsets)
  }

  /// Whether there is anything to locate: finding offsets means laying out the whole tree, level by level.
  private static func holdsData(_ node: BoxNode) -> Bool {
    node.type == "senc" || node.children.contains(where: holdsData)
  }

  /// Where the data of each `senc` begins: after the header, version and count.
  private static func dataOffsets(in node: BoxNode, at start: UInt64, _ reader: SourceReader) -> [UInt64] {
    if node.type == "senc" { return [start + UInt64(node.header.headerSize) + 8] }
    var head = OutputPlan()
    head.append(BoxNode(header: node.header, content: node.content), from: reader)
    var offset = start + head.count
    var offsets: [UInt64] = []
    for child in node.children {
      offsets += dataOffsets(in: child, at: offset, reader)
      var plan = OutputPlan()
      plan.append(child, from: reader)
      offset += plan.count
    }
    return offsets
  }

  private static func fill(_ node: inout BoxNode, _ offsets: inout ArraySlice<UInt64>) {
    if node.children.contains(where: { $0.type == "senc" }), let offset = offsets.popFirst() {
      node.change("saio") {
        $0.edit(SampleAuxiliaryInformationOffsetsBox.self) { $0.offsets64 = PackedTable([offset]) }
      }
    }
    for index in node.children.indices where !node.children[index].children.isEmpty {
      fill(&node.children[index], &offsets)
    }
  }
}
