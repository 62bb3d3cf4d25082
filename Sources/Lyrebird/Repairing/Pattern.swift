internal import AAC
internal import ISOBMFF
internal import MP4
internal import MediaCore

/// A track of the pattern, as far as it helps to find samples like its own.
struct PatternTrack {
  /// How samples of the kind are found.
  enum Coding {
    /// By the lengths and headers of their units.
    case pictures(PictureCoding)
    /// By reading packets to their end.
    case sound(PacketRule)
    /// By their sizes, in four bytes at the beginning of each, and by four bytes after these that all have.
    case sized(mark: UInt32)
    /// By where they lie among the others (`OpaqueRuns`): their bytes do not say where they end. Any number of frames
    /// of PCM, which have this many bytes, is a sample.
    case opaque(frame: Int?)
  }

  let track: Track
  let coding: Coding
  /// What a sample usually lasts, in ticks of the track.
  let duration: Int64
  /// Whether samples last about as long together as if each had that duration.
  let isRegular: Bool
  /// Ticks at the beginning that are not to be heard.
  let priming: Int64
  /// The longest sample, in bytes.
  let longest: Int
  /// The bytes, four at most, that all samples of an opaque track begin with; empty for PCM.
  let beginning: [UInt8]

  /// How long a sample may be that is believed: where a length is damaged, it would take all that follows along.
  var mostBytes: Int { 8 * min(longest, 1 << 28) + 1 << 20 }

  /// Whether its samples cannot be read.
  var isOpaque: Bool {
    if case .opaque = coding { true } else { false }
  }

  /// Whether a sample that can be read is one for certain: it has more that must be right than a packet of sound, or
  /// than a unit of AV1.
  var isCertain: Bool {
    switch coding {
    case .pictures(.h264), .pictures(.h265), .sized: true
    case .pictures(.av1), .sound, .opaque: false
    }
  }

  /// Whether it is a track of neither pictures nor sound, as far as can be told: a time code, metadata, text.
  var isData: Bool {
    switch coding {
    case .opaque(let frame): frame == nil
    case .sized: track.kind != .video
    case .pictures, .sound: false
    }
  }

  /// Whether its one sample is for the whole movie, as a time code is.
  var lastsWhole: Bool { isData && track.sampleCount == 1 }

  /// Whether it is known when samples are due. Pictures and sound are taken to be regular; data has to be.
  var isTimed: Bool { !isData || isRegular }
}

/// A whole movie like the broken one.
struct Pattern {
  /// The tracks that samples may be of.
  private(set) var tracks: [PatternTrack] = []
  /// Names of the codecs of others.
  private(set) var unreadable: [String] = []
  /// The samples of all tracks in the order of the file, as far as those of all are looked at; the track is `nil` if it
  /// is none of those above.
  private(set) var samples: [(offset: UInt64, bytes: Int, track: Int?)] = []

  /// The most tracks looked at.
  private static let maximumTracks = 64
  /// Samples looked at for each track, and for all together.
  private static let maximumSamples = 100_000
  private static let maximumTotal = 300_000
  /// The longest duration of a sample, in ticks: those of all samples of an index add up to less than 2^63.
  private static let longestDuration: Int64 = 1 << 31

  /// Takes from a movie what helps.
  ///
  /// - Throws: `SourceError`, `MP4Error` `.source` if reading fails.
  init(_ movie: MP4Demuxer) throws {
    let all = movie.tracks.prefix(Pattern.maximumTracks).filter { $0.sampleCount > 0 && !movie.isExternal($0) }
    let limit = min(Pattern.maximumTotal / max(all.count, 1), Pattern.maximumSamples)
    // After the last sample that is looked at of a long track, it is not known what lies between others.
    var end = UInt64.max
    for track in all {
      let records = try Pattern.records(movie, track, limit: limit)
      if records.count == limit, let last = records.last { end = min(end, last.offset) }
      let found = try Pattern.track(track, records, movie.reader)
      let index = found == nil ? nil : tracks.count
      samples += records.map { ($0.offset, $0.size, index) }
      if let found { tracks.append(found) } else { unreadable.append(Pattern.codecName(track)) }
    }
    samples.removeAll { $0.offset >= end }
    samples.sort { ($0.offset, $0.bytes) < ($1.offset, $1.bytes) }
  }

