internal import ISOBMFF
internal import MediaCore

/// Reads the groups and sub-samples of a track's samples, from the movie header and from all fragments.
struct SampleAnnotationReader {
  private let track: MovieTrack
  private var result = SampleAnnotations()
  /// Numbers of descriptions, by type and content: fragments often repeat the same ones.
  private var known: [Description: UInt32] = [:]

  /// The movie header's descriptions, by type.
  private var header: [FourCC: SampleGroupDescriptionBox] = [:]

  private struct Description: Hashable {
    let type: FourCC
    let bytes: [UInt8]
  }

  /// In a fragment, its own descriptions are numbered from here on; numbers of the header's end here.
  private static let ownDescriptions: UInt32 = 0x1_0000

  init(_ track: MovieTrack) {
    self.track = track
  }

  /// The annotations of all samples, or `nil` if there are none.
  ///
  /// - Throws: `MP4Error` `.source`, `.box`.
  consuming func read() throws(MP4Error) -> SampleAnnotations? {
    guard track.trak != nil else { return nil }
    let first = track.fragments.first?.firstSample ?? track.description.sampleCount
    if let stbl = track.sampleTable { add(try loaded(stbl), samples: 0..<first) }
    for fragment in track.fragments where fragment.isAnnotated {
      let traf = try track.box(of: fragment)
      add(traf, samples: fragment.firstSample..<(fragment.firstSample + UInt64(fragment.sampleCount)))
    }
    // The third byte says whether samples are encrypted. Source: ISO/IEC 23001-7, 6.
    for (description, number) in known where description.type == "seig" && description.bytes.dropFirst(2).first == 0 {
      result.clearGroups.insert(number)
    }
    return result.groupings.isEmpty && result.subsamples.isEmpty ? nil : result
  }

  /// The sample table, with those of its boxes read that were not loaded when the movie was opened.
  private func loaded(_ stbl: BoxNode) throws(MP4Error) -> BoxNode {
    var stbl = stbl
    stbl.children.removeAll { !["sgpd", "sbgp", "csgp", "subs"].contains($0.type) }
    for index in stbl.children.indices {
      guard case .deferred = stbl.children[index].content else { continue }
      // Larger than most leaves, as there may be an entry of 8 bytes for each sample; but not without bound.
      var limits = BoxLimits()
      limits.leafSize = limits.loadedSize
      var parser = BoxParser(track.moovReader, limits: limits)
      do throws(BoxError) {
        stbl.children[index] = try parser.node(stbl.children[index].header, parent: "stbl")
      } catch {
        throw track.failure(error)
      }
    }
    return stbl
  }

  /// Adds the boxes of a sample table or fragment that holds these samples.
  private mutating func add(_ parent: BoxNode, samples: Range<UInt64>) {
    let isFragment = parent.type == "traf"
    var own: [FourCC: SampleGroupDescriptionBox] = [:]
    for box in parent.children.compactMap({ $0.box(as: SampleGroupDescriptionBox.self) }) {
      if isFragment { own[box.groupingType] = box } else { addHeader(box) }
    }
    // The standard has one box for each type and parameter here; more of them would only cost time.
    var seen: Set<Int> = []
    for node in parent.children {
      if let box = node.box(as: SampleToGroupBox.self) {
        let parameter = box.versionAndFlags.version > 0 ? box.groupingTypeParameter : nil
        guard let index = grouping(box.groupingType, parameter, for: samples), seen.insert(index).inserted else {
          continue
        }
        let runs = box.runs.entries.map { (UInt64($0.sampleCount), $0.groupDescriptionIndex) }
        add(runs, to: index, samples, own[box.groupingType])
      } else if let box = node.box(as: CompactSampleToGroupBox.self) {
        let parameter = box.versionAndFlags.flags & 0x40 != 0 ? box.groupingTypeParameter : nil
        guard let index = grouping(box.groupingType, parameter, for: samples), seen.insert(index).inserted else {
          continue
        }
        add(runs(of: box, in: samples), to: index, samples, own[box.groupingType])
      } else if let box = node.box(as: SubSampleInformationBox.self) {
        add(box, samples)
      }
    }
  }

  // MARK: Groups

  private mutating func addHeader(_ box: SampleGroupDescriptionBox) {
    guard header[box.groupingType] == nil, let box = box.itemized else { return }
    for (index, bytes) in box.descriptions.enumerated() {
      let description = Description(type: box.groupingType, bytes: bytes)
      if known[description] == nil { known[description] = UInt32(clamping: index + 1) }
    }
    header[box.groupingType] = box
  }

  /// The index of the grouping of a type; `nil` if it covers these samples already, or there are too many groupings.
  private mutating func grouping(_ type: FourCC, _ parameter: UInt32?, for samples: Range<UInt64>) -> Int? {
    if let index = result.groupings.firstIndex(where: { $0.type == type && $0.parameter == parameter }) {
      return result.groupings[index].end < samples.upperBound ? index : nil
    }
    guard result.groupings.count < SampleAnnotationReader.maximumGroupings else { return nil }
    result.groupings.append(.init(type: type, parameter: parameter))
    return result.groupings.count - 1
  }

