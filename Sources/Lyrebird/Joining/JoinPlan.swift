internal import MP4
internal import MediaCore

/// What is joined: which tracks belong together, where each part begins, and the chapters.
struct JoinPlan {
  /// The tracks of the output.
  private(set) var tracks: [any JoinedTrack] = []
  /// Where each part begins in the output.
  private(set) var starts: [MediaTime] = []
  /// How long the output is.
  private(set) var duration = MediaTime.zero
  /// The chapters of the output.
  private(set) var chapters: [Chapter] = []
  /// Tracks of parts that the first part has no counterpart for, and of kinds that cannot be joined.
  private(set) var leftOutTracks = 0

  /// - Throws: `JoinError`, `MP4Error`, `AudioDecodingError`, `AACError`.
  init(_ parts: [MP4Demuxer], _ options: MovieJoiner.Options) throws {
    guard !parts.isEmpty else { throw JoinError.noParts }
    let titles = options.chapterTitles.count
    guard titles == 0 || titles == parts.count else { throw JoinError.chapterTitles(titles, parts: parts.count) }
    var rows = try rows(of: parts, options)
    var media = try media(of: rows, parts)
    // The index of a damaged track may count samples, but not find any.
    for index in rows.indices.reversed() where media[index].allSatisfy({ $0 == nil }) {
      leftOutTracks += rows.remove(at: index).tracks.count { $0 != nil }
      media.remove(at: index)
    }
    guard !rows.isEmpty else { throw MP4Error(.nothingToWrite, file: parts[0].reader.source.name) }
    let sounds = try rows.indices.map { index in
      let row = rows[index]
      guard options.encodesSeams, row.kind == .audio else { return nil as ContinuousSound? }
      return try ContinuousSound.open(row, parts, delays: media[index].map { $0?.delay ?? .zero })
    }
    // Seams of sound have to be between frames; pictures can wait for the end of the sound.
    let timescale = sounds.lazy.compactMap { $0?.timescale }.first ?? rows.first?.timescale ?? parts[0].timescale
    var start: Int64 = 0
    for part in parts.indices {
      starts.append(MediaTime(value: start, timescale: timescale))
      let length = length(of: part, rows, media, sounds)
      start = start.saturatingAdd(length.since(.zero, in: timescale, rounding: .up).value)
    }
    guard start < 1 << 52 else { throw MP4Error(.timeOverflow, file: parts[0].reader.source.name) }
    duration = MediaTime(value: start, timescale: timescale)
    for (index, row) in rows.enumerated() {
      if let sound = sounds[index], sound.canFill(duration) {
        tracks.append(
          try JoinedSound(sound, starts: starts, duration: duration, isQuickTime: parts.areQuickTime))
      } else {
        tracks.append(try CopiedTrack(row, media[index], parts, starts: starts))
      }
    }
    chapters = try chapters(of: parts, options.chapterTitles)
  }

  /// How long a part is: as long as its longest track. But a track that only rounding made longer than the sound ends
  /// with it. Otherwise silence would be put into the sound, and the packets after it would be on another grid.
  private func length(
    of part: Int, _ rows: [JoinRow], _ media: [[PartMedia?]], _ sounds: [ContinuousSound?]
  ) -> MediaTime {
    func own(_ row: Int) -> MediaTime? { sounds[row]?.length(of: part) ?? media[row][part]?.length }
    let heard = rows.indices.filter { rows[$0].kind == .audio }.compactMap(own).max()
    func longest(_ indices: [Int]) -> MediaTime? {
      indices.compactMap { row in
        guard let heard, rows[row].kind != .audio, media[row][part]?.mayEnd(at: heard) == true else { return own(row) }
        return heard
      }.max()
    }
    return longest(rows.indices.filter { rows[$0].isPresented }) ?? longest(Array(rows.indices)) ?? .zero
  }

