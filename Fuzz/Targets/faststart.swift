import MP4
import MediaCore

// The index of any movie, moved to its front in the file itself: a movie with the same samples is there afterwards, or
// the old file, byte for byte.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFastStart(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  guard let movie = try? MP4Demuxer(source: MemorySource(bytes)), movie.layout == .moovLast else { return 0 }
  checkFastStart(bytes, onDisk: bytes.reduce(0, ^) & 1 == 0)
  return 0
}
