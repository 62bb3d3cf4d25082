internal import ISOBMFF
internal import MediaCore

/// Chapters that replace those of a movie: the list in the header, and the track whose titles lie after the source as
/// if they were part of it.
struct ReplacedChapters {
  /// The source, followed by the titles.
  let media: SourceReader
  /// Where in it the titles are.
  let titles: (offset: UInt64, count: UInt64)
  private let chapters: [Chapter]
  private let track: ChapterTrack?
  private let duration: MediaTime

  /// - Parameters:
  ///   - chapters: sorted by their starts; empty for none.
  ///   - movie: the movie that they are for.
  init(_ chapters: [Chapter], in movie: MP4Demuxer) {
    self.chapters = chapters
    duration = movie.duration
    let old = movie.chapterTracks
    let highest = movie.describedTracks.map(\.id).filter { !old.contains($0) }.max() ?? 0
    track = highest < .max ? ChapterTrack(chapters, id: highest + 1, movieTimescale: movie.timescale) : nil
    let bytes = track?.payload ?? []
    titles = (movie.reader.size, UInt64(bytes.count))
    var plan = OutputPlan()
    plan.append(movie.reader, offset: 0, count: movie.reader.size)
    plan.append(bytes)
    media = SourceReader(PlannedSource(plan, name: movie.reader.source.name))
  }

  /// Puts them into a movie header without others.
  ///
  /// - Returns: the header, and the offsets of the chunks of all tracks in `media`.
  func installed(in header: MovieBoxTemplate) -> MovieBoxTemplate {
    var moov = header.moov
    var chunkOffsets = header.chunkOffsets
    moov.change("udta") { $0.children.removeAll { $0.type == "chpl" } }
    if !chapters.isEmpty {
      let list = BoxNode("chpl", MetadataBuilder(MovieMetadata(), chapters: chapters).chapterList)
      if moov.children.contains(where: { $0.type == "udta" }) {
        moov.change("udta") { $0.children.append(list) }
      } else {
        moov.children.append(BoxNode("udta", children: [list]))
      }
    }
    moov.children.removeAll { $0.type == "udta" && $0.children.isEmpty && $0.trailing.isEmpty }
    if let track {
      for index in moov.children.indices where moov.children[index].type == "trak" {
        moov.children[index].addReference("chap", to: track.track.track.id)
      }
      let content = track.content(until: duration)
      let trak = TrackBoxBuilder(track.track, creationTime: 0).trak(
        tables: content.tables.boxes, mediaDuration: content.tables.duration,
        duration: UInt64(max(content.duration.value, 0)), edits: content.edits)
      let last = moov.children.lastIndex { $0.type == "trak" } ?? moov.children.count - 1
      moov.children.insert(trak, at: last + 1)
      chunkOffsets.append(content.tables.chunkOffsets.map { titles.offset + $0 })
      moov.reserveTrackNumber(track.track.track.id)
    }
    return MovieBoxTemplate(moov: moov, chunkOffsets: chunkOffsets, reader: header.reader)
  }
}

extension MP4Demuxer {
  /// Numbers of the tracks that hold chapters: their titles, and pictures for them.
  var chapterTracks: Set<UInt32> { Set(tracks.flatMap { $0.references["chap"] ?? [] }) }
}

extension BoxNode {
  /// Makes a track refer to another.
  fileprivate mutating func addReference(_ type: FourCC, to track: UInt32) {
    var box = TrackReferenceTypeBox()
    box.trackIDs = PackedTable([track])
    let reference = BoxNode(type, box)
    if children.contains(where: { $0.type == "tref" }) {
      change("tref") { tref in
        tref.children.removeAll { $0.type == type }
        tref.children.append(reference)
      }
    } else {
      let place = children.firstIndex { $0.type == "tkhd" }.map { $0 + 1 } ?? 0
      children.insert(BoxNode("tref", children: [reference]), at: place)
    }
  }
}
