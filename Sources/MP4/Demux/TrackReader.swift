internal import ISOBMFF
internal import MediaCore

/// Reads the description of a track from its `trak` box.
struct TrackReader {
  private(set) var track: Track
  private let movieTimescale: UInt32

  /// - Throws: `MP4Error` `.source`.
  init(_ trak: BoxNode, index: SampleIndex, movieTimescale: UInt32) throws(MP4Error) {
    self.movieTimescale = movieTimescale
    let header = trak.child("tkhd", as: TrackHeaderBox.self)
    let mdia = trak.first("mdia")
    let media = mdia?.child("mdhd", as: MediaHeaderBox.self)
    let handler = mdia?.child("hdlr", as: HandlerBox.self)
    let type = handler?.handlerType ?? "????"
    track = Track(id: header?.trackID ?? 0, kind: Track.Kind(handler: type), timescale: media?.timescale ?? 0)
    track.handler = type
    // The fragments' count includes the samples in the movie header.
    track.sampleCount = index.fragments?.sampleCount ?? index.table.sampleCount
    if let header {
      track.isEnabled = header.versionAndFlags.flags & TrackHeaderBox.isEnabledFlag != 0
      track.alternateGroup = header.alternateGroup
      track.transform = header.matrix.transform
      track.size = Track.Size(width: Double(header.width) / 65536, height: Double(header.height) / 65536)
    }
    let extended = mdia?.child("elng", as: ExtendedLanguageBox.self)?.extendedLanguage.text
    track.language = extended ?? media?.languageCode ?? "und"
    track.name = TrackReader.name(trak, handler: handler)
    track.descriptions = SampleDescriptionReader.descriptions(in: mdia?.first("minf", "stbl", "stsd"))
    for node in trak.first("tref")?.children ?? [] {
      track.references[node.type] = node.box(as: TrackReferenceTypeBox.self)?.trackIDs.entries
    }
    track.edits = edits(trak)
    track.mediaDuration = try mediaDuration(media, index)
    track.duration = presentationDuration(index)
  }

  private static func name(_ trak: BoxNode, handler: HandlerBox?) -> String? {
    if let node = trak.first("udta", "name") {
      let text = String(decoding: node.payload.prefix { $0 != 0 }, as: UTF8.self)
      if !text.isEmpty { return text }
    }
    let text = handler?.nameText ?? ""
    return text.isEmpty ? nil : text
  }

  private func edits(_ trak: BoxNode) -> [Edit] {
    guard let list = trak.first("edts")?.child("elst", as: EditListBox.self) else { return [] }
    return list.edits.map { edit in
      Edit(
        duration: MediaTime(value: Int64(clamping: edit.segmentDuration), timescale: movieTimescale),
        mediaTime: edit.mediaTime < 0 ? nil : MediaTime(value: edit.mediaTime, timescale: track.timescale),
        rate: Double(edit.mediaRate) / 65536)
    }
  }

  private func mediaDuration(_ media: MediaHeaderBox?, _ index: SampleIndex) throws(MP4Error) -> MediaTime {
    if let fragments = index.fragments, !fragments.entries.isEmpty {
      let length = fragments.endTime.subtractingReportingOverflow(fragments.firstTime ?? 0)
      return MediaTime(value: length.overflow ? 0 : max(length.partialValue, 0), timescale: track.timescale)
    }
    // All ones, in either width, means that the length is not known; and so does 0 where there are samples.
    let claimed = media?.duration ?? 0
    let isKnown = claimed != UInt64(UInt32.max) && claimed != .max && (claimed > 0 || index.table.sampleCount == 0)
    let ticks = if isKnown { Int64(clamping: claimed) } else { try lengthOfSamples(index) }
    return MediaTime(value: ticks, timescale: track.timescale)
  }

  private func lengthOfSamples(_ index: SampleIndex) throws(MP4Error) -> Int64 {
    guard let times = index.table.timeToSample else { return 0 }
    var cursor = RunCursor(times, repeatsLast: true)
    return max(try cursor.skip(index.table.sampleCount) ?? 0, 0)
  }

  private func presentationDuration(_ index: SampleIndex) -> MediaTime {
    var media = 0..<max(track.mediaDuration.value, 0)
    if let fragments = index.fragments, let first = fragments.firstTime, let end = fragments.lastShownEnd {
      media = first..<max(first, end)
    }
    return EditList(track.edits, media: media, timescale: track.timescale).duration ?? track.mediaDuration
  }
}

extension Track.Kind {
  /// The kind of media for a handler type.
  init(handler: FourCC) {
    self =
      switch handler {
      case "soun": .audio
      case "vide", "auxv": .video
      case "text", "sbtl", "subt", "clcp", "subp": .text
      case "tmcd": .timecode
      case "meta": .metadata
      case "hint": .hint
      default: .other(handler)
      }
  }
}
