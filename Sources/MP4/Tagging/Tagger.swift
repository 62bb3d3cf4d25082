public import ISOBMFF
internal import MediaCore

/// Changes the tags of a movie, in place where that is possible.
///
///     var changes = TagChanges()
///     try changes.set("title", to: "Dawn")
///     try Tagger(path: "in.mp4").run(changes)
///
/// What is not named stays as it is, byte for byte. If the tags fit into free space beside the index, only the index is
/// written. Otherwise room is inserted before the media where the file system can do that, which takes a few
/// milliseconds however long the movie is; elsewhere a new file replaces the old one. Whenever the process dies or the
/// power fails, the file is a complete movie, with the old tags or the new ones.
public struct Tagger {
  /// How the tags got into the file.
  public enum Method: Sendable, Hashable {
    /// They are there already: nothing was written.
    case unchanged
    /// The index was written to where it was, and free space beside it.
    case inPadding
    /// The index is at the end of the file, and was written there.
    case atEnd
    /// This many bytes were inserted before the media.
    case inserted(bytes: UInt64)
    /// The movie was written anew, as the file system or the movie does not allow anything else.
    case rewritten
  }

  /// What was done, or is to be done.
  public struct Summary: Sendable, Hashable {
    /// How the tags got into the file.
    public let method: Method
    /// Size of the file after it, in bytes.
    public let size: UInt64
    /// Free bytes beside the index, for the next time.
    public let padding: UInt64
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

  /// Makes the changes.
  ///
  /// - Parameters:
  ///   - changes: what to set and what to remove.
  ///   - progress: called as by `Remuxer`, if the movie has to be rewritten.
  /// - Throws: `MP4Error`: `.cannotBeCarriedOver`, what is wrong with the movie, `.source`, `.sink`; whatever
  ///   `progress` throws.
  @discardableResult
  public func run(
    _ changes: TagChanges, progress: (UInt64, UInt64) throws -> Void = { _, _ in }
  ) throws -> Summary {
    if let summary = try changeInPlace(changes) { return summary }
    // Read again: another process may have changed the file.
    let movie = try MP4Demuxer(path: path, limits: limits)
    guard let plan = try TagPlan(movie, changes, file: nil, limits: limits) else {
      return try Tagger.unchanged(movie)
    }
    do {
      try PlanTarget(name: path, sink: nil, clobber: true, sync: true).write(plan.output, of: movie, progress: progress)
    } catch let error as MP4Error {
      throw error.unlessChanged(movie.reader.source)
    }
    return plan.summary
  }

  /// What `run` would do; nothing is written.
  ///
  /// - Throws: `MP4Error`, as `run`.
  public func plan(_ changes: TagChanges) throws(MP4Error) -> Summary {
    let (movie, plan): (MP4Demuxer, TagPlan?)
    if let locked = try lockedPlan(changes) {
      (movie, plan) = (locked.movie, locked.plan)
    } else {
      movie = try MP4Demuxer(path: path, limits: limits)
      plan = try TagPlan(movie, changes, file: nil, limits: limits)
    }
    guard let plan else { return try Tagger.unchanged(movie) }
    return plan.summary
  }

  private static func unchanged(_ movie: MP4Demuxer) throws(MP4Error) -> Summary {
    let layout = try TagLayout(movie)
    return Summary(
      method: .unchanged, size: movie.reader.size, padding: layout.map { $0.regionEnd - $0.moov.end } ?? 0)
  }

  /// Locks the file, and plans the changes of what is in it then: an index that was read earlier may be of a file that
  /// has changed since.
  ///
  /// - Returns: the plan, `nil` if nothing would change; `nil` in place of all if the file cannot be locked.
  private func lockedPlan(_ changes: TagChanges) throws(MP4Error) -> (
    editor: EditableFile, movie: MP4Demuxer, plan: TagPlan?
  )? {
    let editor: EditableFile
    let source: FileSource
    do throws(SinkError) {
      guard let locked = try EditableFile.locked(path: path) else { return nil }
      editor = locked
      source = try editor.source()
    } catch {
      throw MP4Error(.sink(error), file: path)
    }
    let movie = try MP4Demuxer(source: source, limits: limits)
    return (editor, movie, try TagPlan(movie, changes, file: editor, limits: limits))
  }

  /// Makes the changes in place while the file is locked.
  ///
  /// - Returns: `nil` if that cannot be done; the file is then unchanged.
  private func changeInPlace(_ changes: TagChanges) throws(MP4Error) -> Summary? {
    guard let (editor, movie, plan) = try lockedPlan(changes) else { return nil }
    guard let plan else { return try Tagger.unchanged(movie) }
    guard let steps = plan.steps else { return nil }
    // Some programs change files without asking for a lock.
    try movie.checkUnchanged()
    return try editor.perform(steps) ? plan.summary : nil
  }
}

extension TagPlan {
  /// What it does.
  var summary: Tagger.Summary {
    Tagger.Summary(method: method, size: output.count, padding: padding)
  }
}
