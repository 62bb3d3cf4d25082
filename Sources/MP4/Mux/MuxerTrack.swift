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
  /// Number, kind, timescale, descriptions, language, name, transform, size, alternate group and references. Its
  /// durations, its sample count and its edits are ignored: they follow from what is appended, and from `edits`.
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

  /// Ticks per second of the track in the file, if they are fewer than those of the samples' times. With SBR, files
  /// count frames of the core, half as many as are heard. The movie has the samples' ticks nonetheless, so that an
  /// edit ends with any of them. Not for tracks with `edits`, which count the file's ticks.
  package var coarseTimescale: UInt32?

  /// What it says about itself in its movie; `nil` for a new track.
  var kept: KeptTrackBoxes?

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
  /// Ticks per second of the track in the file.
  var fileTimescale: UInt32 { coarseTimescale ?? track.timescale }

  /// A time of the samples in ticks of the file.
  func fileTicks(_ time: Int64, rounding: MediaTime.Rounding) -> Int64 {
    MediaTime(value: time, timescale: track.timescale).converted(to: fileTimescale, rounding: rounding)?.value ?? time
  }

  /// A record of a sample with its times in ticks of the file.
  func fileRecord(_ record: SampleRecord) -> SampleRecord {
    guard coarseTimescale != nil else { return record }
    var result = record
    result.decodeTime = fileTicks(record.decodeTime, rounding: .down)
    result.presentationTime = fileTicks(record.presentationTime, rounding: .down)
    let end = fileTicks(record.decodeTime.saturatingAdd(record.duration), rounding: .up)
    result.duration = end.saturatingSubtract(result.decodeTime)
    return result
  }

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
