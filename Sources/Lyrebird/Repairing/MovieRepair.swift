internal import AAC
public import MP4
public import MediaCore

/// Saves what can be saved of a movie that is cut, damaged, or was never finished.
///
/// ```swift
/// let repair = try MovieRepair(path: "broken.m4a")
/// let report = try repair.run(to: "saved.m4a")
/// print(report.tracks[0].found, "packets,", report.tracks[0].gapCount, "gaps")
/// ```
///
/// If the movie has an index, what that describes and the file holds is kept. If it has none, because a recorder lost
/// its power before it could write one, the media itself is read: sound in AAC is found without any help. Other tracks
/// need a whole movie of the same device as a pattern, see `Options.pattern`.
///
/// Samples are never changed, and of a movie that is whole none is lost.
public struct MovieRepair: Sendable {
  /// How to repair.
  public struct Options: Sendable {
    /// A whole movie of the same device with the same settings; it says how samples are coded and how tracks are
    /// interleaved. Used only if the broken movie has no index.
    public var pattern: MP4Demuxer?
    /// The sampling rate of AAC in Hz, if it is known: not all rates can be told apart by the packets. With SBR, it is
    /// the rate of the output.
    public var sampleRate: UInt32?
    /// Whether an existing file may be replaced.
    public var clobber = true
    /// Whether a new file is synced to disk too; a replacement always is.
    public var sync = false

    /// No pattern, and no rate.
    public init() {}
  }

  private let reader: SourceReader
  private let options: Options

  /// A repair of a file.
  ///
  /// - Throws: `RepairError` `.source` if it cannot be opened.
  public init(path: String, options: Options = Options()) throws(RepairError) {
    do throws(SourceError) {
      self.init(reader: SourceReader(try FileSource(path: path)), options: options)
    } catch {
      throw .source(error)
    }
  }

  /// A repair of any source whose length is known.
  public init(reader: SourceReader, options: Options = Options()) {
    self.reader = reader
    self.options = options
  }

  /// Finds what there is, and writes it to a file, which appears under its name when it is complete.
  ///
  /// - Parameters:
  ///   - path: the output; it may be the broken file itself.
  ///   - progress: called now and then with the bytes done, and with how many there are to do; if it throws, the output
  ///     is discarded.
  /// - Throws: `RepairError`; whatever `progress` throws.
  @discardableResult
  public func run(
    to path: String, progress: (UInt64, UInt64) throws -> Void = { _, _ in }
  ) throws -> RepairReport {
    try run(
      { () throws(SinkError) in try FileSink(path: path, clobber: options.clobber, sync: options.sync) }, name: path,
      progress: progress)
  }

  /// Finds what there is, and writes it to any sink.
  ///
  /// - Parameters:
  ///   - sink: where the bytes go, from its beginning on.
  ///   - name: the output's name in error messages.
  ///   - progress: called now and then with the bytes done, and with how many there are to do; if it throws, the output
  ///     is discarded.
  /// - Throws: `RepairError`; whatever `progress` throws.
  @discardableResult
  public func run(
    to sink: any ByteSink, name: String = "output", progress: (UInt64, UInt64) throws -> Void = { _, _ in }
  ) throws -> RepairReport {
    try run({ sink }, name: name, progress: progress)
  }

  private func run(
    _ sink: () throws(SinkError) -> any ByteSink, name: String, progress: (UInt64, UInt64) throws -> Void
  ) throws -> RepairReport {
    do {
      if let report = try IndexRepair(reader).run(to: sink, name: name, progress: progress) { return report }
      if let report = try HeadRepair(reader).run(to: sink, name: name, progress: progress) { return report }
      if let pattern = options.pattern, let whole = try LostInitialization.restored(reader, like: pattern),
        var report = try IndexRepair(whole).run(to: sink, name: name, progress: progress)
      {
        report.wasWhole = false
        return report
      }
      if let pattern = options.pattern {
        return try PatternRepair(reader, like: pattern).run(to: sink, name: name, progress: progress)
      }
      return try SoundRepair(reader, sampleRate: options.sampleRate).run(to: sink, name: name, progress: progress)
    } catch {
      throw RepairError(error) ?? error
    }
  }
}
