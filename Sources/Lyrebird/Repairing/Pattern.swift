internal import AAC
internal import ISOBMFF
internal import MP4
internal import MediaCore

/// A track of the pattern, as far as it helps to find samples like its own.
struct PatternTrack {
  /// How samples of the kind are found.
  enum Coding {
    /// By the lengths before NAL units, each of so many bytes, and by the headers of slices.
    case pictures(PictureCoding, lengthSize: Int)
    /// By reading packets to their end.
    case sound(PacketRule)
    /// By the sizes of chunks, the most frequent first, in bytes.
    case plain(chunks: [Int], frame: Int)
  }

  let track: Track
  let coding: Coding
  /// What a sample usually lasts, in ticks of the track.
  let duration: Int64
  /// Ticks at the beginning that are not to be heard.
  let priming: Int64
  /// The longest sample, in bytes.
  let longest: Int

  /// How long a sample may be that is believed: where a length is damaged, it would take all that follows along.
  var mostBytes: Int { 8 * min(longest, 1 << 28) + 1 << 20 }
}

/// A whole movie like the broken one.
struct Pattern {
  /// The tracks whose samples can be found.
  private(set) var tracks: [PatternTrack] = []
  /// Names of the codecs of those whose samples cannot.
  private(set) var unreadable: [String] = []

  /// The most tracks looked at.
  private static let maximumTracks = 64
  /// Samples looked at for each track.
  private static let maximumSamples = 100_000
  /// The most sizes of chunks that are tried.
  private static let maximumChunkSizes = 16

  /// Takes from a movie what helps.
  ///
  /// - Throws: `MP4Error` `.source` if reading fails.
  init(_ movie: MP4Demuxer) throws(MP4Error) {
    let starts = try Pattern.starts(movie)
    for track in movie.tracks.prefix(Pattern.maximumTracks) where track.sampleCount > 0 {
      let records = try Pattern.records(movie, track)
      guard let description = track.descriptions.first, description.protection == nil,
        let coding = Pattern.coding(description, track, records, starts)
      else {
        unreadable.append(track.descriptions.first?.codecName ?? "\(track.handler)")
        continue
      }
      let usual = Pattern.mostFrequent(records.dropLast().map(\.duration)) ?? records.first?.duration ?? 0
      tracks.append(
        PatternTrack(
          track: track, coding: coding, duration: max(usual, 1), priming: Pattern.priming(track),
          longest: records.map(\.size).max() ?? 0))
    }
  }

  private static func coding(
    _ description: SampleDescription, _ track: Track, _ records: [SampleRecord], _ starts: [UInt64]
  ) -> PatternTrack.Coding? {
    switch description.format {
    case .video(let format):
      return pictures(description.codec, format.decoderConfiguration)
    case .audio(let format):
      if let coding = format.pcmCoding, format.channels > 0 {
        let frame = coding.byteCount * format.channels
        return .plain(chunks: chunks(records, starts, frame: frame), frame: frame)
      }
      guard let configuration = try? AudioSpecificConfig(description), let rule = PacketRule(configuration) else {
        return nil
      }
      return .sound(rule)
    case .other: return nil
    }
  }

  private static func pictures(_ codec: FourCC, _ configuration: [UInt8]) -> PatternTrack.Coding? {
    switch codec {
    case "avc1", "avc3":
      guard let (box, _) = try? AVCConfigurationBox.read(configuration[...]), let sets = H264Sets(box) else {
        return nil
      }
      return .pictures(.h264(sets), lengthSize: Int(box.lengthSizeMinusOne & 3) + 1)
    case "hvc1", "hev1", "dvh1", "dvhe":
      guard let (box, _) = try? HEVCConfigurationBox.read(configuration[...]), let sets = H265Sets(box) else {
        return nil
      }
      return .pictures(.h265(sets), lengthSize: Int(box.lengthSizeMinusOne & 3) + 1)
    default: return nil
    }
  }

  // MARK: The index of the pattern

  private static func records(_ movie: MP4Demuxer, _ track: Track) throws(MP4Error) -> [SampleRecord] {
    var samples = movie.samples(of: track)
    var records: [SampleRecord] = []
    do throws(MP4Error) {
      while records.count < maximumSamples, let record = try samples.nextRecord() { records.append(record) }
    } catch {
      if case .source = error.code { throw error }
    }
    return records
  }

  /// Where runs of samples of one track begin in the file, sorted: what ends a run of another one.
  private static func starts(_ movie: MP4Demuxer) throws(MP4Error) -> [UInt64] {
    var starts: [UInt64] = []
    for track in movie.tracks.prefix(maximumTracks) {
      var end: UInt64?
      for record in try records(movie, track) {
        if record.offset != end { starts.append(record.offset) }
        end = record.offset.addingReportingOverflow(UInt64(record.size)).partialValue
      }
    }
    return starts.sorted()
  }

  /// The sizes that runs of a track's samples have, the most frequent first.
  private static func chunks(_ records: [SampleRecord], _ starts: [UInt64], frame: Int) -> [Int] {
    var counts: [Int: Int] = [:]
    var (size, end): (Int, UInt64?) = (0, nil)
    for record in records {
      if record.offset != end || isStart(record.offset, starts) {
        counts[size, default: 0] += 1
        size = 0
      }
      size += record.size
      end = record.offset.addingReportingOverflow(UInt64(record.size)).partialValue
    }
    counts[size, default: 0] += 1
    counts[0] = nil
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return sorted.map(\.key).filter { $0.isMultiple(of: frame) }.prefix(maximumChunkSizes).map { $0 }
  }

  private static func isStart(_ offset: UInt64, _ starts: [UInt64]) -> Bool {
    let index = starts.partitionPoint { $0 < offset }
    return index < starts.count && starts[index] == offset
  }

  private static func mostFrequent(_ values: [Int64]) -> Int64? {
    var counts: [Int64: Int] = [:]
    for value in values where value > 0 { counts[value, default: 0] += 1 }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  /// What the first edit that shows anything leaves out of the beginning.
  private static func priming(_ track: Track) -> Int64 {
    guard track.kind == .audio, let time = track.edits.first(where: { $0.mediaTime != nil })?.mediaTime else {
      return 0
    }
    return min(max(time.converted(to: track.timescale)?.value ?? 0, 0), Int64(track.timescale))
  }
}
