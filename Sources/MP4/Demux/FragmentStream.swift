internal import ISOBMFF
package import MediaCore

/// A movie in fragments whose bytes come once, in order, as through a pipe: its header is known, and nothing else.
///
/// `MP4Demuxer` looks for all fragments before it delivers a sample, which an endless movie never lets it do.
package struct StreamedMovie: Sendable {
  /// The movie as its header describes it. Its tracks have no samples.
  package let movie: MP4Demuxer
  private let reader: SourceReader
  /// Where the header ends.
  private let end: UInt64

  /// The movie header must be within so many bytes from the beginning: pipes keep some megabytes for readers that go
  /// back.
  private static let longestBeginning: UInt64 = 1 << 20

  /// Reads the header of a movie, and waits for it.
  ///
  /// - Returns: `nil` if it is not followed by fragments, or by something else first: such a movie has to be read whole.
  /// - Throws: `MP4Error` `.source`.
  package init?(_ reader: SourceReader) throws(MP4Error) {
    self.reader = reader
    var offset: UInt64 = 0
    while let header = try reader.boxHeader(at: offset), header.end <= StreamedMovie.longestBeginning {
      switch header.type {
      case "moof", "mdat": return nil
      case "moov":
        let bytes = try reader.loaded(at: 0, count: Int(header.end))
        let source = MemorySource(bytes, name: reader.source.name)
        guard let movie = try? MP4Demuxer(source: source), movie.moov.first("mvex") != nil,
          movie.tracks.allSatisfy({ $0.sampleCount == 0 })
        else { return nil }
        (self.movie, end) = (movie, header.end)
        return
      default: offset = header.end
      }
    }
    return nil
  }

  /// The packets of one of its tracks.
  package func packets(of track: Track) -> FragmentStream {
    FragmentStream(reader, track, FragmentDefaults.byTrack(in: movie.moov), from: end)
  }
}

