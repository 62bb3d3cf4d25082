internal import ISOBMFF
internal import MediaCore

/// Where everything goes that follows a movie box when it gets longer or shorter.
struct MovedOffsets {
  let movie: MP4Demuxer
  let layout: TagLayout
  /// Bytes from the start of the movie box to what follows it and its free space.
  let room: UInt64

  /// The new offset of a byte after the movie box; others stay.
  func target(_ offset: UInt64) -> UInt64 {
    // Offsets beyond the file stay beyond it.
    offset >= layout.regionEnd ? offset &- layout.regionEnd &+ layout.moov.offset &+ room : offset
  }

  private var refusal: MP4Error { MP4Error(.cannotBeCarriedOver, file: movie.reader.source.name) }

  // MARK: In the movie box

  /// Whether a movie box finds more than chunks by file offsets: encryption data, items, auxiliary tracks.
  static func hasOtherPlaces(_ moov: BoxNode) -> Bool {
    !moov.all(in: ["saio", "iloc"]).isEmpty || AuxiliaryTracks(moov) != nil
  }

  /// A movie box with new file offsets, all but those of chunks.
  ///
  /// - Throws: `MP4Error`: `.cannotBeCarriedOver`, `.itemTooFar`.
  func located(_ bytes: [UInt8]) throws(MP4Error) -> [UInt8] {
    let reader = SourceReader(MemorySource(bytes))
    var parser = BoxParser(reader, deferring: MovedOffsets.tables)
    let parsed: BoxNode?
    do throws(BoxError) {
      let header = try parser.header(at: 0, limit: reader.size)
      parsed = try header.map { (header) throws(BoxError) in try parser.node(header) }
    } catch {
      throw MP4Error(error, file: movie.reader.source.name)
    }
    guard var moov = parsed else { throw refusal }
    try moveAuxiliaryInformation(in: &moov)
    if let item = moov.moveItems({ target($0) }) {
      throw MP4Error(.itemTooFar(item), file: movie.reader.source.name, path: "meta/iloc")
    }
    if let tracks = AuxiliaryTracks(moov) { moov.setAuxiliaryTracks(at: target(tracks.offset)) }
    var plan = OutputPlan()
    plan.append(moov, from: reader)
    let written = try plan.bytes()
    guard written.count == bytes.count else { throw refusal }
    return written
  }

  private static let tables: [FourCC] = ["stts", "ctts", "stsz", "stz2", "stsc", "stco", "co64", "stss", "senc"]

  private func moveAuxiliaryInformation(in moov: inout BoxNode) throws(MP4Error) {
    let old = movie.moov.all("trak").map(\.header)
    var number = 0
    for index in moov.children.indices where moov.children[index].type == "trak" {
      defer { number += 1 }
      guard !moov.children[index].all(in: ["saio"]).isEmpty else { continue }
      guard number < old.count else { throw refusal }
      let (before, now) = (old[number], moov.children[index].header)
      var isGood = true
      moov.children[index].changeSampleTable { stbl in
        for box in stbl.children.indices where stbl.children[box].type == "saio" {
          isGood = isGood && stbl.children[box].moveAuxiliaryOffsets { offset in inside(offset, before, now) }
        }
      }
      guard isGood, moov.children[index].first("mdia", "minf", "stbl")?.first("saio") != nil else { throw refusal }
    }
  }

  /// The new offset of encryption data, which may lie in the movie box itself.
  private func inside(_ offset: UInt64, _ before: BoxHeader, _ now: BoxHeader) -> UInt64? {
    guard offset >= layout.moov.offset, offset < layout.moov.end else { return target(offset) }
    guard movie.moovReader.isSame(as: movie.reader), offset >= before.offset, offset < before.end,
      before.end - before.offset == now.end - now.offset
    else { return nil }
    return layout.moov.offset + now.offset + (offset - before.offset)
  }

  // MARK: Outside the movie box

