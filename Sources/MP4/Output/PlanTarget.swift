internal import MediaCore

/// Where a planned output goes: to a file that appears when it is complete, or into a sink.
struct PlanTarget {
  /// The path of the file, or the sink's name in error messages.
  let name: String
  /// Where the bytes go, if not to the file with that name.
  let sink: (any ByteSink)?
  /// Whether an existing file may be replaced.
  let clobber: Bool
  /// Whether a new file is synced to disk too.
  let sync: Bool

  /// Writes a plan.
  ///
  /// - Parameters:
  ///   - plan: the output.
  ///   - movie: the movie that it was made from, which must not have changed meanwhile.
  ///   - progress: called with the bytes written so far and in total; if it throws, the output is discarded.
  /// - Throws: `MP4Error` `.source`, `.sink`; whatever `progress` throws.
  func write(_ plan: OutputPlan, of movie: MP4Demuxer, progress: (UInt64, UInt64) throws -> Void) throws {
    let output = try output(of: plan)
    do {
      try plan.write(to: output, progress: progress)
      try movie.checkUnchanged()
      do throws(SinkError) { try output.finish() } catch { throw MP4Error(.sink(error), file: name) }
    } catch {
      output.cancel()
      throw error
    }
  }

  /// Where the output goes, with room for all of it.
  private func output(of plan: OutputPlan) throws(MP4Error) -> any ByteSink {
    do throws(SinkError) {
      let output: any ByteSink
      if let sink { output = sink } else { output = try FileSink(path: name, clobber: clobber, sync: sync) }
      try output.reserve(plan.count)
      return output
    } catch {
      throw MP4Error(.sink(error), file: name)
    }
  }
}
