internal import ISOBMFF
internal import MediaCore

extension MP4Demuxer {
  /// The chapters of the movie: from the track that another one references as its chapters (QuickTime), or otherwise
  /// from the list in the movie header (Nero). Where both exist they agree.
  ///
  /// A chapter track holds a text sample for each chapter, which begins when the sample is shown. Of a damaged track,
  /// the intact part is used, unless the list has more chapters.
  ///
  /// - Throws: `MP4Error` `.source` if reading fails.
  public func chapters() throws(MP4Error) -> [Chapter] {
    let ids = tracks.compactMap { $0.references["chap"] }.joined()
    // The other chapter track, if there are two, holds images.
    guard let track = ids.lazy.compactMap({ track(id: $0) }).first(where: { $0.kind == .text }), !isExternal(track)
    else {
      return metadata.listedChapters
    }
    let (chapters, isWhole) = try chapters(in: track)
    let listed = metadata.listedChapters
    return !listed.isEmpty && (chapters.isEmpty || (!isWhole && listed.count >= chapters.count)) ? listed : chapters
  }

  /// The chapters of a track, and whether they include all of its samples.
  private func chapters(in track: Track) throws(MP4Error) -> (chapters: [Chapter], isWhole: Bool) {
    var chapters: [Chapter] = []
    var samples = self.samples(of: track)
    var isWhole = true
    var (samplesRead, titleSize) = (0, 0)
    let delay = track.delay
    do throws(MP4Error) {
      while samplesRead < Self.maximumChapters, titleSize < Self.maximumTitleSize, let sample = try samples.next() {
        samplesRead += 1
        let (time, overflow) = sample.timing.presentationTime.addingReportingOverflow(delay)
        let start = MediaTime(value: overflow ? sample.timing.presentationTime : time, timescale: track.timescale)
        guard let title = try title(sample) else {
          isWhole = false
          continue
        }
        titleSize += title.utf8.count
        chapters.append(Chapter(start: start, title: title))
      }
    } catch {
      // Damage at the end does not affect what precedes it.
      if case .source = error.code { throw error }
      isWhole = false
    }
    return (chapters, isWhole)
  }

  /// More chapters than any book has: a damaged file could claim millions.
  private static let maximumChapters = 10_000
  /// The most bytes of all titles together: samples may overlap, so the file's size does not bound them.
  private static let maximumTitleSize = 4 << 20

  /// A text sample: a 16-bit length, text in UTF-8 or UTF-16, then boxes for style.
  ///
  /// - Returns: `nil` where the sample is shorter than it says.
  private func title(_ sample: EncodedSample) throws(MP4Error) -> String? {
    do throws(SourceError) {
      // Nothing after the longest possible text is read: only the file's size bounds a sample's.
      var head = sample.payload
      if case .range(let reader, let offset, let count) = head {
        head = .range(reader, offset: offset, count: min(count, 2 + Int(UInt16.max)))
      }
      let bytes = try head.load()
      guard bytes.count >= 2 else { return nil }
      let length = Int(bytes.span.bigEndian(at: 0, as: UInt16.self))
      guard length <= bytes.count - 2 else { return nil }
      return BoxText(bytes: Array(bytes.dropFirst(2).prefix(length))).text
    } catch {
      throw MP4Error(error)
    }
  }
}

extension Track {
  /// How much later than media time 0 the presentation shows it, in ticks of the track, according to the first edits.
  fileprivate var delay: Int64 {
    let empty = edits.delay.reduce(0 as Int128) { $0 + Int128($1.duration.value) }
    let scale = Int128(edits.first?.duration.timescale ?? 1)
    let begin = edits.firstShown?.mediaTime?.value ?? 0
    return Int64(clamping: (empty * Int128(timescale) + scale / 2) / scale - Int128(begin))
  }
}
