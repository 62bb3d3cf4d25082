internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// An unnamed file for what does not fit in memory, deleted with the last reference to it.
package final class ScratchFile: ByteSource, ByteSink {
  /// The name used in messages.
  package let name: String
  /// The longest that a file can be, as this one grows while it is read.
  package let size = UInt64(Int64.max)
  private let file: FileDescriptor
  private let end = Mutex<UInt64>(0)

  /// A new file in the folder that `TMPDIR` names, or else in `/tmp`.
  ///
  /// - Throws: `SinkError` `.cannotCreate`.
  package init() throws(SinkError) {
    let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    name = "a temporary file in \(folder)"
    do throws(SystemError) {
      file = try ScratchFile.create(in: folder)
    } catch {
      throw SinkError(.cannotCreate(error.number), name: name)
    }
  }

  /// An unnamed file, or, where the file system has none, a file that is unlinked at once.
  private static func create(in folder: String) throws(SystemError) -> FileDescriptor {
    do throws(SystemError) {
      return try System.createUnnamed(inFolder: folder)
    } catch  where SystemError.notSupported.contains(error.number) {
      let path = "\(folder)/.lyrebird-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
      let file = try System.create(path)
      System.remove(path)
      return file
    }
  }

  /// Appends bytes.
  ///
  /// - Returns: the offset at which they begin.
  /// - Throws: `SinkError` `.writeFailed`.
  package func append(_ bytes: ArraySlice<UInt8>) throws(SinkError) -> UInt64 {
    let start = claim(bytes.count)
    try unsafe bytes.span.withUnsafeBytes { bytes throws(SinkError) in try unsafe write(bytes, at: start) }
    return start
  }

  /// Appends bytes; see `ByteSink`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError) {
    try unsafe write(bytes, at: claim(bytes.count))
  }

  /// Takes a place at the end, which no other writer gets.
  private func claim(_ count: Int) -> UInt64 {
    end.withLock { end in
      defer { end += UInt64(count) }
      return end
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at start: UInt64) throws(SinkError) {
    do { try unsafe System.write(file, bytes, at: start) } catch {
      throw SinkError(.writeFailed(error.number), name: name)
    }
  }

  /// Nothing to do: it never gets a name.
  package func finish() throws(SinkError) {}

  /// Reads with `pread`; see `ByteSource`.
  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    do {
      return try unsafe System.read(file, at: offset, into: buffer)
    } catch {
      throw SourceError(.system(error.number), name: name, offset: offset)
    }
  }

  /// Nothing to do: no other process can reach it.
  package func reopen() throws(SourceError) {}
}
