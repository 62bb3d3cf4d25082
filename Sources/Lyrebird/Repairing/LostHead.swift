internal import ISOBMFF
internal import MP4
internal import MediaCore

/// The index of a movie that lost its first bytes: only its file offsets are wrong, all by the same number. Or the
/// first bytes are there, but so damaged that nothing leads to the index: then even the offsets are right.
///
/// The index follows the media. So it began where it says that the media ends, unless something lay between the two,
/// and how much earlier it begins now tells how many bytes are missing. Reading samples shows whether that number is
/// right: they have to end where their sizes say.
struct LostHead {
  /// The movie as its index describes it. Its reader has no media.
  let movie: MP4Demuxer
  /// How many bytes are missing at the beginning of the file.
  let bytes: UInt64

  /// Where the remaining bytes begin in the source that the index is read from: beyond any offset it may hold.
  private static let start: UInt64 = 1 << 40
  /// How far from either end of the file an index is searched: that of a day of recording has some 20 MiB.
  private static let searched: UInt64 = 64 << 20
  /// The most bytes between the media and the index.
  private static let mostBetween: UInt64 = 1 << 16
  /// After this many reads the search is given up: each number that is tried normally takes one or two.
  private static let mostReads = 1 << 18
  /// Samples of each track that are read, the last ones.
  private static let checked = 32
  private static let maximumTracks = 64
  /// An index with a longer track is not believed: a day of film has five million samples, but a few bytes can claim
  /// four billion.
  private static let mostSamples = 1 << 24

  /// Looks for an index at the end of a source.
  ///
  /// - Returns: `nil` if there is none, or if no sample lies where it says.
  /// - Throws: `SourceError`, `MP4Error` `.source` if reading fails.
  init?(_ reader: SourceReader) throws {
    guard let box = try LostHead.index(in: reader) else { return nil }
    // All before the index is taken for media.
    let header = BoxHeader(type: "mdat", sizeForm: .large)
    let head = header.written(payloadSize: LostHead.start + box.lowerBound - 16)
    let source = RestoredSource(head: head, rest: reader, at: LostHead.start)
    guard let movie = try? MP4Demuxer(source: source) else { return nil }
    var samples: [UInt32: [SampleRecord]] = [:]
    var end: UInt64 = 0
    for track in movie.tracks.prefix(LostHead.maximumTracks) where !movie.isExternal(track) {
      guard let last = try LostHead.last(movie.samples(of: track), reader, end: &end) else { return nil }
      samples[track.id] = last
    }
    var check = SampleCheck(reader, try Pattern(movie))
    self.movie = movie
    if try LostHead.fits(samples, &check, lost: 0, isUsual: false) {
      bytes = 0
      return
    }
    let least = end - min(end, box.lowerBound)
    guard least <= .max - LostHead.mostBetween else { return nil }
    var between: UInt64 = 0
    while try !LostHead.fits(samples, &check, lost: least + between, isUsual: between == 0) {
      between += 1
      guard between <= LostHead.mostBetween, check.work < LostHead.mostReads else { return nil }
    }
    bytes = least + between
  }

  /// The last index of a file, which a recorder wrote, or the first one, which lies in front of much media.
  private static func index(in reader: SourceReader) throws(SourceError) -> Range<UInt64>? {
    if let box = try reader.box("moov", beginningWith: "mvhd", last: true, limit: searched) { return box }
    return try reader.box("moov", beginningWith: "mvhd", last: false, limit: searched)
  }

  /// The last samples of a track.
  ///
  /// - Parameter end: raised to where the last byte of any sample lies.
  /// - Returns: `nil` if there are more than can be believed.
  private static func last(
    _ samples: SampleReader, _ reader: SourceReader, end: inout UInt64
  ) throws -> [SampleRecord]? {
    var samples = samples
    var (ring, count): ([SampleRecord], Int) = ([], 0)
    do throws(MP4Error) {
      while let record = try samples.nextRecord() {
        end = max(end, record.offset.addingReportingOverflow(UInt64(record.size)).partialValue)
        if ring.count < checked { ring.append(record) } else { ring[count % checked] = record }
        count += 1
        guard count <= mostSamples else { return nil }
        if count.isMultiple(of: 1 << 16) {
          do { try reader.checkCancellation() } catch { throw MP4Error(.source(error), file: reader.source.name) }
        }
      }
    } catch {
      if case .source = error.code { throw error }
    }
    return ring
  }

  /// Whether samples lie where they should if so many bytes are missing.
  ///
  /// - Parameter isUsual: whether samples that cannot be checked are believed.
  private static func fits(
    _ samples: [UInt32: [SampleRecord]], _ check: inout SampleCheck, lost: UInt64, isUsual: Bool
  ) throws(SourceError) -> Bool {
    var (right, wrong) = (0, 0)
    for (track, records) in samples where check.canCheck(track) {
      for record in records where record.offset >= lost {
        if try check.holds(track, at: record.offset - lost, size: record.size) { right += 1 } else { wrong += 1 }
        // Few files have a sample that is not as the standard says.
        if wrong > 2, wrong * 8 > right { return false }
      }
    }
    return right > 0 ? wrong * 8 <= right : isUsual && wrong == 0
  }
}
