public import MediaCore

/// What samples without a header are: that has to be said.
public struct RawPCMFormat: Sendable, Hashable {
  /// How each sample is written.
  public let coding: PCMCoding
  /// Frames a second: 1 to 6 144 000.
  public let sampleRate: Int
  /// Which loudspeaker each channel is for: 1 to 256 of them.
  public let layout: ChannelLayout

  /// A format from its parts.
  ///
  /// - Throws: `PCMFileError` `.invalidRawFormat`, where a part is outside its range, or there is no such coding.
  public init(_ coding: PCMCoding, sampleRate: Int, layout: ChannelLayout) throws(PCMFileError) {
    guard SampleUnpacker.sampleFormat(coding) != nil else {
      throw PCMFileError(.invalidRawFormat(coding.name), field: "encoding")
    }
    guard (1...PCMFileFormat.maximumSampleRate).contains(sampleRate) else {
      throw PCMFileError(.invalidRawFormat("\(sampleRate)"), field: "rate")
    }
    guard layout.channels <= PCMFileFormat.maximumChannels else {
      throw PCMFileError(.invalidRawFormat("\(layout.channels)"), field: "channels")
    }
    self.coding = coding
    self.sampleRate = sampleRate
    self.layout = layout
  }

  /// A format as people write it: `ENCODING:RATE:CHANNELS`, as in `s16le:44100:2`.
  ///
  /// Encodings are `u8`, `s8`, `ulaw`, `alaw`, and `s16`, `s24`, `s32`, `f32`, `f64`, which may end with `le` or `be`:
  /// which byte comes first. Without either it is the least significant one.
  ///
  /// - Throws: `PCMFileError` `.invalidRawFormat`, which names the part that is wrong and says what to write.
  public init(parsing text: String) throws(PCMFileError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw PCMFileError(.invalidRawFormat(text)) }
    guard let coding = PCMCoding(name: parts[0]) else {
      throw PCMFileError(.invalidRawFormat(String(parts[0])), field: "encoding")
    }
    guard let rate = Int(parts[1]) else { throw PCMFileError(.invalidRawFormat(String(parts[1])), field: "rate") }
    guard let channels = Int(parts[2]), (1...PCMFileFormat.maximumChannels).contains(channels) else {
      throw PCMFileError(.invalidRawFormat(String(parts[2])), field: "channels")
    }
    try self.init(coding, sampleRate: rate, layout: ChannelLayout(channels: channels))
  }
}
