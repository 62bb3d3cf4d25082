internal import AAC
internal import MP4
internal import MediaCore

/// A stream as it is to be written.
struct FoundStream {
  let configuration: AudioSpecificConfig
  let assumptions: [RepairReport.Assumption]
  private(set) var track: MuxerTrack

  init(configuration: AudioSpecificConfig, assumptions: [RepairReport.Assumption]) throws(AACError) {
    self.configuration = configuration
    self.assumptions = assumptions
    let rate = configuration.outputSampleRate
    let description = SampleDescription.aac(
      audioSpecificConfig: try configuration.written, sampleRate: Int(rate), channels: configuration.outputChannels)
    track = MuxerTrack(audio: description, timescale: rate, id: 1)
  }

  /// Shows only some frames, counted from the first packet on.
  mutating func hear(_ frames: Range<Int64>) {
    let timescale = track.track.timescale
    let duration = MediaTime(value: frames.upperBound - frames.lowerBound, timescale: timescale)
    track.edits = [Edit(duration: duration, mediaTime: MediaTime(value: frames.lowerBound, timescale: timescale))]
  }

  /// Frames of a packet, at the rate of the output.
  var frames: Int { (configuration.frameLength ?? 1024) * (configuration.hasSBR == true ? 2 : 1) }

  /// When the packet with a number begins.
  func time(_ packets: UInt64) -> MediaTime {
    MediaTime(
      value: Int64(clamping: packets.multipliedReportingOverflow(by: UInt64(frames)).partialValue),
      timescale: track.track.timescale)
  }
}