  /// What is shown of each track, by row and part.
  private func media(of rows: [JoinRow], _ parts: [MP4Demuxer]) throws(MP4Error) -> [[PartMedia?]] {
    var all: [[PartMedia?]] = []
    for row in rows {
      var media: [PartMedia?] = []
      for (part, track) in zip(parts, row.tracks) {
        media.append(try track.flatMap { (track) throws(MP4Error) in try PartMedia(part, track, row.timescale) })
      }
      all.append(media)
    }
    // Without edits a part may be from the middle of a stream: it need not begin with hours of nothing.
    for part in parts.indices {
      let presented = rows.indices.filter { rows[$0].isPresented }.compactMap { all[$0][part] }
      guard presented.allSatisfy(\.track.edits.isEmpty), let lead = presented.map(\.delay).min() else { continue }
      for row in all.indices { all[row][part]?.leaveOut(lead) }
    }
    return all
  }

  /// Matches tracks by kind and order; those that are neither seen nor heard, which programs read, also by their codec.
  private mutating func rows(of parts: [MP4Demuxer], _ options: MovieJoiner.Options) throws -> [JoinRow] {
    var rows: [JoinRow] = []
    for part in parts { try options.tracks.check(part) }
    let all = parts.map { $0.joinableTracks(options.tracks) }
    leftOutTracks = all.reduce(0) { $0 + $1.count }
    let groups = all.map { Dictionary(grouping: $0, by: TrackMatch.init) }
    // Pictures first, whatever comes first in the part; otherwise as in the part.
    let places = Dictionary(all[0].enumerated().map { (TrackMatch($1), $0) }) { first, _ in first }
    let order = places.sorted { ($0.key.rank, $0.value) < ($1.key.rank, $1.value) }.map(\.key)
    for match in order where match.canBeJoined {
      let lists = groups.map { $0[match] ?? [] }
      for index in lists[0].indices {
        let row = JoinRow(kind: match.kind, tracks: lists.map { index < $0.count ? $0[index] : nil })
        try row.checkClear(parts)
        try row.checkDescribed(parts)
        if !options.joinsUnlike { try row.check(parts) }
        rows.append(row)
        leftOutTracks -= row.tracks.count { $0 != nil }
      }
    }
    guard !rows.isEmpty else { throw MP4Error(.nothingToWrite, file: parts[0].reader.source.name) }
    for (kind, type) in [(Track.Kind.video, MediaType.video), (.audio, .audio)] where !options.joinsUnlike {
      let isElsewhere = all.contains { $0.contains { $0.kind == kind } }
      guard isElsewhere, !rows.contains(where: { $0.kind == kind }) else { continue }
      throw JoinError.missingTrack(type, file: parts[0].reader.source.name)
    }
    return rows
  }

  private func chapters(of parts: [MP4Demuxer], _ titles: [String]) throws(MP4Error) -> [Chapter] {
    guard titles.isEmpty else { return zip(starts, titles).map { Chapter(start: $0, title: $1) } }
    var result: [Chapter] = []
    for (part, start) in zip(parts, starts) {
      result += try part.chapters().map { Chapter(start: start + $0.start, title: $0.title) }
    }
    return result
  }
}

/// What has to be the same in tracks of two parts for them to be joined.
private struct TrackMatch: Hashable {
  let kind: Track.Kind
  /// The codec of tracks that are neither seen nor heard.
  private let codec: FourCC?

  init(_ track: Track) {
    kind = track.kind
    codec = kind.isPresented ? nil : track.descriptions.first?.codec
  }

  /// Where its track goes in the output.
  var rank: Int {
    switch kind {
    case .video: 0
    case .audio: 1
    case .text: 2
    default: 3
    }
  }

  /// Hints say where in the file the samples of others are.
  var canBeJoined: Bool { kind != .hint }
}

/// Tracks of the parts that become one.
struct JoinRow {
  let kind: Track.Kind
  /// One for each part; `nil` where there is none.
  let tracks: [Track?]

  /// Whether it is for people, and so decides how long a part is: programs may describe more than is seen.
  var isPresented: Bool { kind.isPresented }

