#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A failed system call.
struct SystemError: Error {
  let number: Int32

  /// Errors for a name that leads to nothing, the second if what should be a folder is a file.
  static var notFound: [Int32] { [ENOENT, ENOTDIR] }
  static var exists: Int32 { EEXIST }
  static var tooManyLinks: Int32 { ELOOP }
  static var interrupted: Int32 { EINTR }
  static var busy: Int32 { EBUSY }
  static var brokenPipe: Int32 { EPIPE }
  static var inputOutput: Int32 { EIO }
  static var noEntry: Int32 { ENOENT }
  static var invalidArgument: Int32 { EINVAL }
  static var nameTooLong: Int32 { ENAMETOOLONG }
  /// Errors for files, or pairs of files, that the kernel cannot copy between, allocate or insert blocks in, or rename
  /// exclusively.
  static var unsupported: [Int32] { [EINVAL, EXDEV, ENOSYS, EOPNOTSUPP, EBADF, EISDIR, ETXTBSY, EPERM] }
  static var notSupported: [Int32] { [EOPNOTSUPP, EISDIR, EINVAL, ENOENT] }
}
