internal import AAC
internal import ALAC
public import Loudness
public import MP4
public import MediaCore

extension AudioWriter {
  /// How to write a file.
  public struct Options: Sendable {
    /// The codec of a movie; an `.aac` file is AAC whatever this says.
    public var codec = Codec.aac
    /// Bits a second of AAC; by default as many as suit rate and channels, see `AACEncoder.defaultBitRate(for:)`.
    public var bitRate: Int?
    /// The quality of AAC, from 1 to 5, instead of a bit rate.
    public var quality: Int?
    /// How loud the sound is to be, and how high its peaks may be; by default it stays as it is.
    ///
    /// The loudness is only known once all of the sound is there. Until `finish()` it waits in a temporary file, which
    /// takes 4 bytes for each sample.
    public var loudness: LoudnessTarget?
    /// Where the index of a movie goes.
    public var layout = MuxerOptions.Layout.fastStart
    /// Tags of a movie.
    public var metadata = MovieMetadata()
    /// Chapters of a movie.
    public var chapters: [Chapter] = []
    /// Whether an older file of the name may be replaced.
    public var clobber = true

    /// The default options.
    public init() {}
  }

  /// The format that a file has for sound of a format: the same, or the nearest that its codec has.
  ///
  /// AAC has twelve sampling rates from 8 to 96 kHz: of those, the highest one that divides the sound's own is taken if
  /// that is too high, otherwise the next higher one, which loses nothing.
  ///
  /// - Parameters:
  ///   - format: the format of the sound.
  ///   - type: the kind of the file.
  ///   - options: how to write it.
  /// - Throws: `AudioWritingError` for channels that the codec does not have, and for other impossible options.
  public static func encodable(
    _ format: AudioFormat, as type: AudioFileType, _ options: Options = Options()
  ) throws(AudioWritingError) -> AudioFormat {
    var target = format
    if type == .m4a, options.codec == .appleLossless {
      if target.sampleFormat == .float32 { target.sampleFormat = .int24 }
      do { _ = try ALACEncoder(format: target) } catch { throw .codec(error) }
    } else if type != .wav {
      // A lossy codec has no depth of its own.
      (target.sampleRate, target.sampleFormat) = (AudioWriter.sampleRate(for: format.sampleRate), .float32)
      do { _ = try AudioWriter.encoder(target, options) } catch { throw .aac(error) }
    }
    return target
  }

  private static func sampleRate(for rate: Int) -> Int {
    let rates = AACEncoder.sampleRates
    if let highest = rates.max(), rate > highest {
      return rates.filter { rate.isMultiple(of: $0) }.max() ?? highest
    }
    return rates.filter { $0 >= rate }.min() ?? rate
  }
}
