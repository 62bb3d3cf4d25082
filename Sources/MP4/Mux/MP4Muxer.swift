public import MediaCore

/// Writes a movie from samples.
///
///     let muxer = try MP4Muxer(path: "voice.m4a", tracks: [voice])
///     for buffer in sound { for packet in try encoder.encode(buffer) { try muxer.append(packet) } }
///     for packet in encoder.finish().packets { try muxer.append(packet) }
///     let summary = try muxer.finish()
///
/// Samples of a track are appended in decoding order; the tracks may come in any order, even one after the other. In
/// the file all samples lie in decoding order. Samples that have to wait for their turn are kept in memory up to a
/// limit (`MuxerOptions.memoryLimit`), beyond that in a temporary file; samples whose data lies in a file stay there.
/// So memory is bounded, and `append` never fails for lack of it: it takes as long as writing takes, which slows the
/// producer down. `wantsMore(of:)` tells a producer of several tracks which of them to continue with.
///
/// The output appears under its name when it is finished. A muxer that is released without `finish()` leaves no file.
public final class MP4Muxer {
  /// The tracks, with the numbers by which samples refer to them.
  public let tracks: [MuxerTrack]
  private let options: MuxerOptions
  private let name: String
  private let trackIndices: [UInt32: Int]
  private var machine = MuxerMachine()
  private var interleaver: Interleaver
  private var spool = SampleSpool()
  private var sink: (any ByteSink)?
  private var output: (any MuxerOutput)?
  private var summary = MuxerSummary()
  private var failure: MP4Error?

  /// A muxer into a new file.
  ///
  /// - Parameters:
  ///   - path: where the file is to appear.
  ///   - tracks: all tracks of the movie, at least one.
  ///   - options: how it is to be written.
  /// - Throws: `MP4Error`: `.nothingToWrite` without tracks, `.noDescription` for a track that does not say what its
  ///   samples are, `.sink`.
  public convenience init(path: String, tracks: [MuxerTrack], options: MuxerOptions = MuxerOptions()) throws(MP4Error) {
    try MP4Muxer.check(tracks, name: path)
    let sink: FileSink
    do throws(SinkError) {
      sink = try FileSink(path: path, clobber: options.clobber, sync: options.sync)
    } catch {
      throw MP4Error(.sink(error), file: path)
    }
    try self.init(to: sink, name: path, tracks: tracks, options: options)
  }

  /// A muxer into any sink: a file, memory, a pipe.
  ///
  /// - Parameters:
  ///   - sink: where the bytes go, from its beginning on.
  ///   - name: the output's name in error messages.
  ///   - tracks: all tracks of the movie, at least one.
  ///   - options: how it is to be written.
  /// - Throws: `MP4Error`: `.nothingToWrite`, `.noDescription`.
  public init(
    to sink: any ByteSink, name: String = "output", tracks: [MuxerTrack], options: MuxerOptions = MuxerOptions()
  ) throws(MP4Error) {
    try MP4Muxer.check(tracks, name: name)
    let tracks = MuxerTrack.numbered(tracks)
    self.tracks = tracks
    self.options = options
    self.name = name
    self.sink = sink
    trackIndices = Dictionary(uniqueKeysWithValues: zip(tracks.map(\.track.id), tracks.indices))
    interleaver = Interleaver(trackCount: tracks.count)
    output =
      switch options.layout {
      case .fastStart, .moovLast: ProgressiveMux(sink: sink, tracks: tracks, options: options)
      case .fragmented(let seconds): FragmentedMux(sink: sink, tracks: tracks, options: options, seconds: seconds)
      }
  }

  /// The state of the muxer: unknown before the first sample, then running, and finally completed, failed or cancelled.
  public var state: PipelineState { machine.state }

  // MARK: Samples

  /// Appends a sample to its track.
  ///
  /// A sample lasts until the next one of its track is decoded; only the last one uses its own duration. If decode
  /// times step back, the layout may have to show it at another time: see `MuxerSummary.retimed`.
  ///
  /// - Throws: `MP4Error`: `.refusedSample` or `.noSuchTrack` for a sample that does not fit, which changes nothing;
  ///   `.muxerFinished`, `.cancelled`; `.source`, `.sink`, after which the output is discarded.
  public func append(_ sample: EncodedSample) throws(MP4Error) {
    var next = machine
    _ = try handle(.append, in: &next)
    let track = try trackIndex(of: sample.trackID)
    try check(sample, track)
    machine = next
    var sample = sample
    sample.timing.duration = max(sample.timing.duration, 0)
    interleaver.add(sample, to: track)
    try attempt { () throws(MP4Error) in
      try drain()
      guard interleaver.heldBytes > options.memoryLimit, var last = interleaver[last: track] else { return }
      last.payload = try spool.kept(last.payload)
      interleaver[last: track] = last
    }
  }

  /// Whether samples of a track would be written more or less at once: `false` where it is far ahead of the others, for
  /// whose samples it has to wait. It may be ignored; then the waiting samples are kept, in a temporary file if need
  /// be.
  public func wantsMore(of trackID: UInt32) -> Bool {
    guard let track = trackIndices[trackID], output != nil, interleaver.isOpen(track) else { return false }
    return interleaver.heldBytes <= options.memoryLimit / 2 || interleaver.count(of: track) <= 1
  }