  /// The first of them.
  var first: Track { tracks.lazy.compactMap { $0 }.first ?? Track(id: 0, kind: kind, timescale: 1) }

  /// The least timescale in which the times of all of them are whole; the first one's if that would be too fine.
  var timescale: UInt32 {
    let timescales = tracks.compactMap { $0?.timescale }
    return .leastCommonMultiple(of: timescales, limit: JoinRow.finestTimescale) ?? first.timescale
  }

  /// Finer ticks would let a day exceed what tables hold.
  private static let finestTimescale: UInt32 = 10_000_000

  /// Makes sure that no track is encrypted.
  ///
  /// - Throws: `JoinError` `.encrypted`.
  func checkClear(_ parts: [MP4Demuxer]) throws(JoinError) {
    for (track, part) in zip(tracks, parts) {
      guard let track, track.descriptions.contains(where: { $0.protection != nil }) else { continue }
      throw .encrypted(track: track.id, file: part.reader.source.name)
    }
  }

  /// Makes sure that all tracks say what their samples are.
  ///
  /// - Throws: `MP4Error` `.noDescription`.
  func checkDescribed(_ parts: [MP4Demuxer]) throws(MP4Error) {
    for (track, part) in zip(tracks, parts) {
      guard let track, !MP4Muxer.canDescribe(track) else { continue }
      throw MP4Error(.noDescription, file: part.reader.source.name, trackID: track.id)
    }
  }

  /// Makes sure that players can follow from part to part.
  ///
  /// - Throws: `JoinError` `.missingTrack`, `.unlike`.
  func check(_ parts: [MP4Demuxer]) throws(JoinError) {
    for (track, part) in zip(tracks, parts) {
      guard let track else {
        // Without subtitles or metadata, there is nothing to show.
        guard kind == .video || kind == .audio else { continue }
        throw .missingTrack(kind == .video ? .video : .audio, file: part.reader.source.name)
      }
      if let difference = track.difference(from: first) {
        throw .unlike(difference, track: track.id, file: part.reader.source.name)
      }
    }
  }
}

extension Track {
  /// What a player would have to follow from another track to this one: `H.265, not H.264`; `nil` if nothing.
  fileprivate func difference(from other: Track) -> String? {
    guard let mine = descriptions.first, let first = other.descriptions.first else { return nil }
    if mine.codec != first.codec { return "\(mine.codecName), not \(first.codecName)" }
    if let size = videoFormat, let old = other.videoFormat, (size.width, size.height) != (old.width, old.height) {
      return "\(size.width) x \(size.height) pixels, not \(old.width) x \(old.height)"
    }
    if let format = audioFormat, let old = other.audioFormat {
      if format.sampleRate != old.sampleRate {
        return "\(Int(clamping: Int64(format.sampleRate))) Hz, not \(Int(clamping: Int64(old.sampleRate))) Hz"
      }
      if format.channels != old.channels {
        return "\(AudioFormat.channelText(format.channels)), not \(AudioFormat.channelText(old.channels))"
      }
    }
    if transform != other.transform { return "rotated differently, not" }
    return nil
  }
}

extension [MP4Demuxer] {
  /// Whether all of them are QuickTime, and so is what they are joined to: it has other sample entries and handlers.
  var areQuickTime: Bool { allSatisfy { $0.brands.major == "qt  " } }
}

extension MP4Demuxer {
  /// The tracks that are to be joined. Chapters, whose titles and pictures are in tracks, are joined apart.
  fileprivate func joinableTracks(_ selection: TrackSelection) -> [Track] {
    let titles = Set(tracks.flatMap { $0.references["chap"] ?? [] })
    return tracks.filter { !titles.contains($0.id) && $0.sampleCount > 0 && selection.contains($0) }
  }
}

extension Track.Kind {
  /// Whether a track is seen, heard or read.
  fileprivate var isPresented: Bool { [.video, .audio, .text].contains(self) }
}
