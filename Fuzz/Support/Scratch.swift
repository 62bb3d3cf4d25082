import Glibc

/// Files that targets write: a process of its own has its own; `Fuzz/run` says where, and clears up after a crash.
struct Scratch {
  let path: String

  /// A file in memory, where there is such a place, or on the disk, where a file system may do more.
  init(_ name: String, onDisk: Bool = false) {
    let folder = getenv(onDisk ? "FUZZ_DISK" : "TMPDIR") ?? getenv("TMPDIR")
    path = (folder.map { String(cString: $0) } ?? "/tmp") + "/lyrebird-fuzz-\(getpid())-\(name)"
  }

  func write(_ bytes: [UInt8]) {
    guard let file = fopen(path, "w") else { fatalError("cannot write \(path)") }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  /// What is in the file; `nil` if there is none.
  var bytes: [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let count = ftell(file)
    rewind(file)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = fread(buffer.baseAddress, 1, count, file)
    }
  }

  func remove() { unlink(path) }
}
