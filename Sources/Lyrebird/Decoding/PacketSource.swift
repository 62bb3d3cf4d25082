internal import AAC
internal import MP4
internal import MediaCore

/// The packets of a track, from a movie or a stream alike: the position of each, and its bytes on request.
///
/// A class: a structure would be copied each time its owner lends the bytes of a packet, and all its references
/// counted.
final class PacketSource {
  /// Where a packet lies.
  struct Packet {
    /// Number of its first sample.
    var number: UInt64
    var offset: UInt64
    var size: Int
    var descriptionIndex: Int
    /// How many of its frames count: fewer only in the last packet of a movie.
    var frames = Int.max
    /// Packets that may be in it: several only in ADTS frames that could not be separated.
    var blocks = 1
  }

  /// More than any packet of sound has; a decoder finds the rest missing.
  private static let mostBytes = 16 << 20
  /// More than a sample of a channel takes in any codec: 64-bit floats.
  private static let mostSampleBytes: Int64 = 8
  /// More than the packets before a stretch of sound take.
  private static let mostPreRollBytes: Int64 = 64 << 10

  // One of the two is set. They are modified in place, as copying a reader for each packet takes longer than reading.
  private var packets: MoviePackets?
  /// The stream as far as it was read.
  private(set) var stream: PacketStream?
  /// The stream from its start.
  private let first: PacketStream?
  /// The packet of a stream that was delivered last.
  private var latest: EncodedSample?
  /// Its bytes, where streams deliver bytes rather than places.
  private var bytes: ArraySlice<UInt8>?
  /// Packets of the stream that were read.
  private var streamNumber: UInt64 = 0
  /// Frames of the stream's packets.
  private let framesPerPacket: Int64
  /// Whether reading a stream failed, so that its position is no longer known.
  private var hasFailed = false
  private let window: PacketWindow
  private let movie: MP4Demuxer?
  /// How many bytes the packets may have in all until the caller seeks again: they may overlap.
  private var allowance: PayloadAllowance?

  /// The name of the file in messages.
  var file: String { window.reader.source.name }

  /// Number of the packet that comes next.
  var number: UInt64 { packets?.number ?? streamNumber }

  init(_ movie: MP4Demuxer, _ track: Track, _ lengths: PacketLengths) {
    self.movie = movie
    allowance = PayloadAllowance(for: movie)
    packets = MoviePackets(movie, track, lengths)
    first = nil
    framesPerPacket = 1
    window = PacketWindow(movie.reader)
  }

  init(_ stream: PacketStream, framesPerPacket: Int) {
    movie = nil
    self.stream = stream
    first = stream
    self.framesPerPacket = Int64(max(framesPerPacket, 1))
    window = PacketWindow(stream.source)
  }

  /// Checks that the file was not changed since it was opened.
  func checkUnchanged() throws(AudioDecodingError) {
    do throws(MP4Error) { try movie?.checkUnchanged() } catch { throw .movie(error) }
    try stream?.checkUnchanged()
  }

  /// The next packet, or `nil` at the end.
  func next() throws(AudioDecodingError) -> Packet? {
    guard packets != nil else { return try nextOfStream() }
    do throws(MP4Error) {
      guard let record = try packets?.next() else { return nil }
      try allowance?.take(record.size)
      return Packet(
        number: record.number, offset: record.offset, size: record.size, descriptionIndex: record.descriptionIndex)
    } catch {
      throw .movie(error)
    }
  }

  private func nextOfStream() throws(AudioDecodingError) -> Packet? {
    do throws(AudioDecodingError) {
      guard let (packet, frames) = try stream?.next() else { return nil }
      streamNumber += 1
      latest = packet
      switch packet.payload {
      case .range(_, let offset, let size):
        return Packet(
          number: streamNumber - 1, offset: offset, size: size, descriptionIndex: packet.descriptionIndex,
          blocks: Int(clamping: packet.timing.duration / 1024))
      case .bytes(let payload):
        bytes = payload
        return Packet(
          number: streamNumber - 1, offset: 0, size: payload.count, descriptionIndex: packet.descriptionIndex,
          frames: frames)
      }
    } catch {
      hasFailed = true
      throw error
    }
  }

