internal import ISOBMFF
internal import MediaCore

/// Builds one fragment: a `moof` box and the `mdat` with its samples.
struct FragmentBuilder {
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

  /// Adds samples of a track, in decoding order, and boxes that describe them further.
  mutating func add(
    _ samples: [SampleRecord], trackID: UInt32, encryption: SampleEncryption? = nil, boxes: [BoxNode] = []
  ) {
    tracks.append((trackID, samples, encryption, boxes))
  }

  /// Adds the fragment to a plan, its media copied from a source.
  func append(to plan: inout OutputPlan, from reader: SourceReader) {
    let samples = tracks.map(\.samples)
    // ffmpeg 5 counts encryption data from the last run of a track, so an encrypted track gets only one.
    let isEncrypted = tracks.contains { $0.encryption != nil }
    let inSourceOrder = isEncrypted ? nil : FragmentLayout(inSourceOrder: samples)
    let layout = inSourceOrder ?? FragmentLayout(trackByTrack: samples)
    plan.append(head(layout, reader))
    for extent in layout.extents { plan.append(reader, offset: extent.offset, count: extent.count) }
  }

  /// The `moof` box and the header of the `mdat` box; the samples follow, track by track.
  func head(_ reader: SourceReader) -> [UInt8] {
    head(FragmentLayout(trackByTrack: tracks.map(\.samples)), reader)
  }

  private func head(_ layout: FragmentLayout, _ reader: SourceReader) -> [UInt8] {
    var moof = moof(layout, reader)
    let media = BoxHeader(type: "mdat").written(payloadSize: layout.count)
    // Data offsets count from the start of the `moof`, whose size does not depend on them.
    FragmentBuilder.shiftDataOffsets(in: &moof, 8..<moof.count, by: moof.count + media.count)
    return moof + media
  }

  /// The `moof` box, its data offsets counted from the start of the media.
  private func moof(_ layout: FragmentLayout, _ reader: SourceReader) -> [UInt8] {
    var header = MovieFragmentHeaderBox()
    header.sequenceNumber = number
    var children = [BoxNode("mfhd", header)]
    for (track, runs) in zip(tracks, layout.runs) {
      var traf = traf(track.id, track.samples, runs)
      if let encryption = track.encryption, let first = track.samples.first {
        traf.children += encryption.boxes(from: Int(first.number), to: Int(first.number) + track.samples.count)
      }
      traf.children += track.boxes
      children.append(traf)
    }
    var moof = BoxNode("moof", children: children)
    SampleEncryption.locate(in: &moof, at: 0, reader: reader)
    return moof.written
  }

  /// Adds a number to the data offset of each run: the fifth field of a `trun` box, present in all of ours.
  private static func shiftDataOffsets(in bytes: inout [UInt8], _ boxes: Range<Int>, by shift: Int) {
    var boxStart = boxes.lowerBound
    while boxStart + 20 <= boxes.upperBound {
      let (size, type, offset): (UInt32, UInt32, Int32) = {
        let span = bytes.span
        return (span.bigEndian(at: boxStart), span.bigEndian(at: boxStart + 4), span.bigEndian(at: boxStart + 16))
      }()
      switch FourCC(type) {
      case "traf": shiftDataOffsets(in: &bytes, (boxStart + 8)..<(boxStart + Int(size)), by: shift)
      case "trun":
        let shifted = UInt32(bitPattern: Int32(clamping: Int(offset) + shift))
        for byte in 0..<4 { bytes[boxStart + 16 + byte] = UInt8(truncatingIfNeeded: shifted >> UInt32(24 - 8 * byte)) }
      default: break
      }
      boxStart += Int(size)
    }
  }

  private func traf(_ id: UInt32, _ samples: [SampleRecord], _ runs: [FragmentLayout.Run]) -> BoxNode {
    var header = TrackFragmentHeaderBox()
    header.trackID = id
    header.versionAndFlags.flags = TrackFragmentHeaderBox.Flag.defaultBaseIsMoof
    setDefaults(&header, samples)
    var time = TrackFragmentBaseMediaDecodeTimeBox()
    time.baseMediaDecodeTime = UInt64(FragmentBuilder.start(of: samples))
    let truns = runs.map { BoxNode("trun", run(samples[$0.samples], header, dataOffset: $0.offset)) }
    return BoxNode("traf", children: [BoxNode("tfhd", header), BoxNode("tfdt", time)] + truns)
  }

  /// The decode time of the first sample, so early that a reader can count to the end of the fragment: tracks that lie
  /// absurdly far apart would otherwise end beyond what 64 bits hold.
  static func start(of samples: [SampleRecord]) -> Int64 {
    let first = max(samples.first?.decodeTime ?? 0, 0)
    guard first > Int64.max / 2 else { return first }
    // The longest composition offset, after all durations.
    let offset = samples.map { Int32(clamping: $0.presentationTime.saturatingSubtract($0.decodeTime)) }.max() ?? 0
    let rest = samples.reduce(Int64(max(offset, 0))) { $0.saturatingAdd(Int64(UInt32(clamping: $1.duration))) }
    return min(first, max(Int64.max - rest, 0))
  }

  /// Puts what all samples share into the header.
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
    return sample.isSync ? FragmentBuilder.syncFlags : FragmentBuilder.dependentFlags
  }

  private func run(_ samples: ArraySlice<SampleRecord>, _ header: TrackFragmentHeaderBox, dataOffset: UInt64)
    -> TrackRunBox
  {
    typealias Flag = TrackRunBox.Flag
    var run = TrackRunBox()
    run.sampleCount = UInt32(clamping: samples.count)
    run.dataOffset = Int32(clamping: dataOffset)
    let hasDuration = !header.has(TrackFragmentHeaderBox.Flag.defaultSampleDuration)
    let hasSize = !header.has(TrackFragmentHeaderBox.Flag.defaultSampleSize)
    let hasFlags = !header.has(TrackFragmentHeaderBox.Flag.defaultSampleFlags)
    let hasCompositionOffset = samples.contains { $0.presentationTime != $0.decodeTime }
    var present = Flag.dataOffset
    if hasDuration { present |= Flag.sampleDuration }
    if hasSize { present |= Flag.sampleSize }
    if hasFlags { present |= Flag.sampleFlags }
    if hasCompositionOffset { present |= Flag.sampleCompositionTimeOffset }
    if !hasFlags, let first = samples.first, flags(first) != header.defaultSampleFlags {
      present |= Flag.firstSampleFlags
      run.firstSampleFlags = flags(first)
    }
    // Version 1 is what allows composition offsets below 0.
    run.versionAndFlags = VersionAndFlags(version: 1, flags: present)
    var packed: [UInt8] = []
    packed.reserveCapacity(samples.count * run.entrySize)
    for sample in samples {
      if hasDuration { packed.appendBigEndian(UInt32(clamping: sample.duration)) }
      if hasSize { packed.appendBigEndian(UInt32(clamping: sample.size)) }
      if hasFlags { packed.appendBigEndian(flags(sample)) }
      if hasCompositionOffset {
        packed.appendBigEndian(Int32(clamping: sample.presentationTime.saturatingSubtract(sample.decodeTime)))
      }
    }
    run.packed = packed[...]
    return run
  }
}
