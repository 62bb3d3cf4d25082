#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The status of a file as the system reports it.
struct FileStatus: Sendable, Equatable {
  enum Kind: Sendable { case regular, folder, other }
  let kind: Kind
  let size: UInt64
  /// Device and inode: together they tell whether two names are one file.
  let identity: Identity
  /// Permission bits.
  let mode: UInt32
  let owner: UInt32
  let group: UInt32
  /// When its bytes were last changed. Anyone may set this back.
  let modified: Moment
  /// When its content or metadata last changed (`ctime`), which programs cannot set.
  let changed: Moment

  /// A time by the system's clock.
  struct Moment: Sendable, Hashable {
    let seconds: Int
    let nanoseconds: Int
  }

  struct Identity: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
  }
}

extension FileStatus {
  init(_ info: stat) {
    kind =
      switch info.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      default: .other
      }
    size = UInt64(clamping: info.st_size)
    identity = Identity(device: UInt64(info.st_dev), inode: UInt64(info.st_ino))
    mode = UInt32(info.st_mode & 0o7777)
    owner = info.st_uid
    group = info.st_gid
    modified = Moment(info.st_mtim)
    changed = Moment(info.st_ctim)
  }
}

extension FileStatus.Moment {
  fileprivate init(_ time: timespec) {
    seconds = Int(time.tv_sec)
    nanoseconds = Int(time.tv_nsec)
  }
}
