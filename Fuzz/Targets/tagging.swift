import MP4
import MediaCore

// Tags of any movie, changed in the file itself: the movie has the same samples and the new tags afterwards, or the old
// file is there, byte for byte.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTagging(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  guard (try? MP4Demuxer(source: MemorySource(bytes))) != nil else { return 0 }
  checkTagging(bytes, size: Int(bytes.reduce(0, ^)) * 100, onDisk: bytes.count & 1 == 0)
  return 0
}
