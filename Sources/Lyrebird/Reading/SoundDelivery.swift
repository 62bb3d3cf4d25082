internal import AudioConversion
internal import MediaCore

/// The sound of a file in the format that its reader asks for.
struct SoundDelivery {
  let source: any SoundSource
  /// The format in which sound is delivered.
  private(set) var format: AudioFormat
  /// Number of the frame that is delivered next, in `format`.
  private(set) var position: Int64 = 0

  /// The same as `source` if that is a track, whose frames can be copied without a buffer between.
  private let decoder: AudioTrackDecoder?
  /// `nil` if frames are delivered as they come, or with their samples rounded.
  private var conversion: Conversion?
  /// Frames that did not fit into the caller's memory.
  private var pending: (buffer: PCMBuffer, first: Int)?
  /// The error that follows what was delivered last.
  private var failure: AudioDecodingError?

  init(_ source: any SoundSource) {
    self.source = source
    decoder = source as? AudioTrackDecoder
    format = source.format
  }

  /// Frames in all, in `format`; `nil` if that is not known.
  var frameCount: Int64? {
    guard let count = source.frameCount, let conversion else { return source.frameCount }
    return Int64(conversion.converter.outputFrames(for: Int(clamping: count)))
  }

  /// Calls a function for each broken packet.
  func onFault(_ report: (@Sendable (AudioDecodingError) -> Void)?) { decoder?.onFault = report }

  /// Delivers sound in another format from here on.
  mutating func setFormat(_ format: AudioFormat) throws(AudioDecodingError) {
    guard format != self.format else { return }
    let converter = try SoundDelivery.converter(from: source, to: format)
    let time = MediaTime(value: position, timescale: UInt32(clamping: self.format.sampleRate))
    (conversion, self.format) = (converter.map { Conversion($0) }, format)
    // A stream cannot go back to where it began.
    if position == 0, source.position == 0 { return }
    try seek(to: time.since(.zero, in: UInt32(clamping: format.sampleRate)).value, unless: { false })
  }

  /// What has to be done beyond rounding samples.
  ///
  /// On the way to 16 bits noise is added, without which quiet sounds are distorted; but not to what a lossy codec
  /// yields, whose own noise is louder.
  private static func converter(
    from source: any SoundSource, to format: AudioFormat
  ) throws(AudioDecodingError) -> AudioConverter? {
    let own = source.format
    let isDithered = source.isLossless && own.sampleFormat != .int16 && format.sampleFormat == .int16
    if own.sampleRate == format.sampleRate, own.layout == format.layout, !isDithered { return nil }
    do {
      return try AudioConverter(from: own, to: format)
    } catch {
      throw .conversion(error)
    }
  }

  // MARK: Pulling

  /// The next sound, or `nil` at the end.
  ///
  /// - Parameter limit: the most frames of what was put back. New sound may have more.
  mutating func next(limit: Int = .max) throws(AudioDecodingError) -> PCMSample? {
    if let failure {
      self.failure = nil
      throw failure
    }
    if let (buffer, first) = pending {
      let end = first + min(buffer.frameCount - first, limit)
      pending = end < buffer.frameCount ? (buffer, end) : nil
      return deliver(buffer.slice(first..<end))
    }
    while let sound = try source.next() {
      let buffer = try conversion?.convert(sound.payload) ?? sound.payload.converted(to: format.sampleFormat)
      if buffer.frameCount > 0 { return deliver(buffer) }
    }
    guard let rest = conversion?.finish(), rest.frameCount > 0 else { return nil }
    return deliver(rest)
  }

  private mutating func deliver(_ buffer: PCMBuffer) -> PCMSample {
    position += Int64(buffer.frameCount)
    return PCMSample(buffer, at: position - Int64(buffer.frameCount))
  }

  /// The next frames: so many, or what is left; `nil` at the end.
  mutating func next(frames: Int) throws(AudioDecodingError) -> PCMSample? {
    let start = position
    var (buffers, count): ([PCMBuffer], Int) = ([], 0)
    do throws(AudioDecodingError) {
      while count < frames, let sound = try next(limit: frames - count) {
        buffers.append(sound.payload)
        count += sound.payload.frameCount
      }
    } catch {
      guard !buffers.isEmpty else { throw error }
      // Cancellation says nothing about the sound. Whoever reads on gets what was decoded by then.
      guard error.kind != .cancelled else {
        putBack(PCMBuffer(buffers, format), from: 0)
        throw error
      }
      failure = error
    }
    guard let last = buffers.last else { return nil }
    if count > frames {
      let kept = last.frameCount - (count - frames)
      buffers[buffers.count - 1] = last.prefix(kept)
      putBack(last, from: kept)
    }
    return PCMSample(PCMBuffer(buffers, format), at: start)
  }