  /// Marks a track as having no more samples, so that the others need not wait for any.
  ///
  /// - Throws: as `append`.
  public func finish(track trackID: UInt32) throws(MP4Error) {
    var next = machine
    _ = try handle(.append, in: &next)
    end(try trackIndex(of: trackID))
    try attempt { () throws(MP4Error) in try drain() }
  }

  /// Writes everything appended so far as a fragment, however short: from then on it can be played. In other layouts,
  /// does nothing.
  ///
  /// - Throws: as `append`.
  public func flush() throws(MP4Error) {
    var next = machine
    _ = try handle(.append, in: &next)
    guard options.isFragmented else { return }
    try attempt { () throws(MP4Error) in
      try drain(force: true)
      try output?.flush()
    }
  }

  // MARK: The end

  /// Writes the rest, and gives the output its name.
  ///
  /// - Returns: what was written; the same summary on every further call.
  /// - Throws: `MP4Error`: `.noSamples` where nothing was appended, `.cancelled`, `.source`, `.sink`. No file is left.
  @discardableResult
  public func finish() throws(MP4Error) -> MuxerSummary {
    guard try handle(.finish, in: &machine) == .complete else { return summary }
    for track in tracks.indices { end(track) }
    try attempt { () throws(MP4Error) in
      try drain()
      summary = try output?.finish() ?? summary
      do throws(SinkError) { try sink?.finish() } catch { throw MP4Error(.sink(error), file: name) }
    }
    _ = try handle(.completed, in: &machine)
    release()
    return summary
  }

  /// Discards the output and leaves no file. After `finish()` it does nothing.
  public func cancel() {
    if (try? machine.handle(.cancel)) == .discard { sink?.cancel() }
    if machine.state == .cancelled { release() }
  }

  // MARK: Inside

  private static func check(_ tracks: [MuxerTrack], name: String) throws(MP4Error) {
    guard !tracks.isEmpty else { throw MP4Error(.nothingToWrite, file: name) }
    for track in tracks.map(\.track) where !canDescribe(track) {
      throw MP4Error(.noDescription, file: name, trackID: track.id)
    }
  }

  /// Whether a track says what its samples are: a box header and the fields that every sample entry begins with.
  package static func canDescribe(_ track: Track) -> Bool {
    track.descriptions.contains { $0.entry.count >= 16 }
  }

  private func trackIndex(of trackID: UInt32) throws(MP4Error) -> Int {
    guard let index = trackIndices[trackID] else { throw MP4Error(.noSuchTrack, file: name, trackID: trackID) }
    return index
  }

  private func end(_ track: Int) {
    interleaver.end(track)
    output?.end(track)
  }

  private func drain(force: Bool = false) throws(MP4Error) {
    while var next = interleaver.next(force: force) {
      if (output?.heldBytes ?? 0) > options.memoryLimit { next.sample.payload = try spool.kept(next.sample.payload) }
      try output?.add(next.sample, to: next.track)
    }
  }

  private func check(_ sample: EncodedSample, _ track: Int) throws(MP4Error) {
    let timing = sample.timing
    let refusal: MP4Error.SampleRefusal?
    let composition = timing.presentationTime.subtractingReportingOverflow(timing.decodeTime)
    if !interleaver.isOpen(track) {
      refusal = .trackFinished
    } else if timing.timescale != tracks[track].track.timescale {
      refusal = .otherTimescale(timing.timescale)
    } else if timing.duration > Int64(Int32.max) {
      refusal = .tooLong
    } else if composition.overflow || Int32(exactly: composition.partialValue) == nil {
      refusal = .shownTooFarAway
    } else if UInt32(exactly: sample.payload.count) == nil {
      refusal = .tooLarge
    } else if let earliest = output?.earliestTime(of: track), timing.decodeTime < earliest {
      refusal = .decodedBeforeStart
    } else if !tracks[track].track.descriptions.indices.contains(sample.descriptionIndex) {
      refusal = .noSuchDescription(sample.descriptionIndex)
    } else {
      refusal = nil
    }
    if let refusal { throw MP4Error(.refusedSample(refusal), file: name, trackID: sample.trackID) }
  }

  /// Sends an event to the state machine; its refusals become errors.
  private func handle(_ event: MuxerMachine.Event, in machine: inout MuxerMachine) throws(MP4Error)
    -> MuxerMachine.Action
  {
    do throws(MuxerMachine.Refusal) {
      return try machine.handle(event)
    } catch {
      switch error {
      case .nothingAppended:
        failure = MP4Error(.noSamples, file: name)
        sink?.cancel()
        release()
      case .finished: throw MP4Error(.muxerFinished, file: name)
      case .cancelled: throw MP4Error(.cancelled, file: name)
      case .failed: break
      }
      throw failure ?? MP4Error(.muxerFinished, file: name)
    }
  }

  /// Runs code that ends the muxer if it fails: the output is discarded.
  private func attempt(_ body: () throws(MP4Error) -> Void) throws(MP4Error) {
    do throws(MP4Error) {
      try body()
    } catch {
      failure = error
      _ = try? machine.handle(.failed)
      release()
      throw error
    }
  }

  /// Releases the sink, which discards what is not finished; a recording keeps what it has, so it is not cancelled.
  private func release() {
    output = nil
    sink = nil
    interleaver = Interleaver(trackCount: 0)
    spool = SampleSpool()
  }
}
