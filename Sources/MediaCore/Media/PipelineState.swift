/// The state of a reader, muxer, recorder or player.
public enum PipelineState: Sendable, Hashable {
  /// Created, and not used yet.
  case unknown
  /// Under way.
  case running
  /// Stopped by an error.
  case failed
  /// Finished: everything has been delivered.
  case completed
  /// Stopped by its owner.
  case cancelled
}
