internal import AAC
internal import MP4
internal import MediaCore
internal import PCM

/// A file of sound that is being written: takes PCM, and writes what a file of its kind is made of.
protocol SoundOutput: AnyObject {
  /// Packets written so far; 0 if there are none, as in a WAVE file.
  var packets: UInt64 { get }
  /// Frames that a decoder yields before the sound.
  var priming: Int { get }
  /// Samples that could not be encoded as they are; see `AACEncoder.alteredSamples`.
  var alteredSamples: Int64 { get }
  /// Frames that play as of the last flush.
  var playableFrames: UInt64 { get }

  /// Takes sound that directly follows what came before.
  func append(_ sample: PCMSample) throws

  /// Writes what was appended to the file, as far as it makes whole packets.
  func flush() throws

  /// Ends the file: everything appended is in it, and nothing can be appended any more.
  ///
  /// - Returns: its bytes, and the frames that a decoder yields after the sound.
  func finish() throws -> (bytes: UInt64, remainder: Int)
}

/// PCM in a WAVE file.
final class WAVOutput: SoundOutput {
  private var writer: WAVWriter?
  private(set) var playableFrames: UInt64 = 0
  var packets: UInt64 { 0 }
  var priming: Int { 0 }
  var alteredSamples: Int64 { 0 }

  init(sink: any ByteSink, format: AudioFormat) throws(PCMFileError) {
    writer = try WAVWriter(sink: sink, format: format)
  }

  func append(_ sample: PCMSample) throws { try writer?.append(sample) }

  /// Updates the header, too, unless it is in a pipe.
  func flush() throws {
    try writer?.checkpoint()
    playableFrames = writer?.frameCount ?? 0
  }

  func finish() throws -> (bytes: UInt64, remainder: Int) {
    defer { writer = nil }
    return (try writer?.finish().bytes ?? 0, 0)
  }
}

/// Packets, in ADTS or in a movie.
final class PacketOutput: SoundOutput {
  private let encoder: any SoundEncoder
  // One of these two.
  private var stream: ADTSWriter?
  private let movie: MP4Muxer?
  private(set) var packets: UInt64 = 0
  private var flushed: UInt64 = 0
  var priming: Int { encoder.priming }
  var alteredSamples: Int64 { encoder.alteredSamples }

  /// The first packet is the encoder's run-up, which is not heard.
  var playableFrames: UInt64 { flushed > 0 ? (flushed - 1) * UInt64(encoder.frameLength) : 0 }

  /// A stream of ADTS, which plays up to its last whole packet.
  init(_ encoder: AACSoundEncoder, stream sink: any ByteSink) throws(AACError) {
    stream = try ADTSWriter(sink: sink, configuration: encoder.configuration)
    movie = nil
    self.encoder = encoder
  }

  /// A movie, which says how much of the sound is priming and remainder.
  init(_ encoder: any SoundEncoder, movie sink: any ByteSink, name: String, options: MuxerOptions) throws {
    movie = try MP4Muxer(to: sink, name: name, tracks: [try encoder.track()], options: options)
    self.encoder = encoder
  }

  /// A movie that plays while it grows: in fragments, each of which ends with `flush()`, and with room at the start for
  /// the index of the finished file; see `RecordingFinisher`.
  convenience init(_ encoder: any SoundEncoder, growing sink: FileSink) throws {
    var options = MuxerOptions()
    options.layout = .fragmented(seconds: 3600)
    options.freeSpace = PacketOutput.indexRoom
    options.headerFirst = true
    try self.init(encoder, movie: sink, name: sink.name, options: options)
    try movie?.flush()
  }

  /// Room for the index of a minute; for longer recordings a range is inserted.
  private static let indexRoom = 16 << 10

  func append(_ sample: PCMSample) throws { try write(try encoder.encode(sample)) }

  private func write(_ encoded: [EncodedSample]) throws {
    for packet in encoded {
      try stream?.append(packet)
      try movie?.append(packet)
      packets += 1
    }
  }

  func flush() throws {
    try stream?.flush()
    try movie?.flush()
    flushed = packets
  }

  func finish() throws -> (bytes: UInt64, remainder: Int) {
    let ending = encoder.finishPackets()
    try write(ending.packets)
    let bytes = try movie?.finish().bytes ?? stream?.finish().bytes ?? 0
    return (bytes, ending.remainder)
  }
}
