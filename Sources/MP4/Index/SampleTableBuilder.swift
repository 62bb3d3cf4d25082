internal import ISOBMFF
internal import MediaCore

/// Builds the sample tables of a track from its samples, one after another in decoding order.
struct SampleTableBuilder {
  private var durations: [TimeToSampleEntry] = []
  private var compositions: [CompositionOffsetEntry] = []
  private var chunks: [SampleToChunkEntry] = []
  private var sizes: [UInt32] = []
  private var commonSize: UInt32?
  /// Numbers of the sync samples, once one sample is not: if all are, no table is needed.
  private var syncs: [UInt32]?
  /// The samples' dependencies, once one of them has any.
  private var dependencies: [UInt8]?
  private var saysMore = false
  private var chunkEnd: UInt64?
  private var chunkSamples: UInt32 = 0
  private var description = 0
  private var shared = SharedBytes()
  /// Whether each sample lasts a tick, is shown when it is decoded and depends on no other, like frames of PCM.
  private var areFrames = true
  /// The offsets of the chunks, as passed to `add`.
  private(set) var chunkOffsets: [UInt64] = []
  private(set) var sampleCount: UInt32 = 0
  /// Sum of the durations.
  private(set) var duration: UInt64 = 0

  /// Adds a sample.
  ///
  /// - Parameters:
  ///   - offset: where its data lies; a sample directly after the previous one shares its chunk.
  ///   - duration: ticks until the next one is decoded.
  ///   - composition: ticks from decoding to showing.
  ///   - dependencies: as in `SampleRecord`.
  mutating func add(
    offset: UInt64, size: UInt32, duration: UInt32, composition: Int32, isSync: Bool, dependencies: UInt8 = 0,
    descriptionIndex: Int
  ) {
    if chunkEnd != offset || description != descriptionIndex { endChunk(nextAt: offset, descriptionIndex) }
    chunkEnd = offset &+ UInt64(size)
    shared.note(offset: offset, count: UInt64(size))
    if duration != 1 || composition != 0 || !isSync { areFrames = false }
    chunkSamples += 1
    sampleCount += 1
    addSize(size)
    self.duration += UInt64(duration)
    if let last = durations.last, last.sampleDelta == duration {
      durations[durations.count - 1].sampleCount += 1
    } else {
      durations.append(TimeToSampleEntry(sampleCount: 1, sampleDelta: duration))
    }
    if let last = compositions.last, last.sampleOffset == composition {
      compositions[compositions.count - 1].sampleCount += 1
    } else {
      compositions.append(CompositionOffsetEntry(sampleCount: 1, sampleOffset: composition))
    }
    if isSync { syncs?.append(sampleCount) } else if syncs == nil { syncs = Array(1..<sampleCount) }
    if dependencies != 0, self.dependencies == nil {
      self.dependencies = Array(repeating: 0, count: Int(sampleCount) - 1)
    }
    self.dependencies?.append(dependencies)
    // The sync table already implies this much: sync samples depend on no other sample, all others do.
    if dependencies != 0, dependencies != (isSync ? 0x20 : 0x10) { saysMore = true }
  }

  /// A size that all samples share takes no table.
  private mutating func addSize(_ size: UInt32) {
    if sampleCount == 1 { commonSize = size }
    if let common = commonSize, common != size || size == 0 {
      sizes = Array(repeating: common, count: Int(sampleCount) - 1)
      commonSize = nil
    }
    if commonSize == nil { sizes.append(size) }
  }

  private mutating func endChunk(nextAt offset: UInt64, _ descriptionIndex: Int) {
    finishChunk()
    chunkOffsets.append(offset)
    description = descriptionIndex
    chunkSamples = 0
  }

  private mutating func finishChunk() {
    guard chunkSamples > 0 else { return }
    let index = UInt32(truncatingIfNeeded: description + 1)
    if let last = chunks.last, last.samplesPerChunk == chunkSamples, last.sampleDescriptionIndex == index { return }
    chunks.append(
      SampleToChunkEntry(
        firstChunk: UInt32(truncatingIfNeeded: chunkOffsets.count), samplesPerChunk: chunkSamples,
        sampleDescriptionIndex: index))
  }

  /// The tables as boxes, except for the chunk offsets: where chunks go is decided later.
  ///
  /// - Parameter packing: how readers will take samples of a size, in this track; `nil` if that is not known.
  mutating func boxes(_ packing: ((UInt32) -> SampleTable.Packing?)?) -> [BoxNode] {
    finishChunk()
    chunkSamples = 0
    var times = TimeToSampleBox()
    times.runs = PackedTable(durations)
    var nodes = [BoxNode("stts", times)]
    if compositions.contains(where: { $0.sampleOffset != 0 }) {
      var box = CompositionOffsetBox()
      box.runs = PackedTable(compositions)
      // Version 1 is what allows offsets below 0.
      box.versionAndFlags.version = compositions.contains { $0.sampleOffset < 0 } ? 1 : 0
      nodes.append(BoxNode("ctts", box))
    }
    if let syncs {
      var box = SyncSampleBox()
      box.sampleNumbers = PackedTable(syncs)
      nodes.append(BoxNode("stss", box))
    }
    // Without a table, the number of samples is bounded only by the fact that they do not overlap.
    if let common = commonSize, shared.isFound || !isTaken(common, packing) {
      sizes = Array(repeating: common, count: Int(sampleCount))
      commonSize = nil
    }
    if saysMore, let dependencies {
      var box = SampleDependencyTypeBox()
      box.dependencies = dependencies[...]
      nodes.append(BoxNode("sdtp", box))
    }
    var map = SampleToChunkBox()
    map.runs = PackedTable(chunks)
    var sizeBox = SampleSizeBox()
    sizeBox.sampleCount = sampleCount
    sizeBox.sampleSize = commonSize ?? 0
    sizeBox.sizes = PackedTable(sizes)
    return nodes + [BoxNode("stsc", map), BoxNode("stsz", sizeBox)]
  }

  /// Whether readers would take a size shared by all samples at face value. In an audio track, they take such samples
  /// for frames of PCM, which last a tick each, and have as many bytes as the sample entry says.
  private func isTaken(_ size: UInt32, _ packing: ((UInt32) -> SampleTable.Packing?)?) -> Bool {
    guard areFrames, let packing else { return false }
    guard let packing = packing(size) else { return true }
    return packing == SampleTable.Packing(frames: 1, bytes: size)
  }
}
