public import ISOBMFF
public import MediaCore

/// Why a movie cannot be opened, read or written.
public struct MP4Error: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// There is no `moov` box; the value says what the file is instead.
    case noMovie(Instead)
    /// A box that reading depends on is broken.
    case box(BoxError)
    /// A box that reading depends on is missing.
    case missingBox(FourCC)
    /// A sample lies, wholly or in part, beyond the end of the file: the file was truncated. With a place that no file
    /// has, `missingBytes` is `UInt64.max`.
    case sampleOutsideFile(number: UInt64, missingBytes: UInt64)
    /// Times add up to more than 64 bits hold.
    case timeOverflow
    /// A sample's data is in another file.
    case externalData
    /// No track with this number, or of this kind.
    case noSuchTrack
    /// The reader was cancelled.
    case cancelled
    /// Reading the source failed.
    case source(SourceError)
    /// Writing the output failed.
    case sink(SinkError)
    /// Nothing to write: no track was chosen, or none has samples.
    case nothingToWrite
    /// Nothing of the movie is shown between the times that were asked for.
    case emptyClip
    /// A piece of a movie that begins after so many seconds cannot be made smaller than this many bytes.
    case pieceTooLarge(seconds: Int64, bytes: UInt64)
    /// A track that is to be written does not say what its samples are.
    case noDescription
    /// A muxer was finished before any sample was appended: a movie cannot be empty.
    case noSamples
    /// The muxer has finished: nothing can be appended any more.
    case muxerFinished
    /// A muxer cannot take this sample.
    case refusedSample(SampleRefusal)
    /// The samples overlap so much that their total size is not plausible.
    case overlappingSamples(limit: UInt64)
    /// A movie in fragments has no single index that could be moved.
    case fragmentedMovie
    /// Chapters lie in the index, which a movie in fragments does not have in one place.
    case chaptersInFragments
    /// Changing an index in place failed half way, and could not be undone. The movie is intact, but the file is longer
    /// than it was.
    case leftHalfMoved(SinkError?)
    /// The planned output does not read like the movie.
    case cannotBeCarriedOver
    /// A track has samples in fragments, and the movie header does not say what they are.
    case undescribedTrack(samples: UInt64)
    /// The data of an item of a `meta` box lies, wholly or in part, beyond the end of the file.
    case itemOutsideFile(UInt32)
    /// The file offset of an item does not fit in its field in the output.
    case itemTooFar(UInt32)
    /// The locations of a `meta` box's items cannot be read, and so not be changed.
    case unreadableItems
  }

  /// Why a muxer rejects a sample.
  public enum SampleRefusal: Sendable, Hashable {
    /// Its timescale differs from its track's.
    case otherTimescale(UInt32)
    /// Its duration exceeds 31 bits of ticks.
    case tooLong
    /// The difference between its presentation and decode times exceeds 32 bits of ticks.
    case shownTooFarAway
    /// Its size exceeds 32 bits.
    case tooLarge
    /// The track has no description with this number.
    case noSuchDescription(Int)
    /// Its track was finished.
    case trackFinished
    /// It is decoded before the first sample of the file, whose header says when that is.
    case decodedBeforeStart
  }

  /// What a file without a movie header is.
  public enum Instead: Sendable, Hashable {
    /// Nothing known.
    case unknown
    /// A file of no bytes.
    case empty
    /// A still image: HEIF or AVIF.
    case image
    /// A media segment: its movie header is in a separate initialization segment.
    case mediaSegment
    /// A recording or download that stopped before the movie header was written.
    case cut
    /// A file of another format.
    case unsupported(UnsupportedFormat)
  }

  /// What went wrong.
  public let code: Code
  /// The file.
  public let file: String
  /// The track's number, if it is about one.
  public let trackID: UInt32?
  /// Types of the boxes around the error, outermost first.
  public let path: String?
  /// The file offset that the error is about, in bytes.
  public let offset: UInt64?

  /// An error with all it knows.
  public init(_ code: Code, file: String = "", trackID: UInt32? = nil, path: String? = nil, offset: UInt64? = nil) {
    self.code = code
    self.file = file
    self.trackID = trackID
    self.path = path
    self.offset = offset
  }

  init(_ error: BoxError, file: String, trackID: UInt32? = nil) {
    if case .source(let source) = error.code {
      self.init(.source(source), file: file, trackID: trackID, offset: error.offset)
    } else {
      self.init(.box(error), file: file, trackID: trackID, path: error.path, offset: error.offset)
    }
  }

  init(_ error: SourceError) {
    self.init(.source(error), file: error.name, offset: error.offset)
  }

  init(_ error: TransferError) {
    switch error {
    case .source(let error): self.init(error)
    case .sink(let error): self.init(.sink(error), file: error.name)
    }
  }
}

extension MP4Error: MediaError {
  public var underlying: (any MediaError)? {
    switch code {
    case .source(let error): error
    case .sink(let error): error
    default: nil
    }
  }

  public var location: MediaErrorLocation {
    guard case .box(let error) = code else { return MediaErrorLocation(trackID: trackID, path: path, offset: offset) }
    var location = error.location
    location.trackID = trackID
    return location
  }

