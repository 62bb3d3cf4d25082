/// The style of 3GPP timed text, which Apple uses for subtitles.
///
/// The names of the fonts follow in `ftab`. Source: 3GPP TS 26.245, 5.16.
package struct TimedTextSampleEntry: SampleEntry {
  package var head = SampleEntryHead()
  /// The default style.
  package var style = TimedTextStyle()

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try style.code(with: &coder)
  }
}

/// The style of timed text, unless samples say otherwise.
package struct TimedTextStyle: Sendable, Hashable {
  /// Scrolling, and 0x40000000 if all samples are to be shown even with subtitles off.
  package var displayFlags: UInt32 = 0
  /// 0 left, 1 centre, -1 right.
  package var horizontalJustification: Int8 = 1
  /// 0 top, 1 centre, -1 bottom.
  package var verticalJustification: Int8 = -1
  /// Red, green, blue, opacity.
  package var backgroundColour: UInt32 = 0
  /// Top, left, bottom, right, in pixels.
  package var textBox: [Int16] = [0, 0, 0, 0]
  /// First and last character that the style applies to; 0 here, as it applies to all.
  package var characterRange: UInt32 = 0
  /// The font's identifier in the font table.
  package var fontID: UInt16 = 1
  /// 1 bold, 2 italic, 4 underlined.
  package var faceStyleFlags: UInt8 = 0
  /// Size in pixels.
  package var fontSize: UInt8 = 18
  /// Red, green, blue, opacity.
  package var textColour: UInt32 = 0xFFFF_FFFF

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("displayFlags", &displayFlags)
    try coder.integer("horizontal_justification", &horizontalJustification)
    try coder.integer("vertical_justification", &verticalJustification)
    try coder.integer("background_color_rgba", &backgroundColour)
    for (index, side) in zip(textBox.indices, ["top", "left", "bottom", "right"]) {
      try coder.integer(side, &textBox[index])
    }
    try coder.integer("startChar_endChar", &characterRange)
    try coder.integer("font_ID", &fontID)
    try coder.integer("face_style_flags", &faceStyleFlags)
    try coder.integer("font_size", &fontSize)
    try coder.integer("text_color_rgba", &textColour)
  }
}
