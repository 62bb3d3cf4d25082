public import MediaCore

/// Delivers the samples of a track, one after another, on demand.
///
/// The caller pulls; nothing runs ahead of it and nothing is buffered but a few kilobytes of index. A sample comes as
/// the file offset of its data, which is read only when it is asked for. `nil` means the end. A reader is a value: a
/// copy is a second reader that continues independently.
///
/// A source that fails is reopened and asked again a few times (`SourceReader`); when that does not help, `next()`
/// throws, and may be called again later: it continues after the last sample that was delivered.
public struct SampleReader: Sendable {
  @usableFromInline
  let reader: SourceReader
  private let trackID: UInt32
  private let timescale: UInt32
  private let index: SampleIndex
  private var cursor: SampleCursor
  /// Number of the sample at which a new cursor begins.
  private var resumeAt: UInt64 = 0
  /// What is wrong with the track from here on, once thrown: it is thrown again rather than read past.
  private var damage: MP4Error?
  /// Whether the cursor is in the right position, and nothing is wrong with what comes next.
  private var isReady = false
  private var machine = ReaderMachine()

  init(reader: SourceReader, trackID: UInt32, timescale: UInt32, index: SampleIndex) {
    self.reader = reader
    self.trackID = trackID
    self.timescale = timescale
    self.index = index
    cursor = SampleCursor(index, reader: reader)
  }

  /// The state of the reader: unknown before the first sample, then running, and finally completed, failed or
  /// cancelled.
  public var state: PipelineState { machine.state }

  /// Bytes of each sample, if the index says that all have the same; `nil` if it does not, or if there are fragments.
  /// Where a track counts frames of PCM as samples, it is the size of a frame, however many `next()` delivers at once.
  package var constantSize: Int? {
    guard index.fragments?.entries.isEmpty ?? true, case .constant(let size) = index.table.sizes else { return nil }
    guard let packing = index.table.packing else { return Int(size) }
    return packing.frames == 1 ? Int(packing.bytes) : nil
  }

  /// The next sample, or `nil` after the last one.
  ///
  /// - Throws: `MP4Error`: `.cancelled` after `cancel()`; `.sampleOutsideFile` or `.box` after the last whole sample of
  ///   a damaged track, and again on each further call; `.externalData` if the samples are in another file; `.source`
  ///   if reading fails.
  public mutating func next() throws(MP4Error) -> EncodedSample? {
    guard let record = try nextRecord() else { return nil }
    guard !index.isExternal else {
      _ = try machine.handle(.failed)
      throw located(MP4Error(.externalData))
    }
    return EncodedSample(
      trackID: trackID,
      timing: SampleTiming(
        decodeTime: record.decodeTime, presentationTime: record.presentationTime, duration: record.duration,
        timescale: timescale),
      isSync: record.isSync, descriptionIndex: record.descriptionIndex, payload: payload(of: record))
  }

  /// The next sample as the index describes it, without its data: cheaper where only offsets and times matter.
  ///
  /// - Throws: as `next()`, but for `.externalData`: the index is in this file.
  public mutating func nextRecord() throws(MP4Error) -> SampleRecord? {
    guard try machine.handle(.pulled) == .read else { return nil }
    do throws(MP4Error) {
      if !isReady { try prepare() }
      if let record = try cursor.next() { return record }
      _ = try machine.handle(.ended)
      return nil
    } catch {
      let error = located(error)
      if case .source = error.code {
        // The cursor may have moved half a step: the next attempt restarts from the sample's number.
        if isReady { resumeAt = cursor.nextNumber }
      } else {
        damage = error
      }
      isReady = false
      _ = try machine.handle(.failed)
      throw error
    }
  }

  /// The data of a sample that `nextRecord()` described, if it is in this file (`MP4Demuxer.isExternal(_:)`).
  @inlinable
  public func payload(of record: SampleRecord) -> MediaData {
    .range(reader, offset: record.offset, count: record.size)
  }

  /// Seeks to the last sync sample that is shown at or before `time`; to the first sample if there is none.
  ///
  /// Reads through the track's times, at some nanoseconds per sample.
  ///
  /// - Parameter time: media time, edits not applied.
  /// - Returns: the number of the sample that `next()` will deliver, or `nil` for a track without samples.
  /// - Throws: `MP4Error` as `next()`.
  @discardableResult
  public mutating func seek(to time: MediaTime) throws(MP4Error) -> UInt64? {
    // A time too far for 64 bits is beyond any sample.
    let ticks = time.converted(to: timescale, rounding: .down)?.value ?? (time.value < 0 ? .min : .max)
    var scan = SampleCursor(index, reader: reader)
    var target: UInt64?
    do throws(MP4Error) {
      while let record = try scan.next() {
        if target == nil || (record.isSync && record.presentationTime <= ticks) { target = record.number }
      }
    } catch {
      // Damage at the end does not prevent seeking to a sample before it.
      switch error.code {
      case .source, .noSuchTrack: throw located(error)
      default: break
      }
    }
    if let target { try seek(toSample: target) }
    return target
  }

  /// Seeks to a sample by number, from 0; in PCM, to the piece that holds the frame with this number.
  ///
  /// - Throws: `MP4Error` as `next()`.
  public mutating func seek(toSample number: UInt64) throws(MP4Error) {
    _ = try machine.handle(.sought)
    resumeAt = number
    damage = nil
    isReady = false
  }

  /// Stops delivery: `next()` throws from now on.
  public mutating func cancel() {
    machine.cancel()
  }

  private mutating func prepare() throws(MP4Error) {
    if let damage { throw damage }
    cursor = SampleCursor(index, reader: reader)
    if resumeAt > 0 { _ = try cursor.seek(to: resumeAt) }
    isReady = true
  }

  private func located(_ error: MP4Error) -> MP4Error {
    guard error.file.isEmpty else { return error }
    return MP4Error(error.code, file: reader.source.name, trackID: trackID, path: error.path, offset: error.offset)
  }
}
