internal import AAC
internal import MP4
internal import MediaCore

/// The packets of a track, from a movie or an ADTS stream alike: the position of each, and its bytes on request.
struct PacketSource {
  // One of the two is set. They are modified in place, as copying a reader for each packet takes longer than reading.
  private var samples: SampleReader?
  /// The stream as far as it was read.
  private(set) var stream: ADTSReader?
  /// The stream from its start.
  private let first: ADTSReader?
  /// Number of the packet that comes next.
  private(set) var number: UInt64 = 0
  /// Whether reading a stream failed, so that its position is no longer known.
  private var hasFailed = false
  private let window: PacketWindow
  private let movie: MP4Demuxer?

  /// The name of the file in messages.
  var file: String { window.reader.source.name }

  init(_ movie: MP4Demuxer, _ track: Track) {
    self.movie = movie
    samples = movie.samples(of: track)
    first = nil
    window = PacketWindow(movie.reader)
  }

  init(_ stream: ADTSReader) {
    movie = nil
    self.stream = stream
    first = stream
    window = PacketWindow(stream.source)
  }

  /// Checks that the file was not changed since it was opened.
  func checkUnchanged() throws(AudioDecodingError) {
    do throws(MP4Error) { try movie?.checkUnchanged() } catch { throw .movie(error) }
    do throws(AACError) { try stream?.checkUnchanged() } catch { throw .aac(error) }
  }

  /// The next packet, or `nil` at the end.
  mutating func next() throws(AudioDecodingError) -> EncodedSample? {
    guard let packet = try samples == nil ? nextOfStream() : nextOfMovie() else { return nil }
    number += 1
    return packet
  }

  private mutating func nextOfMovie() throws(AudioDecodingError) -> EncodedSample? {
    do { return try samples?.next() } catch { throw .movie(error) }
  }

  private mutating func nextOfStream() throws(AudioDecodingError) -> EncodedSample? {
    do {
      return try stream?.next()
    } catch {
      hasFailed = true
      throw .aac(error)
    }
  }

  /// Packets that may be in one: several only in ADTS frames that could not be separated.
  func blocks(of packet: EncodedSample) -> Int {
    samples == nil ? Int(clamping: packet.timing.duration / 1024) : 1
  }

  /// Seeks to a packet; in a stream, which has no index, through all packets before it.
  mutating func seek(to target: UInt64, unless isBrokenOff: () -> Bool) throws(AudioDecodingError) {
    if samples != nil {
      do { try samples?.seek(toSample: target) } catch { throw .movie(error) }
      number = target
    } else {
      if target < number || hasFailed { (stream, number, hasFailed) = (first, 0, false) }
      while number < target, !isBrokenOff(), try next() != nil {}
    }
  }

  /// Lends a packet's bytes: `body` cannot keep them, and reads no other packet meanwhile.
  func withBytes<Result>(
    _ packet: EncodedSample, _ body: (RawSpan) throws(AACError) -> Result
  ) throws(AudioDecodingError) -> Result {
    do {
      return try unsafe body(try window.bytes(packet).bytes)
    } catch {
      throw .aac(error.located(in: file))
    }
  }
}

/// A stretch of a source in memory, read ahead: packets of sound are a few hundred bytes long, and adjacent.
private final class PacketWindow {
  let reader: SourceReader
  private var memory = WorkBuffer(count: PacketWindow.capacity)
  private var start: UInt64 = 0
  private var count = 0

  /// Enough to make system calls rare, and in movies not much more than the sound between two stretches of video.
  private static let capacity = 64 << 10

  init(_ reader: SourceReader) {
    self.reader = reader
  }

  /// The bytes of a packet, valid until the next call.
  func bytes(_ packet: EncodedSample) throws(AACError) -> UnsafeRawBufferPointer {
    // Readers of movies and of streams deliver offsets, never bytes.
    guard case .range(_, let offset, let length) = packet.payload else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    let isInside = offset >= start && offset - start <= UInt64(count) && length <= count - Int(offset - start)
    if !isInside { try move(to: offset, count: length) }
    let low = Int(offset - start)
    // These bytes were read, by this call or an earlier one.
    return unsafe UnsafeRawBufferPointer(memory[low..<(low + length)])
  }

  private func move(to offset: UInt64, count length: Int) throws(AACError) {
    // A packet was checked to lie within its file, so it is no longer than that.
    if length > memory.count { memory = WorkBuffer(count: length) }
    (start, count) = (offset, 0)
    // In a stream, what follows the packet may not arrive for a long time.
    let wanted = reader.size == .max ? length : memory.count
    do throws(SourceError) {
      count = try unsafe reader.read(at: offset, into: memory[0..<wanted])
      guard count >= length else {
        throw SourceError(.endedEarly, name: reader.source.name, offset: offset + UInt64(count))
      }
    } catch {
      throw AACError(.source(error))
    }
  }
}
