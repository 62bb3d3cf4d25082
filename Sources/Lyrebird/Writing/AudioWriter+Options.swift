public import AAC
internal import ALAC
public import Loudness
public import MP4
public import MediaCore

extension AudioWriter {
  /// How to write a file.
  public struct Options: Sendable {
    /// The codec. Apple Lossless needs a movie.
    public var codec = Codec.aac
    /// Bits a second of AAC; by default as many as suit rate and channels, see
    /// `AACEncoder.defaultBitRate(for:profile:)`.
    public var bitRate: Int?
    /// Whether the bit rate need only be met on average over the file, so that difficult passages may take bits from
    /// simple ones.
    public var averagesBitRate = false
    /// The quality of AAC-LC, from 1 to 5, instead of a bit rate; HE-AAC cannot be asked for then.
    public var quality: Int?
    /// How long the search for the best use of AAC's bits may take.
    public var speed = AACEncoder.Speed.normal
    /// Whether AAC-LC looks no further ahead than it must, for streams that people wait for. HE-AAC, which takes longer
    /// in any case, is then not chosen by itself, and cannot be asked for.
    public var lowDelay = false
    /// Whether AAC of a short sound is planned as a whole, see `AACEncoder`: not into pipes, whose readers wait for
    /// each packet, nor where it should be fast.
    var plansShortSounds = true
    /// How many threads encode AAC at once, which makes no difference to the bytes; by default as many as there are
    /// processors, and one for a low delay and into pipes, whose readers wait for each packet.
    public var threads: Int?
    /// Bits of a sample of Apple Lossless: 16, 20, 24 or 32; by default the sound's own, and 24 for floats.
    public var bitDepth: Int?
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
  /// AAC has twelve sampling rates from 8 to 96 kHz. For any other rate the next higher one is taken, which loses
  /// nothing; for a rate above 96 kHz the highest one from 44.1 kHz on that divides it, or else 96 kHz.
  ///
  /// - Parameters:
  ///   - format: the format of the sound.
  ///   - type: the kind of the file.
  ///   - options: how to write it.
  /// - Throws: `AudioWritingError` for channels that the codec does not have, and for other impossible options.
  public static func encodable(
    _ format: AudioFormat, as type: AudioFileType, _ options: Options = Options()
  ) throws(AudioWritingError) -> AudioFormat {
    try Coding(format, as: type, options).format
  }

  /// How the samples of the file are coded: as PCM, or in packets, with their encoder.
  enum Coding {
    case pcm(AudioFormat)
    case aac(AACSoundEncoder, AudioFormat)
    case appleLossless(ALACEncoder)

    init(_ format: AudioFormat, as type: AudioFileType, _ options: Options) throws(AudioWritingError) {
      var target = format
      switch (type, options.codec) {
      case (.wav, _): self = .pcm(format)
      case (.m4a, .appleLossless):
        let depth = options.bitDepth ?? (format.sampleFormat == .float32 ? 24 : format.sampleFormat.bitDepth)
        target.sampleFormat = depth <= 16 ? .int16 : depth <= 24 ? .int24 : .int32
        do { self = .appleLossless(try ALACEncoder(format: target, bitDepth: depth)) } catch { throw .codec(error) }
      case (.aac, .appleLossless):
        throw .codec(AudioCodecError(.notEncodable("a stream of ADTS"), codec: "Apple Lossless"))
      case (.m4a, _), (.aac, _):
        // A lossy codec has no depth of its own.
        (target.sampleRate, target.sampleFormat) = (Coding.sampleRate(for: format.sampleRate), .float32)
        do { self = .aac(try Coding.encoder(target, options), target) } catch { throw .aac(error) }
      }
    }

    /// The format of the file.
    var format: AudioFormat {
      switch self {
      case .pcm(let format), .aac(_, let format): format
      case .appleLossless(let encoder): encoder.format
      }
    }

    /// The layout that the file states.
    var fileLayout: ChannelLayout {
      switch self {
      case .pcm(let format), .aac(_, let format): format.layout
      case .appleLossless(let encoder): encoder.configuration.format.layout
      }
    }

    /// The name of the codec, as people know it.
    var codecName: String {
      switch self {
      case .pcm: "PCM"
      case .aac(let encoder, _): encoder.configuration.name
      case .appleLossless: "Apple Lossless"
      }
    }

    private static func encoder(_ format: AudioFormat, _ options: Options) throws(AACError) -> AACSoundEncoder {
      let threads = options.threads ?? (options.lowDelay ? 1 : Processors.count)
      if let quality = options.quality {
        guard ![.highEfficiencyAAC, .highEfficiencyAACv2].contains(options.codec) else {
          throw AACError(.cannotEncode(.constantQuality))
        }
        return AACSoundEncoder(
          try AACEncoder(
            format: format, quality: quality, speed: options.speed, lowDelay: options.lowDelay, threads: threads))
      }
      let profile = profile(format, options)
      let bitRate = options.bitRate ?? AACEncoder.defaultBitRate(for: format, profile: profile)
      let encoder = try AACEncoder(
        format: format, profile: profile, bitRate: bitRate, averagesBitRate: options.averagesBitRate,
        speed: options.speed, lowDelay: options.lowDelay, plansShortSounds: options.plansShortSounds, threads: threads)
      return AACSoundEncoder(encoder, averageBitRate: bitRate)
    }

    /// The profile that was asked for, or the one that suits the bit rate: at low rates AAC-LC loses more than SBR and
    /// PS do, which only describe the high frequencies and how the channels differ.
    private static func profile(_ format: AudioFormat, _ options: Options) -> AACEncoder.Profile {
      switch options.codec {
      case .highEfficiencyAAC: return .highEfficiency
      case .highEfficiencyAACv2: return .highEfficiencyV2
      case .lowComplexityAAC: return .lowComplexity
      case .aac, .appleLossless:
        guard let bitRate = options.bitRate, format.sampleRate >= 32_000, !options.lowDelay else {
          return .lowComplexity
        }
        let profiles: [(profile: AACEncoder.Profile, end: Int)] = [
          (.highEfficiencyV2, 24_000), (.highEfficiency, format.channels == 1 ? 24_000 : 40_000),
        ]
        let suitable = profiles.first { profile, end in
          bitRate < end && AACEncoder.canEncode(format, profile: profile)
            && AACEncoder.bitRates(for: format, profile: profile).contains(bitRate)
        }
        return suitable?.profile ?? .lowComplexity
      }
    }

    private static func sampleRate(for rate: Int) -> Int {
      let rates = AACEncoder.sampleRates
      if let highest = rates.max(), rate > highest {
        // A lower one would lose what can be heard.
        return rates.filter { $0 >= 44_100 && rate.isMultiple(of: $0) }.max() ?? highest
      }
      return rates.filter { $0 >= rate }.min() ?? rate
    }
  }
}
