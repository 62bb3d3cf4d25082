internal import AudioConversion
public import MediaCore

extension AudioReader {
  /// Delivers sound in another format from here on, at the best quality: see `AudioConverter`.
  ///
  /// Samples are rounded to the nearest. On the way to 16 bits, noise is added before, unless all samples had 16 bits
  /// or come from a lossy codec.
  ///
  /// - Parameter format: any rate from 1 to 768 000 Hz, and channels that those of the file can be mixed to.
  /// - Throws: `AudioDecodingError` `.conversion`, which leaves everything as it was; what seeking throws.
  public func setFormat(_ format: AudioFormat) throws(AudioDecodingError) {
    try state.withLock { (state) throws(AudioDecodingError) in try state.setFormat(format) }
  }

  /// The next sound, or `nil` at the end: as many frames as come easily.
  ///
  /// Its time is the number of its first frame in what is delivered.
  ///
  /// - Throws: `AudioDecodingError`.
  public func next() throws(AudioDecodingError) -> PCMSample? {
    try state.withLock { (state) throws(AudioDecodingError) in try state.next() }
  }

  /// The next frames: so many, or what is left; `nil` at the end.
  ///
  /// - Parameter frames: how many, at least 1.
  /// - Throws: `AudioDecodingError`, after the last good sound.
  public func next(frames: Int) throws(AudioDecodingError) -> PCMSample? {
    try state.withLock { (state) throws(AudioDecodingError) in try state.next(frames: max(frames, 1)) }
  }

  /// Copies the next sound into the caller's memory, as interleaved floats, full scale at -1 and 1, not clipped.
  ///
  /// In the long run nothing is allocated if the sound of a track is delivered at its own rate, in its own channels,
  /// and these need no reordering.
  ///
  /// - Parameter samples: room for at least one frame; overwritten from its start. What does not fit comes next time.
  /// - Returns: frames written, `nil` at the end.
  /// - Throws: `AudioDecodingError`.
  public func next(into samples: inout MutableSpan<Float>) throws(AudioDecodingError) -> Int? {
    try state.withLock { (state) throws(AudioDecodingError) in try state.next(into: &samples) }
  }

  /// Copies the next sound into the caller's memory, as interleaved 16-bit samples, rounded to the nearest and clipped.
  ///
  /// In the long run nothing is allocated if the sound of a track is delivered at its own rate, in its own channels,
  /// and these need no reordering.
  ///
  /// - Parameter samples: room for at least one frame; overwritten from its start. What does not fit comes next time.
  /// - Returns: frames written, `nil` at the end.
  /// - Throws: `AudioDecodingError`.
  public func next(into samples: inout MutableSpan<Int16>) throws(AudioDecodingError) -> Int? {
    try state.withLock { (state) throws(AudioDecodingError) in try state.next(into: &samples) }
  }

  /// Copies the next sound into the caller's memory, as interleaved samples of full scale at the ends of `Int32`,
  /// whatever their depth.
  ///
  /// In the long run nothing is allocated if the sound of a track, in integers, is delivered at its own rate, in its
  /// own channels, and these need no reordering.
  ///
  /// - Parameter samples: room for at least one frame; overwritten from its start. What does not fit comes next time.
  /// - Returns: frames written, `nil` at the end.
  /// - Throws: `AudioDecodingError`.
  public func next(into samples: inout MutableSpan<Int32>) throws(AudioDecodingError) -> Int? {
    try state.withLock { (state) throws(AudioDecodingError) in try state.next(into: &samples) }
  }

  /// Seeks to a frame of what is delivered: from there on it is the same as without seeking.
  ///
  /// Packets before it are decoded too, as far as the codec and the filters of a conversion reach back. In a stream,
  /// which has no index, the headers of all packets before are read.
  ///
  /// - Parameter frame: counted from 0, in `format`; past the end, there is nothing more to come.
  /// - Throws: `AudioDecodingError`.
  public func seek(to frame: Int64) throws(AudioDecodingError) {
    try seek(to: frame, unless: { false })
  }

  /// The same, but stops as soon as `isAbandoned` returns true: then it has to seek again.
  func seek(to frame: Int64, unless isAbandoned: @Sendable () -> Bool) throws(AudioDecodingError) {
    try state.withLock { (state) throws(AudioDecodingError) in try state.seek(to: frame, unless: isAbandoned) }
  }

  /// Reads the rest of the sound into memory, as interleaved floats; of a reader that was just opened, the whole.
  ///
  /// ```swift
  /// let speech = try AudioReader(path: "talk.m4a").read(sampleRate: 16_000, channels: 1)
  /// ```
  ///
  /// - Parameters:
  ///   - sampleRate: frames a second; by default those of `format`.
  ///   - channels: how many, in the usual layout for their number; by default those of `format`.
  ///   - limit: the most frames to read; by default all.
  ///   - progress: called now and then with the frames read so far, and with how many there are if that is known.
  /// - Returns: samples, full scale at -1 and 1, not clipped: 4 bytes for each.
  /// - Throws: `AudioDecodingError`; what `progress` throws.
  public func read(
    sampleRate: Int? = nil, channels: Int? = nil, limit: Int = .max,
    progress: (_ frames: Int64, _ total: Int64?) throws -> Void = { _, _ in }
  ) throws -> [Float] {
    let own = format
    let layout = own.layout(channels: channels)
    try setFormat(AudioFormat(sampleRate: sampleRate ?? own.sampleRate, sampleFormat: .float32, layout: layout))
    let total = frameCount.map { min($0 - position, Int64(limit)) }
    var samples: [Float] = []
    // What the file claims may not be true: with more than this, the array grows as sound comes.
    samples.reserveCapacity(min(Int(clamping: max(total ?? 0, 0)), (1 << 24) / layout.channels) * layout.channels)
    var frames = 0
    while frames < limit, let block = try next(frames: min(limit - frames, 16_384)) {
      samples += block.payload.floats
      frames += block.payload.frameCount
      try progress(Int64(frames), total)
    }
    return samples
  }
}
