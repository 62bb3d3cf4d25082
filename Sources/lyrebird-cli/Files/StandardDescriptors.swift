#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Standard input, output and error, which a caller may have closed.
enum StandardDescriptors {
  /// Occupies each one that is closed: otherwise the next file to be opened would get its number, and messages would be
  /// written into it.
  ///
  /// Called before anything is opened. The replacement can neither be read from nor written to, so that using it fails,
  /// instead of results being lost.
  static func occupy() {
    for number in Int32(0)...2 where fcntl(number, F_GETFD) == -1 && errno == EBADF {
      // This gets the lowest free number, which is `number`, as all below are taken.
      let mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY
      // The names are only read during the calls.
      if unsafe open("/dev/null", mode) == -1 { _ = unsafe open("/", O_RDONLY | O_DIRECTORY) }
    }
  }

  /// Makes the command end silently when the reader of its results goes away, as `head` does, even if the parent
  /// process ignores SIGPIPE.
  static func endWithReader() {
    signal(SIGPIPE, SIG_DFL)
  }
}
