/// Which MPEG-4 profiles a movie needs.
///
/// Source: ISO/IEC 14496-14, 5.5.
package struct ObjectDescriptorBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// An MP4_IOD descriptor.
  package var descriptor: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.rest("OD", &descriptor)
  }
}
