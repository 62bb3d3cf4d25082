import MP4
import MediaCore

// What remuxing writes is a movie that holds what the old one held: every sample of every track with the same bytes at
// the same time. Input bytes also choose the options, so that a run tries all of them.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRemux(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  let seed = bytes.reduce(UInt64(count)) { $0 &* 31 &+ UInt64($1) }
  var choices = Choices(withUnsafeBytes(of: seed &* 0x9E37_79B9_7F4A_7C15) { Array($0) })
  let options = options(&choices)
  guard let output = remuxed(bytes, options, "remuxed to \(options.layout)") else { return 0 }
  // Each read takes its time: not where there are thousands.
  if bytes.count < 20_000 { checkFaults(bytes, options, faults(&choices), expected: output) }
  return 0
}
