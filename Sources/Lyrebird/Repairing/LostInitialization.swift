internal import ISOBMFF
internal import MP4
internal import MediaCore

/// A movie in fragments that lost its beginning: each fragment still has its own index, but nothing says how the
/// samples are coded. The movie header of a pattern does.
enum LostInitialization {
  /// How far a fragment is searched.
  private static let searched: UInt64 = 64 << 20
  /// Samples of each track that are read, to see whether they are like those of the pattern.
  private static let checked = 32

  /// The file with the pattern's beginning.
  ///
  /// - Returns: `nil` if the file has no fragments, the pattern is none of fragments, or their samples differ.
  /// - Throws: `SourceError`, `MP4Error` `.source` if reading fails.
  static func restored(_ reader: SourceReader, like pattern: MP4Demuxer) throws -> SourceReader? {
    guard pattern.layout == .fragmented, pattern.moov.children.contains(where: { $0.type == "mvex" }),
      let fragment = try reader.box("moof", beginningWith: "mfhd", last: false, limit: searched)
    else { return nil }
    let moov = pattern.moov.header
    // What precedes the first fragment belongs to one whose index is lost. It goes into an `mdat` that no index uses.
    var head = try pattern.reader.bytes(at: moov.offset, count: Int(clamping: moov.end - moov.offset))
    if fragment.lowerBound > 0 {
      head += BoxHeader(type: "mdat", sizeForm: .large).written(payloadSize: fragment.lowerBound)
    }
    let source = RestoredSource(head: head, rest: reader, at: UInt64(head.count))
    let whole = SourceReader(source)
    guard let movie = try? MP4Demuxer(reader: whole) else { return nil }
    var check = SampleCheck(whole, try Pattern(movie))
    var (right, wrong) = (0, 0)
    for track in movie.tracks where check.canCheck(track.id) {
      var samples = movie.samples(of: track)
      for _ in 0..<checked {
        guard let record = try? samples.nextRecord() else { break }
        if try check.holds(track.id, at: record.offset, size: record.size) { right += 1 } else { wrong += 1 }
      }
    }
    return right > 0 && wrong * 8 <= right ? whole : nil
  }
}
