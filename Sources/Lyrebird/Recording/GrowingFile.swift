internal import AAC
internal import MP4
internal import MediaCore
internal import WAV

/// A recording while it grows: takes PCM, and writes what a file of its kind is made of.
protocol GrowingFile: AnyObject {
  /// Takes sound that directly follows what came before.
  func append(_ sample: PCMSample) throws

  /// Writes what was appended to the file, as far as it makes whole packets.
  func flush() throws

  /// Playable frames as of the last flush.
  var playableFrames: UInt64 { get }

  /// Ends the file: everything appended is in it, and nothing can be appended any more.
  func finish() throws
}

/// PCM in a WAVE file, whose header is updated at each flush.
final class GrowingWAV: GrowingFile {
  private var writer: WAVWriter?
  private(set) var playableFrames: UInt64 = 0
  private var frames: UInt64 = 0

  init(sink: FileSink, format: AudioFormat) throws(WAVError) {
    writer = try WAVWriter(sink: sink, format: format)
  }

  func append(_ sample: PCMSample) throws {
    try writer?.append(sample)
    frames += UInt64(sample.payload.frameCount)
  }

  func flush() throws {
    try writer?.checkpoint()
    playableFrames = frames
  }

  func finish() throws { _ = try writer?.finish() }
}

/// Packets of AAC on their way into a file.
private struct PacketCount {
  var appended: UInt64 = 0
  var flushed: UInt64 = 0

  /// The first packet is the encoder's run-up, which is not heard.
  var playableFrames: UInt64 { flushed > 0 ? (flushed - 1) * 1024 : 0 }
}

/// AAC in ADTS, which plays up to its last whole packet.
final class GrowingADTS: GrowingFile {
  private var encoder: AACEncoder?
  private var writer: ADTSWriter?
  private var packets = PacketCount()
  var playableFrames: UInt64 { packets.playableFrames }

  init(sink: FileSink, encoder: consuming AACEncoder) throws {
    writer = try ADTSWriter(sink: sink, configuration: encoder.configuration)
    self.encoder = consume encoder
  }

  func append(_ sample: PCMSample) throws {
    for packet in try encoder?.encode(sample) ?? [] {
      try writer?.append(packet)
      packets.appended += 1
    }
  }

  func flush() throws {
    try writer?.flush()
    packets.flushed = packets.appended
  }

  func finish() throws {
    for packet in encoder?.finish().packets ?? [] { try writer?.append(packet) }
    _ = try writer?.finish()
  }
}

/// AAC in MP4, in fragments, with room at the start for the index of the finished file: see `RecordingFinisher`.
final class GrowingM4A: GrowingFile {
  private var encoder: AACEncoder?
  private let muxer: MP4Muxer
  private var packets = PacketCount()
  var playableFrames: UInt64 { packets.playableFrames }

  /// Room for the index of a minute; for longer recordings a range is inserted.
  private static let indexRoom = 16 << 10

  init(sink: FileSink, encoder: consuming AACEncoder) throws {
    var options = MuxerOptions()
    // Fragments end when `flush` is called.
    options.layout = .fragmented(seconds: 3600)
    options.freeSpace = GrowingM4A.indexRoom
    options.headerFirst = true
    muxer = try MP4Muxer(to: sink, name: sink.name, tracks: [try MuxerTrack(encoder)], options: options)
    try muxer.flush()
    self.encoder = consume encoder
  }

  func append(_ sample: PCMSample) throws {
    for packet in try encoder?.encode(sample) ?? [] {
      try muxer.append(packet)
      packets.appended += 1
    }
  }

  func flush() throws {
    try muxer.flush()
    packets.flushed = packets.appended
  }

  func finish() throws {
    for packet in encoder?.finish().packets ?? [] { try muxer.append(packet) }
    try muxer.finish()
  }
}
