internal import ISOBMFF
internal import MediaCore

/// Where the data of items that a `meta` box locates by file offset lies: the images of AVIF and HEIF.
///
/// An `iloc` box holds file offsets, as a sample index does: when the data moves, they have to change. Fields keep
/// their widths, so that the box keeps its size.
struct ItemExtents {
  /// Ranges of the file that hold items' data, in no order.
  private(set) var extents: [(offset: UInt64, count: UInt64)] = []
  /// Why items cannot be carried over.
  private(set) var defects: [MP4Error.Code] = []
  private let size: UInt64

  /// - Parameter size: bytes of the file.
  init(size: UInt64) {
    self.size = size
  }

  /// Adds the items of all `meta` boxes in a tree.
  mutating func add(_ node: BoxNode) {
    if let list = node.first("iloc") {
      let items = list.box(as: ItemLocationBox.self)?.items
      if items == nil { defects.append(.unreadableItems) }
      let here = FileReferences(node)
      for item in items ?? [] where here.holds(item) {
        for extent in item.extents { add(extent, of: item) }
      }
    }
    for child in node.children where !child.children.isEmpty { add(child) }
  }

  private mutating func add(_ extent: ItemExtent, of item: ItemLocation) {
    // No length means the whole file: there is nothing to move.
    guard extent.length > 0 else { return }
    let (start, isTooFar) = item.baseOffset.addingReportingOverflow(extent.offset)
    guard !isTooFar, start <= size, extent.length <= size - start else {
      if defects.last != .itemOutsideFile(item.itemID) { defects.append(.itemOutsideFile(item.itemID)) }
      return
    }
    extents.append((start, extent.length))
  }
}

/// Which data references of a `meta` box refer to the file itself.
private struct FileReferences {
  private let own: [Bool]

  init(_ meta: BoxNode) {
    own = (meta.first("dinf", "dref")?.children ?? []).map {
      $0.payload.dropFirst(3).first.map { $0 & 1 != 0 } ?? false
    }
  }

  /// Whether an item is found by its offset in this file.
  func holds(_ item: ItemLocation) -> Bool {
    guard item.constructionMethod & 15 == 0 else { return false }
    let index = Int(item.dataReferenceIndex)
    return index == 0 || (index <= own.count && own[index - 1])
  }
}

extension BoxNode {
  /// Sets new offsets for the items of all `meta` boxes in a tree.
  ///
  /// - Parameter target: maps an offset in the file to its new one; `nil` for a byte that is not carried over, which
  ///   leaves its item as it is.
  /// - Returns: the number of an item whose offset does not fit in its field; `nil` if there is none.
  mutating func moveItems(_ target: (UInt64) -> UInt64?) -> UInt32? {
    var failed: UInt32?
    let here = FileReferences(self)
    change("iloc") { node in
      node.edit(ItemLocationBox.self) { box in
        for index in box.items.indices where here.holds(box.items[index]) {
          guard let offsets = box.items[index].offsets(target) else { continue }
          if !box.move(index, to: offsets) { failed = failed ?? box.items[index].itemID }
        }
      }
    }
    for index in children.indices where !children[index].children.isEmpty {
      let found = children[index].moveItems(target)
      failed = failed ?? found
    }
    return failed
  }
}

extension ItemLocation {
  /// The new offsets of the extents; `nil` if any of them is not carried over.
  fileprivate func offsets(_ target: (UInt64) -> UInt64?) -> [UInt64]? {
    var offsets: [UInt64] = []
    for extent in extents {
      let (start, isTooFar) = baseOffset.addingReportingOverflow(extent.offset)
      guard !isTooFar, extent.length > 0, let offset = target(start) else { return nil }
      offsets.append(offset)
    }
    return offsets
  }
}

extension ItemLocationBox {
  /// - Returns: whether the offsets fit in the fields.
  fileprivate mutating func move(_ index: Int, to offsets: [UInt64]) -> Bool {
    guard let least = offsets.min() else { return true }
    // Without a base offset where possible, as most writers do.
    for base in [0, least] where ItemLocationBox.holds(base, baseOffsetSize) {
      guard offsets.allSatisfy({ ItemLocationBox.holds($0 - base, offsetSize) }) else { continue }
      items[index].baseOffset = base
      for number in offsets.indices { items[index].extents[number].offset = offsets[number] - base }
      return true
    }
    return false
  }

  private static func holds(_ value: UInt64, _ bytes: UInt8) -> Bool {
    bytes >= 8 || value >> (UInt64(bytes) * 8) == 0
  }
}
