public import ISOBMFF
internal import MediaCore

/// Moves the index of a movie to the start of the file, where players want it, in place.
///
///     try FastStart(path: "in.mp4").run()
///
/// Where the file system can insert a range into a file, the media stays where it is on disk: that takes a few
/// milliseconds, however long the movie. Elsewhere the movie is remuxed to a new file that replaces the old one.
/// Whenever the process dies or the power fails, the file is a complete movie, with the old index or the new one.
public struct FastStart {
  /// What was done.
  public enum Outcome: Sendable, Hashable {
    /// Nothing: the index was already before the media.
    case alreadyInFront
    /// The index was moved in place; this many bytes were inserted before the media.
    case moved(inserted: UInt64)
    /// The movie was rewritten, as the file system cannot insert, or the movie does not allow it.
    case rewritten
  }

  private let path: String
  private let limits: BoxLimits

  /// - Parameters:
  ///   - path: the path of a movie.
  ///   - limits: bounds on what the index may cost.
  public init(path: String, limits: BoxLimits = BoxLimits()) {
    self.path = path
    self.limits = limits
  }

  /// Moves the index.
  ///
  /// - Parameter progress: called as by `Remuxer`, if the movie has to be rewritten.
  /// - Throws: `MP4Error`: `.fragmentedMovie`, what is wrong with the movie, `.source`, `.sink`; whatever `progress`
  ///   throws.
  @discardableResult
  public func run(progress: (UInt64, UInt64) throws -> Void = { _, _ in }) throws -> Outcome {
    if try isInFront(MP4Demuxer(path: path, limits: limits)) { return .alreadyInFront }
    if let outcome = try moveInPlace() { return outcome }
    // Read again: another process may have changed the file.
    let movie = try MP4Demuxer(path: path, limits: limits)
    if try isInFront(movie) { return .alreadyInFront }
    // Remuxing would leave it out, which is no good where there is no other copy.
    for track in movie.describedTracks where track.sampleTable?.children.contains(where: \.isOtherInformation) == true {
      throw track.failure(.cannotBeCarriedOver)
    }
    _ = try Remuxer(from: movie, to: path).run(
      checking: { plan in try plan.checkSamples(of: movie, limits: limits) }, progress: progress)
    return .rewritten
  }

  private func isInFront(_ movie: MP4Demuxer) throws(MP4Error) -> Bool {
    switch movie.layout {
    case .fastStart, .unknown: return true
    case .fragmented: throw MP4Error(.fragmentedMovie, file: path)
    case .moovLast: return false
    }
  }

  /// Moves the index in place while the file is locked.
  ///
  /// - Returns: `nil` if that cannot be done; the file is then unchanged.
  private func moveInPlace() throws(MP4Error) -> Outcome? {
    let editor: EditableFile
    let source: FileSource
    do throws(SinkError) {
      // A file that is replaced need not be locked: readers of the old file continue to read it.
      guard try EditableFile(path: path).insertsAtomically, let locked = try EditableFile.locked(path: path) else {
        return nil
      }
      editor = locked
      source = try editor.source()
    } catch {
      throw MP4Error(.sink(error), file: path)
    }
    // Not before the file is locked: an index read earlier may be of a file that has changed since.
    let movie = try MP4Demuxer(source: source, limits: limits)
    if try isInFront(movie) { return .alreadyInFront }
    guard let plan = try FastStartPlan(movie, blockSize: editor.blockSize) else { return nil }
    // Some programs change files without asking for a lock.
    try movie.checkUnchanged()
    return try editor.perform(plan.steps) ? .moved(inserted: plan.inserted) : nil
  }
}