  private static func codecName(_ track: Track) -> String {
    track.descriptions.first?.codecName ?? "\(track.handler)"
  }

  /// A track with these samples; `nil` if nothing says what they are.
  private static func track(
    _ track: Track, _ records: [SampleRecord], _ reader: SourceReader
  ) throws(SourceError) -> PatternTrack? {
    guard let description = track.descriptions.first, description.protection == nil,
      var coding = coding(description)
    else { return nil }
    var beginning: [UInt8] = []
    if case .opaque(frame: nil) = coding {
      let common = try CommonBeginning(records, in: reader)
      if let mark = common.markBehindSize { coding = .sized(mark: mark) } else { beginning = common.bytes }
    }
    let durations = records.dropLast().map(\.duration)
    let usual = Counted(durations.filter { $0 > 0 }).mostFrequent.first ?? records.first?.duration ?? 0
    return PatternTrack(
      track: track, coding: coding, duration: min(max(usual, 1), longestDuration),
      isRegular: isRegular(durations, usual),
      priming: priming(track), longest: records.map(\.size).max() ?? 0, beginning: beginning)
  }

  private static func coding(_ description: SampleDescription) -> PatternTrack.Coding? {
    switch description.format {
    case .video(let format):
      return pictures(description.codec, format.decoderConfiguration) ?? .opaque(frame: nil)
    case .audio(let format):
      if let coding = format.pcmCoding, format.channels > 0 {
        return .opaque(frame: coding.byteCount * format.channels)
      }
      guard let configuration = try? AudioSpecificConfig(description), let rule = PacketRule(configuration) else {
        return .opaque(frame: nil)
      }
      return .sound(rule)
    case .other: return .opaque(frame: nil)
    }
  }

  private static func pictures(_ codec: FourCC, _ configuration: [UInt8]) -> PatternTrack.Coding? {
    switch codec {
    case _ where codec.isH264:
      guard let (box, _) = try? AVCConfigurationBox.read(configuration[...]), let sets = H264Sets(box) else {
        return nil
      }
      return .pictures(.h264(sets, lengthSize: box.lengthSize))
    case _ where codec.isH265:
      guard let (box, _) = try? HEVCConfigurationBox.read(configuration[...]), let sets = H265Sets(box) else {
        return nil
      }
      return .pictures(.h265(sets, lengthSize: box.lengthSize))
    case "av01": return .pictures(.av1)
    default: return nil
    }
  }

  // MARK: The index of the pattern

  /// A track's samples, the first `limit` of them.
  private static func records(
    _ movie: MP4Demuxer, _ track: Track, limit: Int
  ) throws(MP4Error) -> [SampleRecord] {
    var samples = movie.samples(of: track)
    var records: [SampleRecord] = []
    do throws(MP4Error) {
      while records.count < limit, let record = try samples.nextRecord() { records.append(record) }
    } catch {
      if case .source = error.code { throw error }
    }
    return records
  }

  /// Within a sixteenth: some devices change between two durations.
  private static func isRegular(_ durations: [Int64], _ usual: Int64) -> Bool {
    let (sum, expected) = (durations.reduce(0) { $0 + Double($1) }, Double(usual) * Double(durations.count))
    return abs(sum - expected) <= sum / 16
  }

  /// What the first edit that shows anything leaves out of the beginning.
  private static func priming(_ track: Track) -> Int64 {
    guard track.kind == .audio, let time = track.edits.first(where: { $0.mediaTime != nil })?.mediaTime else {
      return 0
    }
    return min(max(time.converted(to: track.timescale)?.value ?? 0, 0), Int64(track.timescale))
  }
}
