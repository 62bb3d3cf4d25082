internal import ISOBMFF
internal import MediaCore

/// How many packets a decoder needs before the one that is to be heard.
enum PreRoll {
  /// How many packets before a frame of MPEG audio its bits may begin.
  private static let mpegAudioPackets = 10
  /// Packets for HE-AAC: as few as every tenth may carry the settings of the high band, and one more overlaps.
  private static let extendedPackets = 11
  /// The delay of an SBR decoder in frames of its output, and in frames of the core, which has half the rate.
  private static let outputDelay: Int64 = 962
  private static let coreDelay: Int64 = 481

  /// The number for a track's codec; if groups of the track name a greater one, that.
  ///
  /// Source: ISO/IEC 14496-12, 10.1 (`roll`); RFC 7845, 4.6 (80 ms of Opus).
  static func packets(of track: MovieTrack) -> Int {
    guard track.description.kind == .audio, let description = track.description.descriptions.first else { return 0 }
    return max(packets(of: description, in: track.description), distance(in: track))
  }

  private static func packets(of description: SampleDescription, in track: Track) -> Int {
    guard case .audio(let format) = description.format else { return 0 }
    switch description.codec {
    // MPEG audio: the bits of a frame may begin several frames before it.
    case ".mp3", "mp3 ": return mpegAudioPackets
    case "mp4a" where format.objectType == 0x6B || format.objectType == 0x69: return mpegAudioPackets
    case "mp4a": return isExtended(format) ? extendedPackets : hasExtension(format) ? 2 : 1
    case "Opus":
      let packets = track.sampleCount.multipliedReportingOverflow(by: UInt64(track.timescale) * 2 / 25)
      let ticks = UInt64(max(track.mediaDuration.value, 1))
      return packets.overflow ? 32 : min(Int(clamping: packets.partialValue / ticks) + 1, 32)
    case "ac-3", "ec-3", "ac-4", "vorb": return 1
    case "enca": return 2
    default: return 0
    }
  }

  /// The decoder's delay in ticks, which the file's times do not include: packets are needed for that much longer. With
  /// SBR it is 962 frames of the 2048 in a packet, or 481 where ticks count the core's 1024.
  ///
  /// Source: ISO/IEC 14496-24, 5.
  static func decoderDelay(of track: MovieTrack) -> Int64 {
    guard track.description.kind == .audio, let description = track.description.descriptions.first,
      description.codec == "mp4a", case .audio(let format) = description.format, hasExtension(format)
    else { return 0 }
    let packet = Double(track.description.mediaDuration.value) / Double(max(track.description.sampleCount, 1))
    return packet > 1536 ? outputDelay : coreDelay
  }

  /// Whether AAC has an extension that makes high bands of lower ones, which depend on one packet more; at low rates it
  /// may be there without being announced.
  private static func hasExtension(_ format: AudioTrackFormat) -> Bool {
    isExtended(format) || format.sampleRate <= 24_000
  }

  /// Whether the configuration announces it. A decoder makes no high bands before it has come across the settings for
  /// them, which encoders send with every tenth packet or so. The first five bits are the object type: 5 for SBR, 29
  /// for PS.
  ///
  /// Source: ISO/IEC 14496-3, 1.6.2.1, and 4.4.2.8 for the settings (`sbr_header`).
  private static func isExtended(_ format: AudioTrackFormat) -> Bool {
    let type = (format.decoderConfiguration.first ?? 0) >> 3
    return type == 5 || type == 29
  }

  /// The distance in the track's `roll` group: negative there, as it is before the sample.
  private static func distance(in track: MovieTrack) -> Int {
    let boxes = track.sampleTable?.children.compactMap { $0.box(as: SampleGroupDescriptionBox.self) } ?? []
    let distances = boxes.filter { $0.groupingType == "roll" }.flatMap { box in
      (1...max(box.descriptions.count, 1)).compactMap { box.description(at: $0) }
    }
    return distances.filter { $0.count >= 2 }.map { -Int($0.span.bigEndian(at: 0, as: Int16.self)) }.max()
      .map { min(max($0, 0), 100) } ?? 0
  }
}
