internal import MP4
internal import MediaCore

/// How many frames the packets of a movie's track have, as far as the file tells without decoding them: where each
/// begins, and how long the track is.
struct PacketLengths: Sendable {
  /// Where the numbers come from.
  private enum Rule {
    /// All but the last have this many: what the codec, or the one size of all samples, says.
    case equal(Int64)
    /// As many as their bytes hold, so many each: PCM in samples of several sizes.
    case sized(bytesPerFrame: Int)
    /// As their durations say, in ticks of the track.
    case timed(timescale: UInt32)
  }

  private let rule: Rule
  private let sampleRate: UInt32
  /// Frames of a full packet.
  let full: Int64
  /// Bytes of a frame, if packets may be divided and joined.
  let bytesPerFrame: Int?

  init(_ decoder: any AudioDecoder, _ samples: SampleReader, _ track: Track) {
    sampleRate = UInt32(clamping: decoder.format.sampleRate)
    full = Int64(decoder.maximumFrames)
    bytesPerFrame = decoder.bytesPerFrame.flatMap { $0 > 0 ? $0 : nil }
    if let bytesPerFrame {
      if let size = samples.constantSize, size > 0, size.isMultiple(of: bytesPerFrame) {
        rule = .equal(Int64(size / bytesPerFrame))
      } else {
        rule = .sized(bytesPerFrame: bytesPerFrame)
      }
    } else if let length = decoder.framesPerPacket, length > 0 {
      rule = .equal(Int64(length))
    } else {
      rule = .timed(timescale: track.timescale)
    }
  }

  /// Frames of every packet, if they are known to be equal.
  var equal: Int64? { if case .equal(let frames) = rule { frames } else { nil } }

  /// Frames of a packet.
  func frames(of record: SampleRecord) -> Int64 {
    switch rule {
    case .equal(let frames): bytesPerFrame.map { Int64(record.size / $0) } ?? frames
    case .sized(let bytesPerFrame): Int64(record.size / bytesPerFrame)
    case .timed(let timescale): frames(of: record.duration, timescale)
    }
  }

  /// A packet that may be full, as far as ticks coarser than frames can tell, is taken to be.
  private func frames(of ticks: Int64, _ timescale: UInt32) -> Int64 {
    let frames = max(MediaTime(value: ticks, timescale: timescale).converted(to: sampleRate)?.value ?? 0, 0)
    let tick = timescale >= sampleRate ? 0 : Int64(sampleRate / timescale)
    return frames.distance(to: full).magnitude <= tick.magnitude ? full : frames
  }

  /// How many samples of the index a piece of this size is: where frames of PCM are samples, more than one.
  func samples(in record: SampleRecord) -> UInt64 {
    guard let bytesPerFrame, case .equal(let frames) = rule else { return 1 }
    return max(UInt64(record.size / bytesPerFrame) / UInt64(max(frames, 1)), 1)
  }

  /// Frames of all packets, counting only as many of the last one as its duration says, and what is wrong with those
  /// that would follow, which counts as the end.
  ///
  /// - Throws: `MP4Error` `.source` if reading fails.
  func total(_ movie: MP4Demuxer, _ track: Track) throws(MP4Error) -> (frames: Int64, damage: MP4Error?) {
    let count = Int64(clamping: min(track.sampleCount, 1 << 40))
    var samples = movie.samples(of: track)
    var sum: Int64 = 0
    do throws(MP4Error) {
      guard let equal else {
        while let record = try samples.nextRecord() { sum = sum.saturatingAdd(frames(of: record)) }
        return (sum, nil)
      }
      let product = count.multipliedReportingOverflow(by: equal)
      sum = product.overflow ? .max : product.partialValue
      guard bytesPerFrame == nil, count > 0 else { return (sum, movie.defect(of: track)) }
      try samples.seek(toSample: UInt64(count - 1))
      if let record = try samples.nextRecord(), record.duration > 0 {
        let duration = MediaTime(value: record.duration, timescale: track.timescale)
        sum -= equal - min(duration.converted(to: sampleRate)?.value ?? equal, equal)
      }
    } catch {
      if case .source = error.code { throw error }
      return (sum, error)
    }
    return (sum, movie.defect(of: track))
  }
}
