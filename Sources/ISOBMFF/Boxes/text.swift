/// The style of QuickTime text, which is mostly used for chapters.
///
/// Some writers put the fields of `tx3g` here, which differ; they are recognized by the font table after them.
///
/// Source: QuickTime File Format, Text Sample Description.
package struct QuickTimeTextSampleEntry: SampleEntry {
  package var head = SampleEntryHead()
  /// Whether the fields are those of `tx3g`: then only `style` is meaningful, and child boxes follow.
  package var isTimedText = false
  /// The style, if the fields are those of `tx3g`.
  package var style = TimedTextStyle()
  /// Flags for drawing; QuickTime File Format has the list.
  package var displayFlags: UInt32 = 0
  /// 0 left, 1 centre, -1 right.
  package var textJustification: Int32 = 0
  /// Red, green, blue.
  package var backgroundColour = [UInt16](repeating: 0, count: 3)
  /// Top, left, bottom, right, in pixels.
  package var textBox: UInt64 = 0
  /// Kept as is.
  package var reserved1: [UInt8] = []
  /// 0.
  package var fontNumber: UInt16 = 0
  /// 1 bold, 2 italic, 4 underlined.
  package var fontFace: UInt16 = 0
  /// Kept as is.
  package var reserved2: [UInt8] = []
  /// Red, green, blue.
  package var foregroundColour = [UInt16](repeating: 0xFFFF, count: 3)
  /// The font's name.
  package var fontName = BoxText()
  /// Whether the name is present.
  package var hasFontName = true

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    if coder.isReading { isTimedText = coder.peek(38).suffix(4).elementsEqual("ftab".utf8) }
    guard !isTimedText else { return try style.code(with: &coder) }
    try coder.integer("displayFlags", &displayFlags)
    try coder.integer("textJustification", &textJustification)
    try coder.colour("backgroundColor", &backgroundColour)
    try coder.integer("defaultTextBox", &textBox)
    try coder.reserved(&reserved1, count: 8)
    try coder.integer("fontNumber", &fontNumber)
    try coder.integer("fontFace", &fontFace)
    try coder.reserved(&reserved2, count: 3)
    try coder.colour("foregroundColor", &foregroundColour)
    if coder.isPresent(&hasFontName) { try coder.pascalText("textName", &fontName) }
  }
}
