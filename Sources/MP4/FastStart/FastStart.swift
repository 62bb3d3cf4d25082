public import ISOBMFF
internal import MediaCore

/// Moves the index of a movie to its front, where players want it, in the file itself.
///
///     try FastStart(path: "in.mp4").run()
///
/// Where the file system can insert a range into a file, the media stay where they are on the disk: that takes a few
/// milliseconds, however long the movie. Elsewhere the movie is remuxed to a new file that replaces the old one.
/// Whenever the process dies or the power fails, the file is a whole movie, with the old index or the new one.
public struct FastStart {
  /// What was done.
  public enum Outcome: Sendable, Hashable {
    /// Nothing: the index is in front.
    case isInFront
    /// The index was moved in place; so many bytes were inserted in front of the media.
    case moved(inserted: UInt64)
    /// The movie was written anew, as the file system cannot insert, or the movie does not allow it.
    case rewritten
  }

  private let path: String
  private let limits: BoxLimits

  /// - Parameters:
  ///   - path: a movie.
  ///   - limits: bounds on what the index may cost.
  public init(path: String, limits: BoxLimits = BoxLimits()) {
    self.path = path
    self.limits = limits
  }

  /// Moves the index.
  ///
  /// - Parameter progress: called as `Remuxer` does, if the movie has to be written anew.
  /// - Throws: `MP4Error`: `.fragmentedMovie`, what is wrong with the movie, `.source`, `.sink`; whatever `progress`
  ///   throws.
  @discardableResult
  public func run(progress: (UInt64, UInt64) throws -> Void = { _, _ in }) throws -> Outcome {
    if try isInFront(MP4Demuxer(path: path, limits: limits)) { return .isInFront }
    if let outcome = try moveInPlace() { return outcome }
    // Read again: another process may have changed the file.
    let movie = try MP4Demuxer(path: path, limits: limits)
    if try isInFront(movie) { return .isInFront }
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

  /// Moves the index where the media lie, while the file is locked.
  ///
  /// - Returns: `nil` where that cannot be done, and the file is as it was.
  private func moveInPlace() throws(MP4Error) -> Outcome? {
    let editor: EditableFile
    let source: FileSource
    do throws(SinkError) {
      // What is written anew need not be locked: readers of the old file go on reading it.
      guard try EditableFile(path: path).insertsAtomically, let locked = try EditableFile.locked(path: path) else {
        return nil
      }
      editor = locked
      source = try editor.source()
    } catch {
      throw MP4Error(.sink(error), file: path)
    }
    // Not before it is locked: an index read earlier may be of a file that has been changed since.
    let movie = try MP4Demuxer(source: source, limits: limits)
    if try isInFront(movie) { return .isInFront }
    guard let plan = try FastStartPlan(movie, blockSize: editor.blockSize) else { return nil }
    // There are programs that change files without asking for a lock.
    try movie.checkUnchanged()
    return try FastStart.perform(plan.steps, with: editor) ? .moved(inserted: plan.inserted) : nil
  }

  /// Takes the steps, or those back that were taken, if one of them cannot be.
  ///
  /// - Returns: whether they were taken; not, if the file system lacks what one of them needs, and the file is as it
  ///   was.
  /// - Throws: `MP4Error`: `.sink`, the file is as it was; `.leftHalfMoved`, it is not, but the movie is whole.
  static func perform(_ steps: [FastStartPlan.Step], with editor: EditableFile) throws(MP4Error) -> Bool {
    for step in steps {
      let failure: SinkError?
      do throws(SinkError) {
        if try editor.apply(step.edit) { continue }
        failure = nil
      } catch {
        failure = error
      }
      guard takeBack(step, with: editor) else { throw MP4Error(.leftHalfMoved(failure), file: editor.name) }
      if let failure { throw MP4Error(.sink(failure), file: editor.name) }
      return false
    }
    return true
  }

  /// - Returns: whether the file is as it was before the first step. Where one edit fails the others are left: the
  ///   movie is still whole then, and would not be if they were made out of their order.
  private static func takeBack(_ step: FastStartPlan.Step, with editor: EditableFile) -> Bool {
    if step.undo.isEmpty { return false }
    for edit in step.undo { guard (try? editor.apply(edit)) == true else { return false } }
    return true
  }
}
