internal import Foundation

/// What this process has taken of its heap.
public enum Heap {
  /// Bytes that are in use: from glibc's report on its heap, whose last lines are the sums of what is free, and of what
  /// it has in all.
  public static var inUse: Int {
    typealias Report = @convention(c) (Int32, UnsafeMutablePointer<FILE>?) -> Int32
    guard let report = unsafe dlsym(nil, "malloc_info"), let file = unsafe tmpfile() else { return 0 }
    defer { unsafe fclose(file) }
    _ = unsafe unsafeBitCast(report, to: Report.self)(0, file)
    unsafe rewind(file)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
    func sum(_ tag: String) -> Int {
      let line = lines.last { $0.hasPrefix("<\(tag)") } ?? ""
      return line.split(separator: "\"").last { Int($0) != nil }.flatMap { Int($0) } ?? 0
    }
    return sum("system type=\"current\"") + sum("total type=\"mmap\"") - sum("total type=\"fast\"")
      - sum("total type=\"rest\"")
  }
}