  /// What has to be overwritten in other boxes: where in the file as it was, and with what.
  ///
  /// - Throws: `MP4Error`: `.cannotBeCarriedOver` for an offset that does not fit in its field, `.itemTooFar`,
  ///   `.source`, `.box`.
  func patches() throws(MP4Error) -> [(offset: UInt64, bytes: [UInt8])] {
    var patches: [(offset: UInt64, bytes: [UInt8])] = []
    for header in layout.offsetBoxes {
      var parser = BoxParser(movie.reader)
      var node: BoxNode
      do throws(BoxError) { node = try parser.node(header) } catch {
        throw MP4Error(error, file: movie.reader.source.name)
      }
      let before = node.all(in: MovedOffsets.patched).map { ($0.header, $0.payload) }
      try move(&node)
      for ((header, old), new) in zip(before, node.all(in: MovedOffsets.patched).map(\.payload)) where old != new {
        guard old.count == new.count else { throw refusal }
        patches.append((header.payloadOffset, new))
      }
    }
    return patches
  }

  private static let patched: [FourCC] = ["tfhd", "tfra", "iloc", "sidx"]

  private func move(_ node: inout BoxNode) throws(MP4Error) {
    switch node.type {
    case "moof", "mfra": guard node.moveFragments(target) else { throw refusal }
    case "sidx":
      let (header, end) = (node.header, layout.moov.offset)
      node.edit(SegmentIndexBox.self) { box in
        let (first, isTooFar) = header.end.addingReportingOverflow(box.firstOffset)
        // What lies beyond the file is left as it is.
        if !isTooFar, header.end <= end, target(first) >= header.end { box.firstOffset = target(first) - header.end }
      }
    default:
      if let item = node.moveItems({ target($0) }) {
        throw MP4Error(.itemTooFar(item), file: movie.reader.source.name, path: "meta/iloc")
      }
    }
  }
}

extension BoxNode {
  /// All boxes of these types inside this one, and this one, in file order. A tree of boxes has a bounded depth.
  func all(in types: [FourCC]) -> [BoxNode] {
    (types.contains(type) ? [self] : []) + children.flatMap { $0.all(in: types) }
  }

  /// Sets new offsets in a `saio` box.
  ///
  /// - Returns: whether all of them are known and fit in their fields.
  fileprivate mutating func moveAuxiliaryOffsets(_ target: (UInt64) -> UInt64?) -> Bool {
    guard var box = box(as: SampleAuxiliaryInformationOffsetsBox.self) else { return false }
    let narrow = box.offsets32.entries.map { target(UInt64($0)).flatMap { UInt32(exactly: $0) } }
    let wide = box.offsets64.entries.map { target($0) }
    guard !narrow.contains(nil), !wide.contains(nil) else { return false }
    box.offsets32 = PackedTable(narrow.compactMap { $0 })
    box.offsets64 = PackedTable(wide.compactMap { $0 })
    content = .fields(box)
    return true
  }

  /// Sets new offsets in a `moof` or `mfra` box.
  ///
  /// - Returns: whether they fit in their fields.
  fileprivate mutating func moveFragments(_ target: (UInt64) -> UInt64) -> Bool {
    var isGood = true
    for index in children.indices {
      children[index].moveBase(target)
      children[index].edit(TrackFragmentRandomAccessBox.self) { box in
        for number in box.entries.indices {
          box.entries[number].moofOffset = target(box.entries[number].moofOffset)
          let isWide = box.versionAndFlags.version == 1
          if !isWide, box.entries[number].moofOffset > UInt64(UInt32.max) { isGood = false }
        }
      }
    }
    return isGood
  }

  /// Sets where the samples of a `traf` box count from. What counts is where they lie: some writers count from far
  /// before the fragment.
  private mutating func moveBase(_ target: (UInt64) -> UInt64) {
    guard let base = child("tfhd", as: TrackFragmentHeaderBox.self)?.baseDataOffset else { return }
    let run = child("trun", as: TrackRunBox.self)?.dataOffset ?? 0
    let data = base &+ UInt64(bitPattern: Int64(run))
    change("tfhd") { node in
      node.edit(TrackFragmentHeaderBox.self) { box in
        if box.has(TrackFragmentHeaderBox.Flag.baseDataOffset) { box.baseDataOffset = base &+ target(data) &- data }
      }
    }
  }
}
