internal import AAC
internal import MediaCore

/// Reads the sample at a given byte of a part of the media, whatever track it is of.
final class PatternReader {
  let pattern: Pattern
  /// The part of the file that is searched.
  let media: Range<UInt64>
  private var window: SourceWindow
  private let pictures: [(track: Int, coding: PictureCoding)]
  private let sized: [(track: Int, mark: UInt32)]
  private let scanners: [(track: Int, scanner: PacketScanner)]
  /// How much was read so far: units of pictures, and pieces of packets that take about as long.
  private(set) var work = 0
  /// What the last offset asked for has: it is often asked for twice, as what follows a sample and as the next one.
  private var last: (offset: UInt64, sample: PatternSample?)?

  private static let windowSize = 256 << 10
  private static let bytesPerWork = 32
  /// The most units of a picture, and before its first slice.
  private static let maximumUnits = 1024
  private static let maximumUnitsBefore = 32

  init(_ reader: SourceReader, _ pattern: Pattern, media: Range<UInt64>) {
    self.pattern = pattern
    self.media = media
    window = SourceWindow(reader, capacity: PatternReader.windowSize)
    pictures = pattern.tracks.enumerated().compactMap { index, track in
      if case .pictures(let coding) = track.coding { (index, coding) } else { nil }
    }
    sized = pattern.tracks.enumerated().compactMap { index, track in
      if case .sized(let mark) = track.coding { (index, mark) } else { nil }
    }
    // Where one track finds no packet, another one with the same rule does not either.
    var rules: Set<PacketRule> = []
    scanners = pattern.tracks.enumerated().compactMap { index, track in
      guard case .sound(let rule) = track.coding, rules.insert(rule).inserted else { return nil }
      return (index, PacketScanner(reader, media: media, rule: rule))
    }
  }

  /// Bytes from an offset on, fewer where the media ends.
  func bytes(at offset: UInt64, count: Int) throws(SourceError) -> ArraySlice<UInt8> {
    let available = media.upperBound - min(offset, media.upperBound)
    return try window.bytes(at: offset, count: Int(min(UInt64(count), available)), limit: media.upperBound)
  }

  /// The sample of any track that begins at an offset.
  func sample(at offset: UInt64) throws(SourceError) -> PatternSample? {
    if let last, last.offset == offset { return last.sample }
    let sample = try read(at: offset)
    last = (offset, sample)
    return sample
  }

  /// How many bytes from an offset on are zeros, as far as the next 64 kB go.
  func zeros(at offset: UInt64) throws(SourceError) -> UInt64 {
    let bytes = try bytes(at: offset, count: 1)
    guard bytes.first == 0 else { return 0 }
    return UInt64(try self.bytes(at: offset, count: 1 << 16).prefix { $0 == 0 }.count)
  }

  /// Sound is tried last, because it is the hardest to recognize. For the other kinds, the first eight bytes rule out
  /// most offsets before anything else is read.
  private func read(at offset: UInt64) throws(SourceError) -> PatternSample? {
    let available = media.upperBound - min(offset, media.upperBound)
    if !pictures.isEmpty || !sized.isEmpty {
      let bytes = try bytes(at: offset, count: 8)
      let head = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - bytes.count))
      for index in pictures.indices {
        let (track, coding) = pictures[index]
        guard coding.canBegin(with: head, available: available) else { continue }
        if let picture = try picture(at: offset, track, coding) { return picture }
      }
      for (track, mark) in sized where UInt32(truncatingIfNeeded: head) == mark && bytes.count == 8 {
        let size = Int(head >> 32)
        if size >= bytes.count, UInt64(size) <= available, size <= pattern.tracks[track].mostBytes {
          return PatternSample(track: track, offset: offset, bytes: size)
        }
      }
    }
    for (index, scanner) in scanners {
      let before = scanner.bytesRead
      let packet = try scanner.packet(at: offset)
      work += 1 + (scanner.bytesRead - before) / PatternReader.bytesPerWork
      if let packet { return PatternSample(track: index, offset: offset, bytes: packet.bytes) }
    }
    return nil
  }

  /// The sample of a track of pictures that begins at an offset; `nil` if none does, or if it is another kind of track.
  func picture(at offset: UInt64, of track: Int) throws(SourceError) -> PatternSample? {
    guard case .pictures(let coding) = pattern.tracks[track].coding else { return nil }
    return try picture(at: offset, track, coding)
  }

  /// The picture whose first unit begins at an offset, with all its units.
  private func picture(
    at offset: UInt64, _ track: Int, _ coding: PictureCoding
  ) throws(SourceError) -> PatternSample? {
    let limit = UInt64(pattern.tracks[track].mostBytes)
    var (position, first, last): (UInt64, PictureSlice?, PictureSlice?) = (offset, nil, nil)
    var hasBothFields = false
    // Where units begin that belong to the next picture, unless a unit of this one follows them: in stereoscopic H.265,
    // messages lie between the pictures of both eyes.
    var ending: UInt64?
    for number in 0..<PatternReader.maximumUnits {
      if number >= PatternReader.maximumUnitsBefore, first == nil { return nil }
      guard let (unit, end) = try unit(at: position, coding), end - offset <= limit else {
        break
      }
      switch unit {
      case .slice(let next):
        if let ending { return sample(track, offset, ending, first) }
        if let last, coding.isNewPicture(next, after: last) {
          guard next.isOtherField(of: last), !hasBothFields else { return sample(track, offset, position, first) }
          hasBothFields = true
          let order = [first?.orderLow, next.orderLow].compactMap { $0 }.min()
          first?.orderLow = order
        }
        if first == nil { first = next }
        last = next
      case .before: if let last, !last.isHidden, ending == nil { ending = position }
      case .after:
        if first == nil { return nil }
        ending = nil
      }
      position = end
    }
    if let last, last.isHidden { return nil }
    return sample(track, offset, ending ?? position, first)
  }

  /// Where units of a picture end, from its first slice on, but for the last unit.
  func innerEnds(of picture: PatternSample) throws(SourceError) -> [UInt64] {
    guard case .pictures(let coding) = pattern.tracks[picture.track].coding else { return [] }
    var (ends, position, hasSlice) = ([UInt64](), picture.offset, false)
    while let (unit, end) = try unit(at: position, coding), end < picture.end {
      if case .slice(let slice) = unit { hasSlice = !slice.isHidden }
      if hasSlice { ends.append(end) }
      position = end
    }
    return ends
  }

  private func sample(_ track: Int, _ offset: UInt64, _ end: UInt64, _ slice: PictureSlice?) -> PatternSample? {
    slice.flatMap { PatternSample(track: track, offset: offset, bytes: Int(end - offset), slice: $0) }
  }

  /// The unit at an offset, and where it ends.
  private func unit(
    at offset: UInt64, _ coding: PictureCoding
  ) throws(SourceError) -> (unit: PictureUnit, end: UInt64)? {
    let bytes = try bytes(at: offset, count: PictureCoding.header)
    work += 1
    guard let (unit, count) = coding.unit(bytes), count <= media.upperBound - offset else { return nil }
    return (unit, offset + count)
  }
}
