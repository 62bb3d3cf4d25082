/// How samples depend on one another, one byte per sample.
///
/// Source: ISO/IEC 14496-12, 8.6.4.
package struct SampleDependencyTypeBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// For each sample, from the highest bits down, two bits each: whether it is leading, depends on others, is
  /// depended on, has redundant coding. As many bytes as there are samples.
  package var dependencies: ArraySlice<UInt8> = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.slice("dependencies", &dependencies, count: coder.remaining)
  }
}
