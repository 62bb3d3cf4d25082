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
    let movie = try MP4Demuxer(path: path, limits: limits)
    switch movie.layout {
    case .fastStart, .unknown: return .isInFront
    case .fragmented: throw MP4Error(.fragmentedMovie, file: path)
    case .moovLast: break
    }
    let editor: EditableFile
    do throws(SinkError) {
      editor = try EditableFile(path: path)
    } catch {
      throw MP4Error(.sink(error), file: path)
    }
    if editor.insertsAtomically, editor.isFile(of: movie.reader.source),
      let plan = try FastStartPlan(movie, blockSize: editor.blockSize), try FastStart.perform(plan.steps, with: editor)
    {
      return .moved(inserted: plan.inserted)
    }
    try Remuxer(from: movie, to: path).run(progress: progress)
    return .rewritten
  }

  /// Takes the steps, or those back that were taken, if one of them cannot be.
  ///
  /// - Returns: whether they were taken; not, if the file system lacks what one of them needs.
  static func perform(_ steps: [FastStartPlan.Step], with editor: EditableFile) throws(MP4Error) -> Bool {
    for step in steps {
      do throws(SinkError) {
        if try editor.apply(step.edit) { continue }
      } catch {
        takeBack(step, with: editor)
        throw MP4Error(.sink(error), file: editor.name)
      }
      takeBack(step, with: editor)
      return false
    }
    return true
  }

  /// Where this fails too, the movie is still whole, and only longer than it was.
  private static func takeBack(_ step: FastStartPlan.Step, with editor: EditableFile) {
    for edit in step.undo { guard (try? editor.apply(edit)) == true else { return } }
  }
}
