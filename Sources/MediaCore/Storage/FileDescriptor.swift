#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// An open file: closed when the last reference to it goes.
final class FileDescriptor: Sendable {
  let number: Int32
  private let isOwned: Bool

  init(_ number: Int32) {
    self.number = number
    isOwned = true
  }

  /// One of the three that every process starts with; this one is never closed.
  init(standard number: Int32) {
    self.number = number
    isOwned = false
  }

  deinit {
    if isOwned { _ = close(number) }
  }
}
