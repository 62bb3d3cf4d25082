internal import ISOBMFF
internal import MediaCore

/// What a track says about its samples outside their index: which groups they are in, and which sub-samples they
/// consist of.
///
/// A progressive movie says it once for all samples, a fragment for its own. Here samples are numbered from 0 through
/// the whole track, and descriptions of groups from 1: the movie header's first, then those that fragments add.
struct SampleAnnotations: Sendable {
  /// Groups of one type.
  struct Grouping: Sendable {
    let type: FourCC
    let parameter: UInt32?
    /// Runs of samples in the same group: where each ends, and the number of the group's description, or 0 for none.
    private(set) var runs: [(end: UInt64, group: UInt32)] = []

    init(type: FourCC, parameter: UInt32?) {
      self.type = type
      self.parameter = parameter
    }

    /// How many samples are covered.
    var end: UInt64 { runs.last?.end ?? 0 }

    /// Puts all samples before `end` into a group, except those that are already covered.
    mutating func extend(to end: UInt64, group: UInt32) {
      guard end > self.end else { return }
      if let last = runs.last, last.group == group {
        runs[runs.count - 1].end = end
      } else {
        runs.append((end, group))
      }
    }

    /// The number of a sample's group, or 0 for none.
    func group(of sample: UInt64) -> UInt32 {
      let index = runs.partitionPoint { $0.end <= sample }
      return index < runs.count ? runs[index].group : 0
    }

    /// Removes all samples from some groups.
    mutating func dissolve(_ groups: Set<UInt32>) {
      for index in runs.indices where groups.contains(runs[index].group) { runs[index].group = 0 }
    }

    /// The box for some samples; `nil` if none of them is in a group.
    func box(from first: UInt64, to end: UInt64) -> BoxNode? {
      let start = runs.partitionPoint { $0.end <= first }
      var entries: [SampleToGroupEntry] = []
      var number = first
      for run in runs[start...] {
        guard number < end else { break }
        let next = min(run.end, end)
        entries.append(
          SampleToGroupEntry(sampleCount: UInt32(clamping: next - number), groupDescriptionIndex: run.group))
        number = next
      }
      guard entries.contains(where: { $0.groupDescriptionIndex != 0 }) else { return nil }
      var box = SampleToGroupBox()
      box.versionAndFlags.version = parameter == nil ? 0 : 1
      box.groupingType = type
      box.groupingTypeParameter = parameter ?? 0
      box.runs = PackedTable(entries)
      return BoxNode("sbgp", box)
    }
  }

  /// Samples with sub-samples. There may be several tables, distinguished by their flags.
  struct Subsamples: Sendable {
    let flags: UInt32
    /// Numbers of samples, ascending, and what they consist of.
    var samples: [(number: UInt64, subsamples: [SubSample])] = []

    /// The box for some samples; `nil` if none of them has any.
    func box(from first: UInt64, to end: UInt64) -> BoxNode? {
      var box = SubSampleInformationBox()
      // Numbers count from 1, each relative to the one before.
      var last = Int128(first) - 1
      for sample in samples[samples.partitionPoint { $0.number < first }...] {
        guard sample.number < end else { break }
        var entry = SubSampleEntry()
        entry.sampleDelta = UInt32(clamping: Int128(sample.number) - last)
        entry.parts = sample.subsamples
        last = Int128(sample.number)
        box.entries.append(entry)
      }
      guard !box.entries.isEmpty else { return nil }
      let isWide = box.entries.contains { $0.parts.contains { $0.size > UInt32(UInt16.max) } }
      box.versionAndFlags = VersionAndFlags(version: isWide ? 1 : 0, flags: flags)
      return BoxNode("subs", box)
    }
  }

  var groupings: [Grouping] = []
  var subsamples: [Subsamples] = []
  /// Descriptions of groups, one box per type, for types where fragments add to the movie header's.
  var descriptions: [SampleGroupDescriptionBox] = []

  /// Numbers of the `seig` descriptions that say that samples are not encrypted.
  var clearGroups: Set<UInt32> = []

  /// Whether a group says that a sample is not encrypted, although the sample's description says that it is.
  func isClear(_ number: UInt64) -> Bool {
    guard !clearGroups.isEmpty, let grouping = groupings.first(where: { $0.type == "seig" }) else { return false }
    return clearGroups.contains(grouping.group(of: number))
  }

  /// Removes samples from the groups that say that they are not encrypted: their data says so now, and is laid out like
  /// that of all others.
  mutating func dissolveClearGroups() {
    for index in groupings.indices where groupings[index].type == "seig" {
      groupings[index].dissolve(clearGroups)
    }
  }

  /// The boxes for samples from one number up to, but not including, another.
  func boxes(from first: UInt64, to end: UInt64) -> [BoxNode] {
    groupings.compactMap { $0.box(from: first, to: end) } + subsamples.compactMap { $0.box(from: first, to: end) }
  }

  /// Puts the descriptions into a sample table, in place of those it has of the same types.
  func describe(in stbl: inout BoxNode) {
    for box in descriptions {
      let node = BoxNode("sgpd", box)
      let old = stbl.children.firstIndex {
        $0.box(as: SampleGroupDescriptionBox.self)?.groupingType == box.groupingType
      }
      if let old { stbl.children[old] = node } else { stbl.children.append(node) }
    }
  }

  /// Puts everything into the sample table of a progressive movie.
  func install(in stbl: inout BoxNode, samples: UInt64) {
    describe(in: &stbl)
    stbl.children += boxes(from: 0, to: samples)
  }
}
