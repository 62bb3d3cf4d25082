/// The sampling rate, if the 16 bits of the sample entry do not suffice.
///
/// Source: ISO/IEC 14496-12, 12.2.3.
package struct SamplingRateBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Samples per second.
  package var samplingRate: UInt32 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("sampling_rate", &samplingRate)
  }
}
