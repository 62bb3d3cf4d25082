internal import ISOBMFF
internal import MediaCore

/// Reads the encryption data of a track's samples, from the movie header or from all its fragments.
struct SampleEncryptionReader {
  private let track: MovieTrack
  private let layout: EncryptionLayout
  private var result = SampleEncryption()
  /// Bytes of data read so far that is stored apart from the samples' tables.
  private var detached: UInt64 = 0
  /// How many pairs of `saiz` and `saio` are about something else, such as times of capture, which is not carried over.
  private(set) var otherInformation = 0

  init(_ track: MovieTrack) {
    self.track = track
    layout = EncryptionLayout(track)
  }

  /// The data of all samples, or `nil` for a track that has none.
  ///
  /// - Throws: `MP4Error`: `.box` for data that does not match its samples, `.source`.
  mutating func read() throws(MP4Error) -> SampleEncryption? {
    let fragments = track.fragments
    if let stbl = track.sampleTable {
      let chunks = stbl.first("saio") == nil ? [] : try samplesPerChunk()
      let count = Int(clamping: fragments.first?.firstSample ?? track.description.sampleCount)
      try add(
        stbl, from: track.moovReader,
        holding: Samples(count: count, base: 0, groups: chunks, vectorSize: layout.vectorSize(of: 0)))
    }
    guard try hasData(in: fragments.first) else { return finished }
    for fragment in fragments {
      let traf = try track.box(of: fragment)
      let runs = traf.all("trun").compactMap { $0.box(as: TrackRunBox.self) }.map { Int($0.sampleCount) }
      let header = traf.child("tfhd", as: TrackFragmentHeaderBox.self)
      let defaults = header.map { track.index.fragmentDefaults.overridden(by: $0) }
      let samples = Samples(
        count: Int(fragment.sampleCount), base: fragment.base, groups: runs,
        vectorSize: layout.vectorSize(of: max(Int(clamping: defaults?.descriptionIndex ?? 1), 1) - 1))
      try add(traf, from: track.reader, holding: samples)
    }
    return finished
  }

  private var finished: SampleEncryption? {
    result.bytes.isEmpty && result.flags == 0 ? nil : result
  }

  /// The samples of one table or fragment.
  private struct Samples {
    let count: Int
    /// What the offsets of their data count from.
    let base: UInt64
    /// How many samples each chunk or run has: `saio` may have an offset for each.
    let groups: [Int]
    var vectorSize: Int
  }

  /// Whether it is worth looking into the fragments: a track may begin in the clear, but then its description says that
  /// encryption follows.
  private func hasData(in first: TrackFragment?) throws(MP4Error) -> Bool {
    guard let first else { return false }
    if isEncrypted { return true }
    let traf = try track.box(of: first)
    return traf.first("senc") != nil || traf.first("saiz") != nil || traf.piffEncryption != nil
  }

  /// Whether any of the track's descriptions is of encrypted samples. Protection boxes are parsed for video and audio
  /// only; but all entries of encrypted samples are called `enc` and a letter.
  private var isEncrypted: Bool {
    track.description.descriptions.contains { $0.protection != nil || $0.entryType.description.hasPrefix("enc") }
  }

  /// - Throws: `.box` where data is claimed for more samples than the track has: that bounds what is allocated.
  private func check(_ count: UInt32, _ type: String) throws(MP4Error) {
    let room = track.description.sampleCount
    guard UInt64(count) <= room else {
      throw track.failure(
        BoxError(.countExceedsBox(claimed: UInt64(count), room: room), path: type, field: "sample_count"))
    }
  }

  private func samplesPerChunk() throws(MP4Error) -> [Int] {
    let table = track.index.table
    guard let runs = table.sampleToChunk, let offsets = table.chunkOffsets else { return [] }
    var chunks = ChunkCursor(runs: runs, offsets: offsets)
    var counts: [Int] = []
    while try chunks.advance() { counts.append(Int(chunks.samplesPerChunk)) }
    return counts
  }

