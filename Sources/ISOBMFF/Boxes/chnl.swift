/// Which loudspeaker each channel is for.
///
/// What follows the first byte depends on the number of channels in the sample entry, so it is kept as is.
///
/// Source: ISO/IEC 14496-12, 12.2.4.
package struct ChannelLayoutBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Bit 0: there are channels; bit 1: there are objects. In version 1 these are the upper four bits.
  package var streamStructure: UInt8 = 1
  /// The layout, or the position of each loudspeaker, and which channels are omitted.
  package var layout: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("stream_structure", &streamStructure)
    try coder.rest("layout", &layout)
  }

  /// `ChannelConfiguration` of ISO/IEC 23091-3; `nil` if the loudspeakers are listed instead.
  package var definedLayout: UInt8? {
    guard versionAndFlags.version == 0, streamStructure & 1 != 0, let layout = layout.first, layout != 0 else {
      return nil
    }
    return layout
  }
}
