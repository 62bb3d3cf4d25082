/// The style of QuickTime text, which is mostly used for chapters.
///
/// Some writers put the fields of `tx3g` here, which differ; they are recognised by the font table after them.
///
/// Source: QuickTime File Format, Text Sample Description.
public struct QuickTimeTextSampleEntry: SampleEntry {
  public var head = SampleEntryHead()
  /// Whether the fields are those of `tx3g`: then only `style` is meaningful, and child boxes follow.
  public var isTimedText = false
  /// The style, if the fields are those of `tx3g`.
  public var style = TimedTextStyle()
  /// Flags for drawing; QuickTime File Format has the list.
  public var displayFlags: UInt32 = 0
  /// 0 left, 1 centre, -1 right.
  public var textJustification: Int32 = 0
  /// Red, green, blue.
  public var backgroundColour = [UInt16](repeating: 0, count: 3)
  /// Top, left, bottom, right, in pixels.
  public var textBox: UInt64 = 0
  /// Kept as is.
  public var reserved1: [UInt8] = []
  /// 0.
  public var fontNumber: UInt16 = 0
  /// 1 bold, 2 italic, 4 underlined.
  public var fontFace: UInt16 = 0
  /// Kept as is.
  public var reserved2: [UInt8] = []
  /// Red, green, blue.
  public var foregroundColour = [UInt16](repeating: 0xFFFF, count: 3)
  /// The font's name.
  public var fontName = BoxText()
  /// Whether the name is present.
  public var hasFontName = true

  public static let hasChildren = true

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
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