  /// Adds the samples of one track or fragment: from its `senc`, or from where its `saio` points. Samples
  /// that are not listed have no data; entries beyond the last sample are ignored.
  private mutating func add(_ parent: BoxNode, from reader: SourceReader, holding samples: Samples) throws(MP4Error) {
    let end = result.sampleCount + samples.count
    let sizes: SampleAuxiliaryInformationSizesBox? = try box("saiz", in: parent, reader)
    otherInformation += parent.all("saiz").count(where: \.isOtherInformation)
    if let sizes { try check(sizes.sampleCount, "saiz") }
    var samples = samples
    var found: SampleEncryptionBox? = try box("senc", in: parent, reader)
    if found == nil, let piff = parent.piffEncryption {
      (found, samples.vectorSize) = (piff.box, piff.vectorSize ?? samples.vectorSize)
    }
    if let data = found {
      try check(data.sampleCount, "senc")
      noteFlags(data.versionAndFlags.flags & 2)
      var position = data.samples.startIndex
      for size in try self.sizes(data, sizes, of: samples) {
        result.append(data.samples[position..<(position + size)])
        position += size
      }
    } else if let sizes, let offsetBox: SampleAuxiliaryInformationOffsetsBox = try box("saio", in: parent, reader) {
      try addDetached(sizes, offsetBox, of: samples)
    }
    if isEncrypted {
      while result.sampleCount < end { result.append([]) }
    }
  }

  /// Data that is stored apart: in one piece for all samples, or in one for each chunk or run.
  private mutating func addDetached(
    _ sizes: SampleAuxiliaryInformationSizesBox, _ offsetBox: SampleAuxiliaryInformationOffsetsBox, of samples: Samples
  ) throws(MP4Error) {
    let listed = listed(sizes, of: samples)
    let offsets = offsetBox.offsets32.entries.map { UInt64($0) } + offsetBox.offsets64.entries
    let counts = offsets.count == 1 ? [listed.count] : samples.groups
    var next = 0
    for (offset, count) in zip(offsets, counts) {
      let own = listed[next..<min(next + count, listed.count)]
      next += own.count
      let length = own.reduce(0, +)
      // Pieces have no reason to overlap; in a small file they could add up to any number of bytes.
      detached += UInt64(length)
      guard detached <= track.reader.size else {
        throw track.failure(.overlappingSamples(limit: track.reader.size))
      }
      let data: [UInt8]
      do { data = try track.reader.bytes(at: samples.base &+ offset, count: length) } catch { throw MP4Error(error) }
      guard data.count == length else { throw track.failure(BoxError(.truncated, path: "saio", field: "offset")) }
      var position = 0
      for size in own {
        result.append(data[position..<(position + size)])
        position += size
      }
    }
    // If there are clear parts, they follow each vector.
    noteFlags(listed.contains { $0 > samples.vectorSize } ? 2 : 0)
  }

  private mutating func noteFlags(_ flags: UInt32) {
    if !result.bytes.isEmpty, (result.flags ^ flags) & 2 != 0 { result.isUniform = false }
    result.flags |= flags
  }

  /// The sizes in `saiz`, for no more samples than there are.
  private func listed(_ sizes: SampleAuxiliaryInformationSizesBox, of samples: Samples) -> [Int] {
    let count = min(Int(sizes.sampleCount), samples.count)
    if sizes.defaultSize > 0 { return Array(repeating: Int(sizes.defaultSize), count: count) }
    return sizes.sizes.prefix(count).map { Int($0) }
  }

  /// The first box of a type that is about encryption.
  private func box<Kind: Box>(_ type: FourCC, in parent: BoxNode, _ reader: SourceReader) throws(MP4Error) -> Kind? {
    guard let node = parent.children.first(where: { $0.type == type && !$0.isOtherInformation }) else { return nil }
    guard case .deferred = node.content else { return node.box() }
    let payload: [UInt8]
    do {
      payload = try reader.bytes(at: node.header.payloadOffset, count: Int(clamping: node.header.payloadSize))
    } catch {
      throw MP4Error(error)
    }
    do {
      return try Kind.read(payload[...]).0
    } catch {
      throw track.failure(error.located(path: type.description, offset: node.header.offset))
    }
  }

