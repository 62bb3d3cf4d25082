internal import ISOBMFF
internal import MediaCore

/// Builds one fragment: a `moof` box and the `mdat` with its samples.
struct FragmentMaker {
  private let number: UInt32
  private var tracks: [(id: UInt32, samples: [SampleRecord], encryption: SampleEncryption?, boxes: [BoxNode])] = []

  /// Flags of a sample that others depend on and that depends on none: decoding can begin here.
  private static let syncFlags: UInt32 = 0x0200_0000
  /// Flags of a sample that depends on others.
  private static let dependentFlags: UInt32 = 0x0100_0000 | SampleFlags.isNonSync

  init(number: UInt32) {
    self.number = number
  }

  var isEmpty: Bool { tracks.isEmpty }

  /// Adds samples of a track, in decoding order, and what else is to be said of them.
  mutating func add(
    _ samples: [SampleRecord], trackID: UInt32, encryption: SampleEncryption? = nil, boxes: [BoxNode] = []
  ) {
    tracks.append((trackID, samples, encryption, boxes))
  }

  /// Adds the fragment to a plan, its media copied from a source.
  func append(to plan: inout OutputPlan, from reader: SourceReader) {
    plan.append(head(reader))
    for track in tracks {
      for sample in track.samples { plan.append(reader, offset: sample.offset, count: UInt64(sample.size)) }
    }
  }

  /// The `moof` box and the header of the `mdat` box, behind which the samples follow, track by track.
  func head(_ reader: SourceReader) -> [UInt8] {
    // Data offsets count from the start of the `moof`, whose size does not depend on them.
    let size = moof(dataOffset: 0, reader).count
    var mediaSize: UInt64 = 0
    for track in tracks { for sample in track.samples { mediaSize += UInt64(sample.size) } }
    let media = BoxHeader(type: "mdat").written(payloadSize: mediaSize)
    return moof(dataOffset: size + media.count, reader) + media
  }

  private func moof(dataOffset: Int, _ reader: SourceReader) -> [UInt8] {
    var header = MovieFragmentHeaderBox()
    header.sequenceNumber = number
    var place = dataOffset
    var children = [BoxNode("mfhd", header)]
    for track in tracks {
      var traf = traf(track.id, track.samples, dataOffset: place)
      if let encryption = track.encryption, let first = track.samples.first {
        let end = min(Int(first.number) + track.samples.count, encryption.sizes.count)
        if Int(first.number) < end { traf.children += encryption.boxes(from: Int(first.number), to: end) }
      }
      traf.children += track.boxes
      children.append(traf)
      for sample in track.samples { place &+= sample.size }
    }
    var moof = BoxNode("moof", children: children)
    SampleEncryption.locate(in: &moof, at: 0, reader: reader)
    return moof.written
  }

  private func traf(_ id: UInt32, _ samples: [SampleRecord], dataOffset: Int) -> BoxNode {
    var header = TrackFragmentHeaderBox()
    header.trackID = id
    header.versionAndFlags.flags = TrackFragmentHeaderBox.Flag.defaultBaseIsMoof
    setDefaults(&header, samples)
    var time = TrackFragmentBaseMediaDecodeTimeBox()
    time.baseMediaDecodeTime = UInt64(max(samples.first?.decodeTime ?? 0, 0))
    return BoxNode(
      "traf",
      children: [
        BoxNode("tfhd", header), BoxNode("tfdt", time), BoxNode("trun", run(samples, header, dataOffset: dataOffset)),
      ])
  }

  /// What all samples share is said once.
  private func setDefaults(_ header: inout TrackFragmentHeaderBox, _ samples: [SampleRecord]) {
    typealias Flag = TrackFragmentHeaderBox.Flag
    guard let first = samples.first else { return }
    if let index = UInt32(exactly: first.descriptionIndex + 1), index != 1 {
      header.versionAndFlags.flags |= Flag.sampleDescriptionIndex
      header.sampleDescriptionIndex = index
    }
    if samples.allSatisfy({ $0.duration == first.duration }) {
      header.versionAndFlags.flags |= Flag.defaultSampleDuration
      header.defaultSampleDuration = UInt32(clamping: first.duration)
    }
    if samples.allSatisfy({ $0.size == first.size }) {
      header.versionAndFlags.flags |= Flag.defaultSampleSize
      header.defaultSampleSize = UInt32(clamping: first.size)
    }
    if samples.dropFirst().allSatisfy({ flags($0) == flags(samples[1]) }) {
      header.versionAndFlags.flags |= Flag.defaultSampleFlags
      header.defaultSampleFlags = flags(samples.count > 1 ? samples[1] : first)
    }
  }

  private func flags(_ sample: SampleRecord) -> UInt32 {
    if sample.dependencies != 0 {
      return UInt32(sample.dependencies) << 20 | (sample.isSync ? 0 : SampleFlags.isNonSync)
    }
    return sample.isSync ? FragmentMaker.syncFlags : FragmentMaker.dependentFlags
  }

  private func run(_ samples: [SampleRecord], _ header: TrackFragmentHeaderBox, dataOffset: Int) -> TrackRunBox {
    typealias Flag = TrackRunBox.Flag
    var run = TrackRunBox()
    run.sampleCount = UInt32(clamping: samples.count)
    run.dataOffset = Int32(clamping: dataOffset)
    var wanted = Flag.dataOffset
    if !header.has(TrackFragmentHeaderBox.Flag.defaultSampleDuration) { wanted |= Flag.sampleDuration }
    if !header.has(TrackFragmentHeaderBox.Flag.defaultSampleSize) { wanted |= Flag.sampleSize }
    if !header.has(TrackFragmentHeaderBox.Flag.defaultSampleFlags) {
      wanted |= Flag.sampleFlags
    } else if let first = samples.first, flags(first) != header.defaultSampleFlags {
      wanted |= Flag.firstSampleFlags
      run.firstSampleFlags = flags(first)
    }
    if samples.contains(where: { $0.presentationTime != $0.decodeTime }) { wanted |= Flag.sampleCompositionTimeOffset }
    // Version 1 is what allows composition offsets below 0.
    run.versionAndFlags = VersionAndFlags(version: 1, flags: wanted)
    var packed: [UInt8] = []
    for sample in samples {
      if wanted & Flag.sampleDuration != 0 { packed.appendBigEndian(UInt32(clamping: sample.duration)) }
      if wanted & Flag.sampleSize != 0 { packed.appendBigEndian(UInt32(clamping: sample.size)) }
      if wanted & Flag.sampleFlags != 0 { packed.appendBigEndian(flags(sample)) }
      if wanted & Flag.sampleCompositionTimeOffset != 0 {
        packed.appendBigEndian(Int32(clamping: sample.presentationTime &- sample.decodeTime))
      }
    }
    run.packed = packed[...]
    return run
  }
}