/// The packets of a track of a movie in fragments, read from beginning to end: each as soon as it is there.
package struct FragmentStream: Sendable {
  /// Where the bytes come from.
  package let source: SourceReader
  /// The track, as the movie header describes it.
  package let track: Track
  /// Bytes missing from the last box or sample, if the source ends inside it, once `next()` has returned `nil`.
  package private(set) var missingBytes: UInt64 = 0
  private let defaults: FragmentDefaults
  /// Where the next box at the top level begins; `.max` at the end.
  private var offset: UInt64
  /// The samples of the current fragment.
  private var samples: FragmentCursor?
  /// What is wrong with the current fragment after these.
  private var defect: MP4Error?
  /// Reads the headers of fragments.
  private var fragments: MovieFragmentReader
  /// Bytes of all samples so far, and where the last of them ends: samples that share bytes could be more than a source
  /// can hold.
  private var deliveredBytes: UInt64 = 0
  private var reached: UInt64

  /// The longest header of a fragment that is read, in bytes: an hour of sound takes less than one megabyte.
  private static let longestHeader: UInt64 = 16 << 20
  /// More than any packet of sound has, in bytes; a decoder finds the rest missing.
  private static let longestSample = 16 << 20

  /// - Parameter defaults: those of all tracks, as data of one may begin where that of another one ends.
  fileprivate init(
    _ source: SourceReader, _ track: Track, _ defaults: [UInt32: FragmentDefaults], from offset: UInt64
  ) {
    (self.source, self.track, self.offset, reached) = (source, track, offset, offset)
    self.defaults = defaults[track.id] ?? FragmentDefaults(nil)
    fragments = MovieFragmentReader(defaults: defaults, mediaSize: .max >> 1)
    fragments.describe(track.id, startingAt: MovieFragmentReader.Start())
  }

  /// The next packet, or `nil` at the end.
  ///
  /// - Throws: `MP4Error`: `.box` for a damaged fragment, after its last whole sample; `.overlappingSamples`; `.source`,
  ///   also for a sample so far before the others that a pipe no longer has it.
  package mutating func next() throws(MP4Error) -> EncodedSample? {
    while true {
      if let record = try samples?.next() { return try packet(record) }
      if let defect { throw defect }
      guard try readFragment() else { return nil }
    }
  }

  private mutating func packet(_ record: SampleRecord) throws(MP4Error) -> EncodedSample? {
    let size = min(record.size, FragmentStream.longestSample)
    let bytes = try source.loaded(at: record.offset, count: size)
    guard bytes.count == size else { return end(missing: UInt64(record.size - bytes.count)) }
    // A sample of no bytes counts as one: its fragment may have any number of them.
    deliveredBytes &+= UInt64(max(size, 1))
    if size > 0 { reached = max(reached, record.offset &+ UInt64(size)) }
    let limit = reached &+ MovieFragmentReader.maximumEmptySamples
    guard deliveredBytes <= limit else { throw failure(.overlappingSamples(limit: limit)) }
    let timing = SampleTiming(
      decodeTime: record.decodeTime, presentationTime: record.presentationTime, duration: record.duration,
      timescale: track.timescale)
    return EncodedSample(
      trackID: track.id, timing: timing, isSync: record.isSync, descriptionIndex: record.descriptionIndex,
      payload: .bytes(bytes[...]))
  }

  private mutating func end(missing: UInt64 = 0) -> EncodedSample? {
    (offset, samples, missingBytes) = (.max, nil, missing)
    return nil
  }

  /// Reads on to the next fragment with samples of the track.
  ///
  /// - Returns: whether there is one.
  private mutating func readFragment() throws(MP4Error) -> Bool {
    while let box = try source.boxHeader(at: offset) {
      offset = box.end
      guard box.type == "moof" else { continue }
      guard box.payloadSize <= FragmentStream.longestHeader else {
        throw failure(.box(BoxError(.tooManyBoxes, path: "moof", offset: box.offset)))
      }
      let payload = try source.loaded(at: box.payloadOffset, count: Int(box.payloadSize))
      guard payload.count == Int(box.payloadSize) else {
        return end(missing: box.payloadSize - UInt64(payload.count)) != nil
      }
      // Before the samples, as they may be so far into the media that a pipe no longer has its header.
      if let media = try source.boxHeader(at: offset), media.type == "mdat" { offset = media.end }
      fragments.add(box, payload: payload[...])
      defect = fragments.defect.map { failure(.box($0)) }
      guard let list = fragments.takeFragments(of: track.id) else {
        if let defect { throw defect }
        continue
      }
      let header = LoadedBytes(payload, from: box.payloadOffset, name: source.source.name)
      samples = FragmentCursor(list, defaults: defaults, reader: SourceReader(header))
      return true
    }
    return end() != nil
  }

  private func failure(_ code: MP4Error.Code) -> MP4Error {
    MP4Error(code, file: source.source.name, trackID: track.id)
  }
}

extension SourceReader {
  /// The header of the box at an offset, or `nil` at the end.
  fileprivate func boxHeader(at offset: UInt64) throws(MP4Error) -> BoxHeader? {
    guard offset < size else { return nil }
    return BoxHeader(try loaded(at: offset, count: BoxHeader.maximumSize)[...], at: offset, limit: size)
  }

  /// Bytes of a source; fewer than asked for only where it ends.
  fileprivate func loaded(at offset: UInt64, count: Int) throws(MP4Error) -> [UInt8] {
    do throws(SourceError) {
      return try bytes(at: offset, count: count)
    } catch {
      throw MP4Error(error)
    }
  }
}

/// A part of a source that was read into memory, at its offsets in the source.
private struct LoadedBytes: ByteSource {
  private let bytes: [UInt8]
  private let start: UInt64
  let name: String

  init(_ bytes: [UInt8], from start: UInt64, name: String) {
    (self.bytes, self.start, self.name) = (bytes, start, name)
  }

  var size: UInt64 { start + UInt64(bytes.count) }

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    guard offset >= start, offset < size else { return 0 }
    let from = Int(offset - start)
    let count = min(buffer.count, bytes.count - from)
    // The buffer has room for the count.
    unsafe buffer.copyBytes(from: bytes[from..<(from + count)])
    return count
  }

  /// Nothing to do.
  func reopen() {}
}
