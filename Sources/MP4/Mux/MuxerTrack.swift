internal import ISOBMFF
public import MediaCore

/// A track that a muxer is to write: what it carries, how it is shown, and when it begins.
///
/// From a movie: `MuxerTrack(movie.tracks[0])`. For an encoder's output:
///
///     var voice = MuxerTrack(audio: .aac(audioSpecificConfig: config, sampleRate: 44100, channels: 2),
///                            timescale: 44100, priming: 1024)
///     voice.track.language = "eng"
public struct MuxerTrack: Sendable {
  /// Number, kind, timescale, descriptions, language, name, transform, size and references. Its durations, its count
  /// of samples and its edits do not matter: they follow from what is appended, and from `edits`.
  ///
  /// A number of 0, or one that another track has, is replaced by a free one.
  public var track: Track

  /// Which pieces of the media are shown, in media times as the samples have them. `nil`: all of it, in such a way that
  /// the movie begins with whatever is shown first, and each track keeps its place in time to that.
  ///
  /// Where fewer samples are appended than the movie had that the track is from (`track.sampleCount`), they end where
  /// the samples do. A movie in fragments begins with them: into a pipe, which cannot be gone back in, they go as they
  /// are.
  public var edits: [Edit]?

  /// Ticks at the beginning that are an encoder's run-up and not to be heard. The first sample's presentation time is
  /// then -`priming` as a rule, so that what is to be heard begins at 0.
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
  ///   - timescale: ticks a second: the sampling rate, as a rule.
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
  ///   - timescale: ticks a second.
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
  /// Tracks with a number of their own each: the one they have, unless it is 0 or one before has the same.
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
    // What refers to a track that is not written is of no use.
    for index in tracks.indices {
      tracks[index].track.references = tracks[index].track.references.compactMapValues { ids in
        let kept = ids.filter(given.contains)
        return kept.isEmpty ? nil : kept
      }
    }
    return tracks
  }
}