  /// Allows packets of any number of bytes to be read again, for a user who goes back and forth.
  func renewAllowance() {
    allowance = movie.map(PayloadAllowance.init(for:))
  }

  /// Allows as many bytes to be read again as a stretch of sound can have, and the packets before it: an edit list may
  /// repeat it any number of times, and each time costs the file a few bytes only.
  func renewAllowance(frames: Int64, channels: Int) {
    let (bytes, overflow) = frames.multipliedReportingOverflow(by: Int64(channels) * PacketSource.mostSampleBytes)
    allowance?.giveBack(UInt64(clamping: overflow ? .max : bytes.saturatingAdd(PacketSource.mostPreRollBytes)))
  }

  /// Seeks to the packet that holds a frame, or one a few before it; in a stream, which has no index, through all
  /// packets before it.
  ///
  /// - Parameters:
  ///   - frame: counted from the first one of the first packet.
  ///   - decoder: knows how many packets before it to begin with.
  ///   - isAbandoned: asked now and then where that takes long; if it is true, it has to seek again.
  /// - Returns: number of the first frame of the packet that comes next.
  func seek(
    to frame: Int64, _ decoder: any AudioDecoder, unless isAbandoned: () -> Bool
  ) throws(AudioDecodingError) -> Int64 {
    do throws(MP4Error) {
      if let start = try packets?.seek(to: frame, decoder, unless: isAbandoned) { return start }
    } catch {
      throw .movie(error)
    }
    let target = UInt64(decoder.start(for: frame / framesPerPacket))
    if target < streamNumber || hasFailed { (stream, streamNumber, hasFailed) = (first, 0, false) }
    while streamNumber < target, !isAbandoned(), try next() != nil {}
    return Int64(clamping: streamNumber) * framesPerPacket
  }

  /// A description that a stream changed to, with the layers that only its packets show, from the one delivered last
  /// on. Those of a movie stay as they are: tracks announce their layers.
  func settled(_ description: SampleDescription) -> SampleDescription {
    guard var following = stream else { return description }
    var packet = latest
    return description.settled {
      defer { packet = nil }
      return if let packet { packet } else { try following.next()?.packet }
    }
  }

  /// Lends the bytes of the packet delivered last: `body` cannot keep them, and reads no other packet meanwhile.
  func withBytes<Result>(
    _ packet: Packet, _ body: (RawSpan) throws(AudioDecodingError) -> Result
  ) throws(AudioDecodingError) -> Result {
    // A span of an array that lives as long as this call.
    if let bytes { return try unsafe body(bytes.span.bytes) }
    let lent: UnsafeRawBufferPointer
    do throws(SourceError) {
      unsafe lent = try window.bytes(at: packet.offset, count: min(packet.size, PacketSource.mostBytes))
    } catch {
      throw movie == nil
        ? .aac(AACError(.source(error), packet: packet.number, file: file))
        : .movie(MP4Error(.source(error), file: file))
    }
    return try unsafe body(lent.bytes)
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
  func bytes(at offset: UInt64, count length: Int) throws(SourceError) -> UnsafeRawBufferPointer {
    let isInside = offset >= start && offset - start <= UInt64(count) && length <= count - Int(offset - start)
    if !isInside { try move(to: offset, count: length) }
    let low = Int(offset - start)
    // These bytes were read, by this call or an earlier one.
    return unsafe UnsafeRawBufferPointer(memory[low..<(low + length)])
  }

  private func move(to offset: UInt64, count length: Int) throws(SourceError) {
    // A packet was checked to lie within its file, so it is no longer than that.
    if length > memory.count { memory = WorkBuffer(count: length) }
    (start, count) = (offset, 0)
    // In a stream, what follows the packet may not arrive for a long time.
    let wanted = reader.size == .max ? length : memory.count
    count = try unsafe reader.read(at: offset, into: memory[0..<wanted])
    guard count >= length else {
      throw SourceError(.endedEarly, name: reader.source.name, offset: offset + UInt64(count))
    }
  }
}
