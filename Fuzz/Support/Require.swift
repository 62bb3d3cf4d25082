// What all targets have in common.

/// A claim that must hold for every input. Where it does not, the process ends, and the fuzzer keeps the input.
func require(_ holds: Bool, _ claim: @autoclosure () -> String) {
  if !holds { fatalError("violated: " + claim()) }
}

/// The input as the fuzzer hands it over, copied: it may not be kept beyond the call.
func input(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: start, count: count))
}
