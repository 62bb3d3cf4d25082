/// Where a reader, muxer, recorder or player is in its life.
public enum PipelineState: Sendable, Hashable {
  /// Made, and nothing asked of it yet.
  case unknown
  /// Under way.
  case running
  /// Stopped by an error.
  case failed
  /// All there was has been delivered.
  case completed
  /// Stopped by its owner.
  case cancelled
}
