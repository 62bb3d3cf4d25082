internal import AAC
internal import MP4
internal import MediaCore

/// The packets of a track, from a movie or an ADTS stream alike: where each lies, and its bytes when asked.
struct PacketSource {
  /// A packet that was not read yet.
  struct Packet {
    let reader: SourceReader
    let offset: UInt64
    let count: Int
    let descriptionIndex: Int
    /// Packets that may lie in this one: several only in ADTS frames that could not be parted.
    let blocks: Int
  }

  private enum Origin {
    case movie(SampleReader, SourceReader)
    case stream(ADTSReader, first: ADTSReader)
  }

  private var origin: Origin
  /// Number of the packet that comes next.
  private(set) var number: UInt64 = 0
  private let window = PacketWindow()

  init(_ movie: MP4Demuxer, _ track: Track) {
    origin = .movie(movie.samples(of: track), movie.reader)
  }

  init(_ stream: ADTSReader) {
    origin = .stream(stream, first: stream)
  }

  /// The stream as far as it was read, if it is one.
  var stream: ADTSReader? {
    if case .stream(let stream, _) = origin { stream } else { nil }
  }

  /// The next packet, or `nil` at the end.
  mutating func next() throws(AudioDecodingError) -> Packet? {
    switch origin {
    case .movie(var samples, let reader):
      let record: SampleRecord?
      do { record = try samples.nextRecord() } catch { throw .movie(error) }
      origin = .movie(samples, reader)
      guard let record else { return nil }
      number += 1
      return Packet(
        reader: reader, offset: record.offset, count: record.size, descriptionIndex: record.descriptionIndex, blocks: 1)
    case .stream(var stream, let first):
      let sample: EncodedSample?
      do { sample = try stream.next() } catch { throw .aac(error) }
      origin = .stream(stream, first: first)
      guard let sample, case .range(let reader, let offset, let count) = sample.payload else { return nil }
      number += 1
      return Packet(
        reader: reader, offset: offset, count: count, descriptionIndex: sample.descriptionIndex,
        blocks: Int(clamping: sample.timing.duration / 1024))
    }
  }

  /// Goes to a packet; in a stream, which has no index, through all packets before it.
  mutating func seek(to target: UInt64) throws(AudioDecodingError) {
    switch origin {
    case .movie(var samples, let reader):
      do { try samples.seek(toSample: target) } catch { throw .movie(error) }
      origin = .movie(samples, reader)
      number = target
    case .stream(_, let first):
      if target < number { (origin, number) = (.stream(first, first: first), 0) }
      while number < target, try next() != nil {}
    }
  }

  /// Lends a packet's bytes.
  func withBytes<Result>(
    _ packet: Packet, _ body: (UnsafeRawBufferPointer) throws(AACError) -> Result
  ) throws(AudioDecodingError) -> Result {
    do {
      return try body(try window.bytes(packet))
    } catch {
      throw .aac(error)
    }
  }
}

/// A stretch of a source in memory, read ahead: packets of sound are a few hundred bytes long, and lie side by side.
private final class PacketWindow {
  private var memory = WorkBuffer(count: PacketWindow.capacity)
  private var start: UInt64 = 0
  private var count = 0
  private var reader: SourceReader?

  /// Enough to make system calls rare, and in movies not much more than the sound between two stretches of pictures.
  private static let capacity = 64 << 10

  /// The bytes of a packet, valid until the next call.
  func bytes(_ packet: PacketSource.Packet) throws(AACError) -> UnsafeRawBufferPointer {
    let isInside =
      packet.offset >= start && packet.offset - start <= UInt64(count)
      && packet.count <= count - Int(packet.offset - start)
    if !isInside { try move(to: packet) }
    let low = Int(packet.offset - start)
    return UnsafeRawBufferPointer(rebasing: memory.bytes[low..<(low + packet.count)])
  }

  private func move(to packet: PacketSource.Packet) throws(AACError) {
    // A packet was checked to lie in its file: its length is no more than that.
    if packet.count > memory.bytes.count { memory = WorkBuffer(count: packet.count) }
    (start, count) = (packet.offset, 0)
    do throws(SourceError) {
      count = try packet.reader.read(at: packet.offset, into: memory.bytes)
      guard count >= packet.count else {
        throw SourceError(.endedEarly, name: packet.reader.source.name, offset: packet.offset + UInt64(count))
      }
    } catch {
      throw AACError(.source(error))
    }
  }
}
