internal import ISOBMFF
internal import MediaCore

/// A planned output as a source, so that it can be read and checked before it replaces anything.
struct PlannedSource: ByteSource {
  let name: String
  let size: UInt64
  private let pieces: [OutputPlan.Piece]
  /// Where each piece begins.
  private let starts: [UInt64]

  init(_ plan: OutputPlan, name: String) {
    self.name = name
    size = plan.count
    pieces = plan.pieces
    var start: UInt64 = 0
    var starts: [UInt64] = []
    for piece in plan.pieces {
      starts.append(start)
      start += piece.count
    }
    self.starts = starts
  }

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    guard let (piece, inside) = piece(at: offset) else { return 0 }
    let count = Int(min(UInt64(buffer.count), piece.count - inside))
    // The count is at most that of the buffer and of the piece.
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    switch piece {
    case .bytes(let bytes):
      unsafe target.copyBytes(from: bytes[Int(inside)..<(Int(inside) + count)])
      return count
    case .range(let reader, let start, _): return try unsafe reader.read(at: start + inside, into: target)
    }
  }

  func reopen() throws(SourceError) {}

  /// The offset of these bytes in the movie that the plan was made from; `nil` if they are generated, or not contiguous
  /// there.
  func origin(of offset: UInt64, count: UInt64) -> UInt64? {
    guard case (.range(_, let start, let length), let inside)? = piece(at: offset), count <= length - inside else {
      return nil
    }
    return start + inside
  }

  /// What a range consists of.
  func pieces(of range: Range<UInt64>) -> [OutputPlan.Piece] {
    var result: [OutputPlan.Piece] = []
    var offset = range.lowerBound
    while offset < range.upperBound, let (piece, inside) = piece(at: offset) {
      let count = min(piece.count - inside, range.upperBound - offset)
      switch piece {
      case .bytes(let bytes): result.append(.bytes(Array(bytes[Int(inside)..<Int(inside + count)])))
      case .range(let reader, let start, _):
        result.append(.range(reader, offset: start + inside, count: count))
      }
      offset += count
    }
    return result
  }

  private func piece(at offset: UInt64) -> (OutputPlan.Piece, inside: UInt64)? {
    guard offset < size else { return nil }
    let number = starts.partitionPoint { $0 <= offset } - 1
    return (pieces[number], offset - starts[number])
  }
}

extension OutputPlan.Piece {
  fileprivate var count: UInt64 {
    switch self {
    case .bytes(let bytes): UInt64(bytes.count)
    case .range(_, _, let count): count
    }
  }
}

extension OutputPlan {
  /// Checks that a reader of the output finds each sample of a movie, at the same time and with the same bytes.
  ///
  /// - Parameter mayBeDamaged: whether a track may end in an error, if it does so in the output too.
  /// - Throws: `MP4Error` `.cannotBeCarriedOver` if not; what is wrong with the movie.
  func checkSamples(of movie: MP4Demuxer, limits: BoxLimits, mayBeDamaged: Bool = false) throws(MP4Error) {
    let source = PlannedSource(self, name: movie.reader.source.name)
    let lost = MP4Error(.cannotBeCarriedOver, file: source.name)
    let copy: MP4Demuxer
    do throws(MP4Error) { copy = try MP4Demuxer(source: source, limits: limits) } catch {
      if case .source = error.code { throw error }
      throw lost
    }
    guard copy.tracks.count == movie.tracks.count else { throw lost }
    for (track, copied) in zip(movie.movieTracks, copy.movieTracks) {
      var (samples, copies) = (track.samples(), copied.samples())
      while let sample = try samples.nextRecord(orEnd: mayBeDamaged) {
        let found: SampleRecord?
        do throws(MP4Error) { found = try copies.nextRecord() } catch {
          if case .source = error.code { throw error }
          throw lost
        }
        guard var found else { throw lost }
        // Bytes that are contiguous in the movie are one piece of the plan. What is beyond its end stays there.
        if found.size > 0, source.origin(of: found.offset, count: UInt64(found.size)) != sample.offset {
          guard mayBeDamaged, sample.reaches(beyond: movie.reader.size), found.reaches(beyond: count) else {
            throw lost
          }
        }
        found.offset = sample.offset
        guard found == sample else { throw lost }
      }
      let end: SampleRecord?
      do throws(MP4Error) { end = try copies.nextRecord() } catch {
        if case .source = error.code { throw error }
        guard samples.state == .failed else { throw lost }
        continue
      }
      guard end == nil, samples.state != .failed else { throw lost }
    }
  }
}

extension SampleRecord {
  /// Whether a file of this size ends before the sample does.
  fileprivate func reaches(beyond size: UInt64) -> Bool {
    offset > size || UInt64(self.size) > size - offset
  }
}

extension SampleReader {
  /// The next sample; `nil` at the end, or where the track is damaged, if that counts as its end.
  fileprivate mutating func nextRecord(orEnd mayBeDamaged: Bool) throws(MP4Error) -> SampleRecord? {
    do throws(MP4Error) {
      return try nextRecord()
    } catch {
      if case .source = error.code { throw error }
      guard mayBeDamaged else { throw error }
      return nil
    }
  }
}
