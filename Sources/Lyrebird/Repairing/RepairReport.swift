public import MP4
public import MediaCore

/// What a repair found, and how sure it is of that.
public struct RepairReport: Sendable {
  /// How the samples were found.
  public enum Method: Sendable, Hashable {
    /// By the movie's own index, of which enough was left.
    case index
    /// By reading the media itself: each packet of AAC was parsed to its end.
    case packets
    /// By reading the media itself, with a whole movie as the pattern.
    case pattern
  }

  /// A track of the output.
  public struct TrackReport: Sendable {
    /// The track's number in the output.
    public var id: UInt32
    /// What it carries.
    public var kind: Track.Kind
    /// The codec in words: `AAC-LC`.
    public var codecName: String
    /// Samples that were found: packets of sound, pictures.
    public var found: UInt64 = 0
    /// Those among them that may be damaged, or no samples at all: the last before a gap, and all in short pieces.
    public var doubtful: UInt64 = 0
    /// Roughly how many are missing, by the size of the gaps.
    public var lost: UInt64 = 0
    /// What the found samples last together.
    public var duration: MediaTime = .zero
    /// Where samples are missing, the first `maximumGaps` of them. The sound or the pictures after a gap follow at
    /// once: no silence was put in its place.
    public var gaps: [Gap] = []
    /// How many gaps there are in all.
    public var gapCount: UInt64 = 0
  }

  /// A part of the media in which nothing was found.
  public struct Gap: Sendable, Hashable {
    /// Its offset in the broken file.
    public var offset: UInt64
    /// Its length in bytes.
    public var bytes: UInt64
    /// When it comes in the track of the output.
    public var time: MediaTime
  }

  /// Something that the media does not tell, and that was assumed.
  public enum Assumption: Sendable, Hashable {
    /// A sampling rate in Hz, and others that would fit as well.
    case sampleRate(UInt32, others: [UInt32])
    /// That all packets are to be heard, as the length of the encoder's priming is not known.
    case noPriming
    /// That frames follow at the usual distance of the pattern, in seconds.
    case frameDuration(Double)
    /// That frames are shown in the order in which they are decoded.
    case noReordering
    /// That samples of this codec lie between those found and could not be recovered.
    case unreadable(codec: String)
    /// That all samples of this many tracks, which look alike, are of one track.
    case oneTrack(alike: Int)
    /// That so many bytes are missing at the beginning of the file, as the index at its end suggests.
    case lostHead(bytes: UInt64)
  }

  /// The most gaps that are listed for a track.
  public static let maximumGaps = 1000

  /// How the samples were found.
  public var method: Method
  /// Whether the movie was whole before.
  public var wasWhole = false
  /// The tracks of the output.
  public var tracks: [TrackReport] = []
  /// What was assumed.
  public var assumptions: [Assumption] = []
  /// What the index said of samples that are not there.
  public var dropped: [MP4Error] = []
  /// Bytes of media that belong to no sample found.
  public var unusedBytes: UInt64 = 0
  /// Bytes of the output.
  public var bytes: UInt64 = 0

  /// A report without tracks.
  init(_ method: Method) { self.method = method }
}

extension RepairReport.Assumption: CustomStringConvertible {
  /// What was assumed, in words.
  public var description: String {
    switch self {
    case .sampleRate(let rate, let others):
      "\(rate) Hz: the packets would look the same at \(RepairReport.list(others)) Hz"
    case .noPriming: "every packet is heard: how much of the beginning only primes the decoder is not known"
    case .frameDuration(let seconds): "a frame lasts \(Int((seconds * 1_000_000).rounded())) µs, as in the pattern"
    case .noReordering: "frames are shown in the order in which they are decoded"
    case .unreadable(let codec): "samples of \(codec) lie between the others, and are left out"
    case .oneTrack(let alike): "samples of \(alike) tracks look alike, and are in one track"
    case .lostHead(let bytes): "\(bytes) bytes are missing at the beginning of the file"
    }
  }
}

extension RepairReport {
  private static func list(_ rates: [UInt32]) -> String {
    var text = ""
    for (index, rate) in rates.enumerated() {
      text += (index == 0 ? "" : index + 1 < rates.count ? ", " : " or ") + "\(rate)"
    }
    return text
  }
}

extension RepairReport.TrackReport {
  /// Notes that nothing was found in a part of the media.
  mutating func addGap(at offset: UInt64, bytes: UInt64, time: MediaTime) {
    gapCount += 1
    guard gaps.count < RepairReport.maximumGaps else { return }
    gaps.append(RepairReport.Gap(offset: offset, bytes: bytes, time: time))
  }
}