  private mutating func add(
    _ runs: [(count: UInt64, group: UInt32)], to index: Int, _ samples: Range<UInt64>,
    _ own: SampleGroupDescriptionBox?
  ) {
    result.groupings[index].extend(to: samples.lowerBound, group: 0)
    var end = samples.lowerBound
    // Descriptions may be long, and are compared once for all runs.
    var numbers: [UInt32: UInt32] = [:]
    for run in runs {
      guard end < samples.upperBound else { break }
      end = min(end + run.count, samples.upperBound)
      let number = numbers[run.group] ?? number(of: run.group, result.groupings[index].type, own)
      numbers[run.group] = number
      result.groupings[index].extend(to: end, group: number)
    }
  }

  /// The most kinds of groups that a track may have; real ones have one or two.
  private static let maximumGroupings = 64

  /// The number of a description in the output.
  private mutating func number(of group: UInt32, _ type: FourCC, _ own: SampleGroupDescriptionBox?) -> UInt32 {
    guard group > SampleAnnotationReader.ownDescriptions else { return group }
    let local = Int(group - SampleAnnotationReader.ownDescriptions)
    guard let own, let bytes = own.description(at: local) else { return 0 }
    let description = Description(type: type, bytes: bytes)
    if let number = known[description] { return number }
    var index = result.descriptions.firstIndex { $0.groupingType == type }
    if index == nil {
      guard var box = header[type] ?? own.itemized else { return 0 }
      if header[type] == nil { box.descriptions = [] }
      result.descriptions.append(box)
      index = result.descriptions.count - 1
    }
    guard let index,
      result.descriptions[index].descriptions.count < Int(SampleAnnotationReader.ownDescriptions)
    else { return 0 }
    result.descriptions[index].append(bytes)
    let number = UInt32(result.descriptions[index].descriptions.count)
    known[description] = number
    return number
  }

  /// The runs that the patterns expand to, for no more samples than there are.
  private func runs(of box: CompactSampleToGroupBox, in samples: Range<UInt64>) -> [(count: UInt64, group: UInt32)] {
    var runs: [(count: UInt64, group: UInt32)] = []
    var left = UInt64(samples.count)
    // The highest bit of an index says that the description is the fragment's own.
    let highest: UInt32 = 1 << ((4 << (box.versionAndFlags.flags & 3)) - 1)
    let hasOwn = box.versionAndFlags.flags & 0x80 != 0
    for pattern in box.patterns ?? [] where !pattern.groupDescriptionIndices.isEmpty {
      let count = min(UInt64(pattern.sampleCount), left)
      left -= count
      guard pattern.groupDescriptionIndices.count > 1 else {
        runs.append((count, group(pattern.groupDescriptionIndices[0])))
        continue
      }
      for sample in 0..<count {
        runs.append((1, group(pattern.groupDescriptionIndices[Int(sample) % pattern.groupDescriptionIndices.count])))
      }
    }
    return runs

    func group(_ index: UInt32) -> UInt32 {
      guard hasOwn, index & highest != 0 else { return index }
      return (index & ~highest) &+ SampleAnnotationReader.ownDescriptions
    }
  }

  // MARK: Parts

  private mutating func add(_ box: SubSampleInformationBox, _ samples: Range<UInt64>) {
    let flags = box.versionAndFlags.flags
    var index = result.subsamples.firstIndex { $0.flags == flags }
    if index == nil {
      guard result.subsamples.count < SampleAnnotationReader.maximumGroupings else { return }
      result.subsamples.append(.init(flags: flags))
      index = result.subsamples.count - 1
    }
    guard let index else { return }
    // Deltas add up to the sample's number, counted from 1. 64 bits suffice for fewer than 2^32 deltas of 32 bits.
    var number: UInt64 = 0
    for entry in box.entries {
      number += UInt64(entry.sampleDelta)
      guard number > 0, number <= UInt64(samples.count) else { continue }
      let sample = samples.lowerBound + number - 1
      // A second box of the same kind for the same samples would break the order.
      guard result.subsamples[index].samples.last.map({ $0.number < sample }) ?? true else { continue }
      result.subsamples[index].samples.append((sample, entry.parts))
    }
  }
}

extension SampleGroupDescriptionBox {
  /// The box with its descriptions separated, in a version that states their sizes; `nil` where the sizes are not
  /// known.
  fileprivate var itemized: SampleGroupDescriptionBox? {
    guard versionAndFlags.version == 0 else { return self }
    guard entryCount > 0, entryCount <= packed.count, packed.count % Int(entryCount) == 0 else { return nil }
    var box = self
    box.versionAndFlags.version = 1
    box.descriptions = (1...Int(entryCount)).compactMap { description(at: $0) }
    box.defaultLength = UInt32(clamping: packed.count / Int(entryCount))
    return box
  }

  /// Adds a description.
  fileprivate mutating func append(_ bytes: [UInt8]) {
    if descriptions.isEmpty {
      defaultLength = UInt32(clamping: bytes.count)
    } else if Int(defaultLength) != bytes.count {
      // Sizes differ: each description states its own.
      defaultLength = 0
    }
    descriptions.append(bytes)
  }
}
