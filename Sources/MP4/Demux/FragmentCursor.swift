internal import ISOBMFF
internal import MediaCore

/// Walks the samples of a track through all its fragments.
struct FragmentCursor: Sendable {
  private let list: TrackFragmentList
  private let defaults: FragmentDefaults
  private let reader: SourceReader
  private var nextFragment = 0
  /// Remaining samples of the current fragment, as counted when the index was made.
  private var left: UInt32 = 0
  private var current: TrackFragmentCursor?
  /// Number of the sample that `next()` delivers, even while its fragment could not be read yet.
  private(set) var number: UInt64

  init(_ list: TrackFragmentList, defaults: FragmentDefaults, reader: SourceReader) {
    self.list = list
    self.defaults = defaults
    self.reader = reader
    number = list.entries.first?.firstSample ?? list.sampleCount
  }

  /// The next sample, or `nil` after the last.
  mutating func next() throws(MP4Error) -> SampleRecord? {
    while true {
      if left > 0, var sample = try current?.next() {
        sample.number = number
        number += 1
        left -= 1
        return sample
      }
      guard nextFragment < list.entries.count else { return nil }
      try enter(list.entries[nextFragment])
      nextFragment += 1
    }
  }

  /// Seeks to a sample by number.
  ///
  /// - Returns: whether there is such a sample.
  mutating func seek(to target: UInt64) throws(MP4Error) -> Bool {
    nextFragment = list.entries.partitionPoint { $0.firstSample + UInt64($0.sampleCount) <= target }
    current = nil
    left = 0
    guard nextFragment < list.entries.count else { return false }
    try enter(list.entries[nextFragment])
    nextFragment += 1
    while number < target {
      guard try next() != nil else { return false }
    }
    return true
  }

  private mutating func enter(_ fragment: TrackFragment) throws(MP4Error) {
    do throws(SourceError) {
      let box = try reader.bytes(at: fragment.offset, count: Int(fragment.size))
      let end = fragment.offset + UInt64(fragment.size)
      guard box.count == Int(fragment.size), let header = BoxHeader(box[...], at: fragment.offset, limit: end),
        case let content = TrackFragmentContent(box[header.headerSize...], offset: header.payloadOffset),
        let trackHeader = content.header
      else {
        // It was intact when the index was made.
        throw SourceError(.changed, name: reader.source.name, offset: fragment.offset)
      }
      current = TrackFragmentCursor(
        content, header: trackHeader, defaults: defaults, base: fragment.base, decodeTime: fragment.decodeTime)
      number = fragment.firstSample
      left = fragment.sampleCount
    } catch {
      throw MP4Error(error)
    }
  }
}
