/// NAL units, each preceded by a 16-bit length, as in the decoder configurations of H.264, H.265 and H.266.
///
/// Source: ISO/IEC 14496-15, 5.3.3.
enum NALUnits {
  static func code(
    _ units: inout [[UInt8]], _ name: String, count: Int, with coder: inout FieldCoder
  ) throws(BoxError) {
    try coder.list(name, &units, count: count, minimumSize: 2, make: { [] }) {
      (coder, unit) throws(BoxError) in try coder.sizedBytes("nalUnit", &unit, by: UInt16.self)
    }
  }

  static func codeCounted<Count: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ units: inout [[UInt8]], _ name: String, by: Count.Type, with coder: inout FieldCoder
  ) throws(BoxError) {
    try coder.countedList(name, &units, by: by, minimumSize: 2, make: { [] }) {
      (coder, unit) throws(BoxError) in try coder.sizedBytes("nalUnit", &unit, by: UInt16.self)
    }
  }
}
