/// The locations of the data of items: images and their metadata.
///
/// An item is found by its number, and may be in several pieces. Source: ISO/IEC 14496-12, 8.11.3.
package struct ItemLocationBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Size in bytes of each extent's offset: 0, 4 or 8.
  package var offsetSize: UInt8 = 4
  /// Size in bytes of each extent's length: 0, 4 or 8.
  package var lengthSize: UInt8 = 4
  /// Size in bytes of each item's base offset: 0, 4 or 8.
  package var baseOffsetSize: UInt8 = 0
  /// Size in bytes of each extent's index: 0, 4 or 8. Version 0 has none, and keeps these bits as is.
  package var indexSize: UInt8 = 0
  /// The items.
  package var items: [ItemLocation] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 2)
    try coder.bits("offset_size", &offsetSize, 4)
    try coder.bits("length_size", &lengthSize, 4)
    try coder.bits("base_offset_size", &baseOffsetSize, 4)
    try coder.bits("index_size", &indexSize, 4)
    let version = versionAndFlags.version
    let widths = [
      ("offset_size", offsetSize), ("length_size", lengthSize), ("base_offset_size", baseOffsetSize),
      // In version 0 its bits are reserved.
      ("index_size", version == 0 ? 0 : indexSize),
    ]
    // Other widths are undefined: the rest would be misread.
    for (field, width) in widths where ![0, 4, 8].contains(width) {
      throw BoxError(.invalidValue(Int64(width)), field: field)
    }
    let sizes = self
    if version < 2 {
      try coder.countedList(
        "items", &items, by: UInt16.self, minimumSize: version == 0 ? 6 : 8, make: ItemLocation.init
      ) { (coder, item) throws(BoxError) in try item.code(with: &coder, sizes) }
    } else {
      try coder.countedList("items", &items, by: UInt32.self, minimumSize: 10, make: ItemLocation.init) {
        (coder, item) throws(BoxError) in try item.code(with: &coder, sizes)
      }
    }
  }
}

/// The location of an item's data.
package struct ItemLocation: Sendable, Hashable {
  /// The item's number.
  package var itemID: UInt32 = 0
  /// What offsets count from, in the lowest four bits: 0 the file, 1 the `idat` box next to this one, 2 other items.
  /// The bits above are reserved, and kept.
  package var constructionMethod: UInt16 = 0
  /// The file that holds the data: 0 for this one, or the number of an entry of `dref`.
  package var dataReferenceIndex: UInt16 = 0
  /// Added to the offset of each extent.
  package var baseOffset: UInt64 = 0
  /// The pieces, in order.
  package var extents: [ItemExtent] = []

  /// An item without data.
  package init() {}

  mutating func code(with coder: inout FieldCoder, _ box: ItemLocationBox) throws(BoxError) {
    let version = box.versionAndFlags.version
    if version < 2 {
      var narrow = UInt16(truncatingIfNeeded: itemID)
      try coder.integer("item_ID", &narrow)
      itemID = UInt32(narrow)
    } else {
      try coder.integer("item_ID", &itemID)
    }
    if version > 0 { try coder.integer("construction_method", &constructionMethod) }
    try coder.integer("data_reference_index", &dataReferenceIndex)
    try coder.integer("base_offset", &baseOffset, bytes: Int(box.baseOffsetSize))
    let indexSize = version == 0 ? 0 : Int(box.indexSize)
    let size = indexSize + Int(box.offsetSize) + Int(box.lengthSize)
    var count = UInt16(clamping: extents.count)
    if !coder.isPrinting { try coder.integer("extent_count", &count) }
    // If extents take no bytes, nothing in the file bounds their number: more than one would be pointless.
    guard !coder.isReading || size > 0 || count <= 1 else {
      throw BoxError(.countExceedsBox(claimed: UInt64(count), room: 1), field: "extent_count")
    }
    guard size > 0 else {
      if coder.isReading { extents = Array(repeating: ItemExtent(), count: Int(count)) }
      return
    }
    try coder.list(
      "extents", &extents, count: Int(count), minimumSize: size, make: ItemExtent.init
    ) { (coder, extent) throws(BoxError) in
      try coder.integer("extent_index", &extent.index, bytes: indexSize)
      try coder.integer("extent_offset", &extent.offset, bytes: Int(box.offsetSize))
      try coder.integer("extent_length", &extent.length, bytes: Int(box.lengthSize))
    }
  }
}

/// A piece of an item's data.
package struct ItemExtent: Sendable, Hashable {
  /// The other item that it is a piece of, if offsets count from other items.
  package var index: UInt64 = 0
  /// The offset at which it begins.
  package var offset: UInt64 = 0
  /// Length in bytes; 0 for everything.
  package var length: UInt64 = 0

  /// An extent that covers everything.
  package init() {}
}
