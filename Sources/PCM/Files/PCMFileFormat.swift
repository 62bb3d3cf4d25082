public import MediaCore

/// What the header of a file says about its samples.
public struct PCMFileFormat: Sendable, Hashable {
  /// How each sample is written.
  public let coding: PCMCoding
  /// Frames a second: 1 to 6 144 000. A fraction, which AIFF and CAF can state, is rounded.
  public let sampleRate: Int
  /// Which loudspeaker each channel is for: 1 to 256 of them.
  public let layout: ChannelLayout

  /// The highest believable rate in frames a second: 128 times 48 kHz, as fast as any audio converter. Buffers for a
  /// given time are sized by the rate, and a field of 32 bits could ask for gigabytes.
  static let maximumSampleRate = 6_144_000
  /// The highest believable number of channels: that of Ambisonics of the 15th order.
  static let maximumChannels = 256

  /// Bytes of a frame.
  public var bytesPerFrame: Int { coding.byteCount * layout.channels }

  /// The format of the samples once they are read. Integers stay integers, those of 8 bits as 16, as do the laws of
  /// ITU-T G.711; floats of 64 bits are rounded to 32.
  public var decoded: AudioFormat {
    AudioFormat(
      sampleRate: sampleRate, sampleFormat: SampleUnpacker.sampleFormat(coding) ?? .float32, layout: layout)
  }

  /// The caller has checked all of them.
  init(_ coding: PCMCoding, sampleRate: Int, layout: ChannelLayout) {
    self.coding = coding
    self.sampleRate = sampleRate
    self.layout = layout
  }
}

/// The kinds of files that hold PCM.
public enum PCMFileType: Sendable, Hashable {
  /// WAVE, or RF64, its form above 4 GiB.
  case wave
  /// AIFF, or AIFF-C.
  case aiff
  /// Apple's Core Audio Format.
  case caf
  /// Samples without any header.
  case raw
}

/// What the headers of all kinds of files come down to.
struct PCMFileHeader {
  var type: PCMFileType
  /// The name of the kind, with the variant: `rf64`, `aifc`.
  var name: String
  /// The format of the samples.
  var format: PCMFileFormat
  /// Where each channel is in the file's frames; `nil` if they are in the order of `format`.
  var order: [Int]?
  /// Where the samples begin.
  var dataStart: UInt64
  /// Bytes of samples that the header promises; `nil` if it does not say, and they extend to the end.
  var dataBytes: UInt64?

  /// Reads the header of whatever kind of file it is.
  init(_ reader: SourceReader) throws(PCMFileError) {
    switch try PCMFileHeader.type(reader) {
    case .wave: self = try WAVHeaderReader.read(reader)
    case .aiff: self = try AIFFHeaderReader.read(reader)
    case .caf: self = try CAFHeaderReader.read(reader)
    case .raw, nil: throw PCMFileError(.notPCMFile, offset: 0)
    }
  }

  init(
    _ type: PCMFileType, name: String, format: PCMFileFormat, order: [Int]? = nil, dataStart: UInt64,
    dataBytes: UInt64? = nil
  ) {
    self.type = type
    self.name = name
    self.format = format
    self.order = order
    self.dataStart = dataStart
    self.dataBytes = dataBytes
  }

  /// The kind of a file, by its first bytes; `nil` if it is none that is known.
  static func type(_ reader: SourceReader) throws(PCMFileError) -> PCMFileType? {
    let head: [UInt8]
    do { head = try reader.bytes(at: 0, count: 12) } catch { throw PCMFileError(.source(error)) }
    guard head.count == 12 else { return nil }
    switch (FourCC(head.span.bigEndian(at: 0)), FourCC(head.span.bigEndian(at: 8))) {
    case ("RIFF", "WAVE"), ("RF64", "WAVE"), ("BW64", "WAVE"): return .wave
    case ("FORM", "AIFF"), ("FORM", "AIFC"): return .aiff
    case ("caff", "desc"): return .caf
    default: return nil
    }
  }
}
