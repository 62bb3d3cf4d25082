internal import ISOBMFF
internal import MediaCore

extension MP4Demuxer {
  /// Makes sure that the movie has not changed since it was opened. Code that makes another file out of its samples
  /// calls this last, before that file gets its name: some of the samples may have been read before a change, and some
  /// after it.
  ///
  /// A recording in progress is different: its fragments stay where they are, and more follow. So a movie in fragments
  /// may have grown, if everything that was opened is found again unchanged.
  ///
  /// - Throws: `MP4Error` `.source`: `.changed`.
  public func checkUnchanged() throws(MP4Error) {
    do throws(SourceError) {
      switch try reader.source.change() {
      case .none: return
      case .grown where layout == .fragmented && isFoundAgain: return
      case .grown, .changed: throw SourceError(.changed, name: reader.source.name)
      }
    } catch {
      throw MP4Error(error)
    }
  }

  /// Whether the index is still at the same offset, with the same content. The source still ends where it ended.
  private var isFoundAgain: Bool {
    guard let now = try? MP4Demuxer(reader: reader) else { return false }
    return now.moov.written == moov.written && now.moov.header == moov.header
      && now.movieTracks.map(\.index.fragments) == movieTracks.map(\.index.fragments)
  }
}

extension MP4Error {
  /// This error, or `.changed` if the source has changed since it was opened: then what looks like damage is not.
  func unlessChanged(_ source: any ByteSource) -> MP4Error {
    switch code {
    case .sink, .cancelled: return self
    default: break
    }
    guard let change = try? source.change(), change == .changed else { return self }
    return MP4Error(SourceError(.changed, name: source.name))
  }
}
