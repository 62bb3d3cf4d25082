internal import ISOBMFF
public import MediaCore

/// A track for a muxer to write: what it carries, how it is shown, and when it begins.
///
/// From a movie: `MuxerTrack(movie.tracks[0])`. For an encoder's output:
///
///     var voice = MuxerTrack(audio: .aac(audioSpecificConfig: config, sampleRate: 44100, channels: 2),
///                            timescale: 44100, priming: 1024)
///     voice.track.language = "eng"
public struct MuxerTrack: Sendable {
  /// Number, kind, timescale, descriptions, language, name, transform, size and references. Its durations, its sample
  /// count and its edits are ignored: they follow from what is appended, and from `edits`.
  ///
  /// A number of 0, or one that another track has, is replaced by a free one.
  public var track: Track

  /// Which parts of the media are shown, in the samples' media times. `nil`: all of it, such that the movie begins with
  /// whatever is shown first, and the tracks stay in sync.
  ///
  /// If fewer samples are appended than the track had in its movie (`track.sampleCount`), the edits end where the
  /// samples do. A movie in fragments begins with its edits: in a pipe, which cannot be patched later, they stay as
  /// given.
  public var edits: [Edit]?

  /// Ticks at the beginning that are an encoder's priming and not to be heard. The first sample's presentation time is
  /// then normally -`priming`, so that what is to be heard begins at 0.
  public var priming: Int64

  /// A track like one of an opened movie.
  public init(_ track: Track) {
    self.track = track
    edits = track.edits
    priming = 0
  }

  /// An audio track from an encoder.
  ///
  /// - Parameters:
  ///   - description: what the packets are.
  ///   - timescale: ticks per second, normally the sampling rate.
  ///   - priming: ticks at the beginning that are not to be heard.
  ///   - id: the track's number; 0 for a free one.
  public init(audio description: SampleDescription, timescale: UInt32, priming: Int64 = 0, id: UInt32 = 0) {
    track = Track(id: id, kind: .audio, timescale: timescale)
    track.descriptions = [description]
    self.priming = priming
  }

  /// A video track from an encoder.
  ///
  /// - Parameters:
  ///   - description: what the frames are; its size is the one to show them at.
  ///   - timescale: ticks per second.
  ///   - id: the track's number; 0 for a free one.
  public init(video description: SampleDescription, timescale: UInt32, id: UInt32 = 0) {
    track = Track(id: id, kind: .video, timescale: timescale)
    track.descriptions = [description]
    if let format = track.videoFormat {
      track.size = Track.Size(width: Double(format.width), height: Double(format.height))
    }
    priming = 0
  }
}

extension MuxerTrack {
  /// Gives each track a unique number: its own, unless that is 0 or an earlier track has it.
  static func numbered(_ tracks: [MuxerTrack]) -> [MuxerTrack] {
    var wanted = Set(tracks.map(\.track.id))
    var given: Set<UInt32> = [0]
    var next: UInt32 = 1
    var tracks = tracks
    for index in tracks.indices where !given.insert(tracks[index].track.id).inserted {
      while wanted.contains(next) || given.contains(next) { next += 1 }
      tracks[index].track.id = next
      wanted.insert(next)
      given.insert(next)
    }
    // A reference to a track that is not written is of no use.
    for index in tracks.indices {
      tracks[index].track.references = tracks[index].track.references.compactMapValues { ids in
        let kept = ids.filter(given.contains)
        return kept.isEmpty ? nil : kept
      }
    }
    return tracks
  }
}
