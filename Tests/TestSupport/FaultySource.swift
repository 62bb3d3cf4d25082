public import MediaCore
internal import Synchronization

/// A source with faults, to see what becomes of them further up.
///
/// Reads are counted from 0, failed ones too. After a failure the source stays broken until it is reopened, as a file
/// on a network share does, unless told otherwise.
public final class FaultySource: ByteSource {
  /// What goes wrong.
  public struct Faults: Sendable {
    /// Reads that fail.
    public var failingReads: Set<Int> = []
    /// Reads that deliver a single byte.
    public var shortReads: Set<Int> = []
    /// Bytes that any read delivers at most.
    public var longestRead = Int.max
    /// Whether nothing works after a failed read until the source was reopened.
    public var needsReopen = true
    /// How many times reopening fails before it works.
    public var failingReopens = 0
    /// Whether reopening finds something else in the old one's place.
    public var isChanged = false
    /// From which offset on there is nothing, whatever `size` promised.
    public var end = UInt64.max

    /// A source without faults.
    public init() {}

    /// Reads that fail, each once.
    public static func failing(_ reads: Int...) -> Faults {
      var faults = Faults()
      faults.failingReads = Set(reads)
      return faults
    }
  }

  private struct State {
    var reads = 0
    var reopens = 0
    var isBroken = false
    var largestRead = 0
    var bytesRead: UInt64 = 0
  }

  /// The error of a failed read: `EIO`.
  public static let failure = SourceError.Code.system(5)

  private let original: any ByteSource
  private let faults: Faults
  private let state = Mutex(State())

  /// The faults, over a source that has none.
  public init(_ original: any ByteSource, _ faults: Faults = Faults()) {
    self.original = original
    self.faults = faults
  }

  public var size: UInt64 { original.size }
  public var name: String { original.name }

  /// How many reads there were.
  public var reads: Int { state.withLock { $0.reads } }

  /// Bytes that were asked for at once, at most: no buffer behind the source is larger.
  public var largestRead: Int { state.withLock { $0.largestRead } }

  /// Bytes that were delivered.
  public var bytesRead: UInt64 { state.withLock { $0.bytesRead } }

  /// How many times the source was reopened, or should have been.
  public var reopens: Int { state.withLock { $0.reopens } }

  public func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    let (number, isBroken) = state.withLock { state in
      defer { state.reads += 1 }
      state.largestRead = max(state.largestRead, buffer.count)
      if faults.failingReads.contains(state.reads), faults.needsReopen { state.isBroken = true }
      return (state.reads, state.isBroken)
    }
    if isBroken || faults.failingReads.contains(number) {
      throw SourceError(FaultySource.failure, name: name, offset: offset)
    }
    guard offset < faults.end else { return 0 }
    let longest = faults.shortReads.contains(number) ? 1 : faults.longestRead
    let count = min(UInt64(min(buffer.count, longest)), faults.end - offset)
    let done = try unsafe original.read(
      at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(count))))
    state.withLock { $0.bytesRead += UInt64(done) }
    return done
  }

  public func reopen() throws(SourceError) {
    let number = state.withLock { state in
      defer { state.reopens += 1 }
      return state.reopens
    }
    if faults.isChanged { throw SourceError(.changed, name: name) }
    guard number >= faults.failingReopens else { throw SourceError(FaultySource.failure, name: name) }
    state.withLock { $0.isBroken = false }
  }
}