  /// Frames that were taken too many come next.
  private mutating func putBack(_ buffer: PCMBuffer, from frame: Int) {
    position -= Int64(buffer.frameCount - frame)
    pending = (buffer, frame)
  }

  mutating func next(into samples: inout MutableSpan<Float>) throws(AudioDecodingError) -> Int? {
    if let decoder = direct {
      defer { position = decoder.position }
      return try decoder.next(into: &samples)
    }
    return try take(samples.count) { $0.floats }.map { copy($0, to: &samples) }
  }

  mutating func next(into samples: inout MutableSpan<Int16>) throws(AudioDecodingError) -> Int? {
    if let decoder = direct {
      defer { position = decoder.position }
      return try decoder.next(into: &samples)
    }
    return try take(samples.count) { $0.int16s }.map { copy($0, to: &samples) }
  }

  mutating func next(into samples: inout MutableSpan<Int32>) throws(AudioDecodingError) -> Int? {
    if let decoder = direct {
      defer { position = decoder.position }
      return try decoder.next(into: &samples)
    }
    return try take(samples.count) { $0.int32s }.map { copy($0, to: &samples) }
  }

  /// The decoder, if its frames are delivered as they are.
  private var direct: AudioTrackDecoder? { conversion == nil && pending == nil && failure == nil ? decoder : nil }

  /// Takes as many of the next frames as this many samples are; the rest comes next time.
  private mutating func take<Sample>(
    _ count: Int, _ samples: (PCMBuffer) -> [Sample]
  ) throws(AudioDecodingError) -> [Sample]? {
    let frames = count / format.channels
    guard let buffer = try next(limit: frames)?.payload else { return nil }
    guard buffer.frameCount > frames else { return samples(buffer) }
    putBack(buffer, from: frames)
    return samples(buffer.prefix(frames))
  }

  /// - Returns: how many frames were copied.
  private func copy<Sample>(_ array: [Sample], to samples: inout MutableSpan<Sample>) -> Int {
    for index in array.indices { samples[index] = array[index] }
    return array.count / format.channels
  }

  // MARK: Seeking

  /// Seeks to a frame of `format`: what is delivered from there on is the same as without seeking.
  mutating func seek(to frame: Int64, unless isAbandoned: () -> Bool) throws(AudioDecodingError) {
    position = max(frame, 0)
    (pending, failure) = (nil, nil)
    try source.seek(to: conversion?.seek(to: position) ?? position, unless: isAbandoned)
  }
}

/// A converter, and where its output begins to count.
private struct Conversion {
  private(set) var converter: AudioConverter
  /// Frames of its output that were not asked for: it has to begin earlier, as its filters reach back.
  private var skipped = 0

  init(_ converter: AudioConverter) { self.converter = converter }

  /// - Returns: the frames that are ready; they may be none.
  mutating func convert(_ buffer: PCMBuffer) throws(AudioDecodingError) -> PCMBuffer {
    do throws(ConversionError) { return skip(try converter.convert(buffer)) } catch { throw .conversion(error) }
  }

  /// - Returns: the last frames; none when it is called again.
  mutating func finish() -> PCMBuffer { skip(converter.finish()) }

  /// Prepares to deliver the output from a frame on.
  ///
  /// - Returns: the frame of the input that has to come next.
  mutating func seek(to frame: Int64) -> Int64 {
    converter.reset()
    let start = converter.start(for: Int(clamping: frame))
    skipped = start.skipped
    return Int64(start.input)
  }

  private mutating func skip(_ buffer: PCMBuffer) -> PCMBuffer {
    let first = min(skipped, buffer.frameCount)
    skipped -= first
    return buffer.slice(first..<buffer.frameCount)
  }
}

extension PCMBuffer {
  /// Buffers of one format, one after the other.
  fileprivate init(_ buffers: [PCMBuffer], _ format: AudioFormat) {
    if buffers.count == 1 {
      self = buffers[0]
      return
    }
    let (rate, layout) = (format.sampleRate, format.layout)
    switch format.sampleFormat {
    case .int16: self.init(buffers.flatMap(\.int16s), sampleRate: rate, layout: layout)
    case .int24, .int32:
      self.init(buffers.flatMap(\.int32s), sampleFormat: format.sampleFormat, sampleRate: rate, layout: layout)
    case .float32: self.init(buffers.flatMap(\.floats), sampleRate: rate, layout: layout)
    }
  }
}