  public var kind: MediaErrorKind {
    switch code {
    case .source(let error): error.kind
    case .sink(let error): error.kind
    case .cancelled: .cancelled
    case .muxerFinished: .misuse
    case .leftHalfMoved: .readOrWriteFailed
    default: .badData
    }
  }

  public var reason: String {
    switch code {
    case .noMovie(.unsupported(let format)): "\(format), which is not supported"
    case .noMovie(let instead): "no movie in this file: \(instead.explanation)"
    case .box(let error): error.reason
    case .missingBox(let type): "the box \(type) is missing"
    case .sampleOutsideFile(let number, let missing):
      // A place before the file's start has wrapped around; no bytes that could be missing would mend that.
      missing == .max
        ? "sample \(number) lies outside of the file"
        : "sample \(number) lies beyond the end of the file (\(missing) bytes are missing)"
    case .timeOverflow: "sample times exceed 64 bits"
    case .externalData: "the samples are in another file, which is not supported"
    case .noSuchTrack: "no such track"
    case .cancelled: "cancelled"
    case .nothingToWrite: "no track is left to write"
    case .pieceTooLarge(let seconds, let bytes):
      "the piece that begins at \(seconds) s takes \(bytes) bytes and cannot be divided further"
    case .emptyClip: "the movie shows nothing between these times"
    case .noDescription: "the track has no sample description"
    case .noSamples: "no sample was appended"
    case .muxerFinished: "it is finished already"
    case .refusedSample(let refusal): refusal.explanation
    case .overlappingSamples(let limit):
      "its samples overlap and add up to more than \(limit) bytes, which no real movie of its size does"
    case .fragmentedMovie: "the movie is in fragments, its index in pieces"
    case .chaptersInFragments: "chapters cannot be written to a movie in fragments"
    case .leftHalfMoved(let error):
      "changing the index failed half way\(error.map { " (\($0.reason))" } ?? ""), and could not be undone; the movie is intact, "
        + "but the file is longer than before"
    case .cannotBeCarriedOver: "with its index elsewhere, the movie would be read differently"
    case .undescribedTrack(let samples):
      "\(samples) of its samples lie in fragments, but the index (moov) does not describe the track, so they cannot be "
        + "carried over"
    case .itemOutsideFile(let item):
      "the data of item \(item) lies beyond the end of the file, which was cut short"
    case .itemTooFar(let item): "the new offset of item \(item) does not fit in its box"
    case .unreadableItems: "the places of the items cannot be read, so the items cannot be carried over"
    case .source(let error): error.reason
    case .sink(let error): error.reason
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .noMovie(let instead): instead.suggestion
    case .box, .missingBox, .timeOverflow: "the file is damaged"
    case .sampleOutsideFile: "the file was cut short"
    case .noDescription: "a muxer needs one to say what its samples are"
    case .pieceTooLarge: "allow larger pieces, or keep fewer tracks"
    case .emptyClip: "choose a part that begins before the movie ends"
    case .noSamples: "a movie needs at least one"
    case .muxerFinished: "append before finishing, or create a new muxer"
    case .refusedSample(let refusal): refusal.suggestion
    case .fragmentedMovie: "remux it to a progressive file, which joins them"
    case .chaptersInFragments: "choose another layout"
    case .leftHalfMoved: "try again"
    case .cannotBeCarriedOver: "the file was left as it is"
    case .undescribedTrack, .itemOutsideFile, .unreadableItems: "set `recover` to leave them out"
    case .itemTooFar: "remux to another layout"
    case .source(let error): error.recoverySuggestion
    case .sink(let error): error.recoverySuggestion
    case .externalData, .noSuchTrack, .cancelled, .nothingToWrite, .overlappingSamples: nil
    }
  }
}

extension MP4Error.Instead {
  fileprivate var explanation: String {
    switch self {
    case .unknown: "it is not an MP4 or QuickTime file, or its index (moov) is damaged"
    case .empty: "it is empty"
    case .image: "it is a picture (HEIF or AVIF)"
    case .mediaSegment: "it is a media segment"
    case .cut: "it ends before its index (moov)"
    case .unsupported(let format): "it is \(format)"
    }
  }

  fileprivate var suggestion: String? {
    switch self {
    case .unknown, .empty, .image: nil
    case .mediaSegment: "put its initialization segment in front: cat init.mp4 segment.m4s"
    case .cut: "the recording or download was cut short"
    case .unsupported(let format): format.suggestion
    }
  }
}

extension MP4Error.SampleRefusal {
  fileprivate var explanation: String {
    switch self {
    case .otherTimescale(let timescale): "a sample's times are in 1/\(timescale) s, not in its track's timescale"
    case .tooLong: "a sample's duration does not fit in 31 bits of ticks"
    case .shownTooFarAway: "a sample's presentation and decode times differ by more than 32 bits of ticks"
    case .tooLarge: "a sample is 4 GiB or larger"
    case .noSuchDescription(let index): "a sample refers to description \(index), which its track does not have"
    case .trackFinished: "a sample came after its track was finished"
    case .decodedBeforeStart: "a sample is decoded before the start of the movie, which is written already"
    }
  }

  fileprivate var suggestion: String? {
    switch self {
    case .tooLong: "give the track a coarser timescale"
    case .tooLarge: "split it"
    default: nil
    }
  }
}