  /// The data size of each sample: from `saiz`, or from the data itself once the length of its vectors is known.
  private func sizes(
    _ data: SampleEncryptionBox, _ sizes: SampleAuxiliaryInformationSizesBox?, of samples: Samples
  ) throws(MP4Error) -> [Int] {
    let count = min(Int(data.sampleCount), samples.count)
    if let sizes, sizes.sampleCount == data.sampleCount {
      let listed = listed(sizes, of: samples)
      if listed.count == count, listed.reduce(0, +) <= data.samples.count { return listed }
    }
    var found: [Int] = []
    var position = data.samples.startIndex
    for _ in 0..<count {
      var size = samples.vectorSize
      if data.versionAndFlags.flags & 2 != 0 {
        let parts = data.samples.dropFirst(position - data.samples.startIndex + size).prefix(2)
        guard parts.count == 2 else {
          throw track.failure(BoxError(.truncated, path: "senc", field: "subsample_count"))
        }
        size += 2 + 6 * parts.reduce(0) { $0 << 8 | Int($1) }
      }
      guard data.samples.endIndex - position >= size else {
        throw track.failure(BoxError(.truncated, path: "senc", field: "samples"))
      }
      found.append(size)
      position += size
    }
    return found
  }
}

extension Remuxer.Summary {
  /// Notes what an output does not hold of what a track has for its samples, apart from their data and times.
  ///
  /// - Parameters:
  ///   - encryption: the reader, after it has read.
  ///   - hasNewTables: whether the output does not have the track's own tables.
  mutating func note(_ encryption: SampleEncryptionReader, of track: MovieTrack, hasNewTables: Bool) {
    if encryption.otherInformation > 0 { leftOut["saiz", default: 0] += encryption.otherInformation }
    guard hasNewTables, let stbl = track.sampleTable else { return }
    for type in ["stps", "stdp", "padb", "stsh"] as [FourCC] where stbl.first(type) != nil {
      leftOut[type, default: 0] += 1
    }
  }
}

extension BoxNode {
  /// Whether it is `saiz` or `saio`, and about something else than encryption, by the kind that it states.
  var isOtherInformation: Bool {
    guard type == "saiz" || type == "saio" else { return false }
    let bytes = if case .deferred(let head) = content { Array(head.prefix(8)) } else { Array(payload.prefix(8)) }
    guard bytes.count == 8, bytes[3] & 1 != 0 else { return false }
    // The schemes of ISO/IEC 23001-7, and that of PIFF.
    return !(["cenc", "cens", "cbc1", "cbcs", "piff"] as [FourCC]).contains(FourCC(bytes.span.bigEndian(at: 4)))
  }

  /// The `uuid` box that PIFF, the format of Smooth Streaming, has in place of `senc`. It may state itself how long the
  /// vectors are.
  ///
  /// Source: Protected Interoperable File Format 1.1, 5.3.2.1.
  fileprivate var piffEncryption: (box: SampleEncryptionBox, vectorSize: Int?)? {
    let type: [UInt8] = [
      0xA2, 0x39, 0x4F, 0x52, 0x5A, 0x9B, 0x4F, 0x14, 0xA2, 0x44, 0x6C, 0x42, 0x7C, 0x64, 0x8D, 0xF4,
    ]
    guard let node = children.first(where: { $0.header.userType == type }) else { return nil }
    var payload = node.payload
    var vectorSize: Int?
    // Flag 1: an algorithm (24 bits), the length of the vectors and a key's number (128 bits) come first.
    if payload.count >= 24, payload[3] & 1 != 0 {
      vectorSize = Int(payload[7])
      payload.removeSubrange(4..<24)
    }
    return (try? SampleEncryptionBox.read(payload[...]).0).map { ($0, vectorSize) }
  }
}
