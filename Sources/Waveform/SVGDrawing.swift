internal import MediaCore

/// A waveform as a vector graphic: one closed path, around each lane from left to right along the top and back along
/// the bottom.
///
/// Its colour is that of the text around it unless one is given, so a page's style sheet sets it, and it follows a dark
/// theme. Corners are rounded by a thin line of the same colour.
struct SVGDrawing {
  private let outline: WaveformOutline
  private let picture: WaveformPicture

  init(_ waveform: Waveform, _ picture: WaveformPicture) {
    outline = WaveformOutline(waveform, picture)
    self.picture = picture
  }

  func write(to output: inout PieceWriter) throws(SinkError) {
    let (width, height) = (picture.width, picture.height)
    try output.write(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" "
        + "viewBox=\"0 0 \(width) \(height)\" preserveAspectRatio=\"none\" role=\"img\">\n<title>Waveform</title>\n")
    if let background = picture.background {
      try output.write("<rect width=\"100%\" height=\"100%\"\(SVGDrawing.attributes("fill", background))/>\n")
    }
    let color = picture.color.map { SVGDrawing.attributes("fill", $0) + SVGDrawing.attributes("stroke", $0) }
    try output.write(
      "<path\(color ?? " fill=\"currentColor\" stroke=\"currentColor\"") stroke-width=\".5\" "
        + "stroke-linejoin=\"round\" vector-effect=\"non-scaling-stroke\" d=\"")
    for lane in 0..<outline.lanes { try write(lane, to: &output) }
    try output.write("\"/>\n</svg>\n")
  }

  /// Tenths of a pixel are as fine as anybody sees. Places are written as steps from the one before, which is shorter.
  private func write(_ lane: Int, to output: inout PieceWriter) throws(SinkError) {
    let step = 10 * Double(picture.width) / Double(outline.columns)
    func x(_ column: Int) -> Int { Int(((Double(column) + 0.5) * step).rounded()) }
    let middle = Int((10 * outline.middle(of: lane)).rounded())
    try output.write("M0 \(SVGDrawing.tenths(middle))l")
    var last = (x: 0, y: middle)
    func line(to x: Int, _ y: Int) -> String {
      let step = [x - last.x, y - last.y]
      last = (x, y)
      // A sign parts numbers as well as a space does.
      return step.map { ($0 < 0 ? "" : " ") + SVGDrawing.tenths($0) }.joined()
    }
    for column in 0..<outline.columns {
      try output.write(line(to: x(column), Int((10 * outline.extent(of: column, lane: lane).top).rounded())))
    }
    try output.write(line(to: 10 * picture.width, middle))
    for column in (0..<outline.columns).reversed() {
      try output.write(line(to: x(column), Int((10 * outline.extent(of: column, lane: lane).bottom).rounded())))
    }
    try output.write("z")
  }

  /// `12`, `-.5`: a number of tenths, as short as can be.
  private static func tenths(_ tenths: Int) -> String {
    let (whole, part) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    let sign = tenths < 0 ? "-" : ""
    if part == 0 { return "\(sign)\(whole)" }
    return whole == 0 ? "\(sign).\(part)" : "\(sign)\(whole).\(part)"
  }

  private static func attributes(_ name: String, _ color: WaveformPicture.Color) -> String {
    func digits(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    let percent = Int(color.alpha) * 100 / 255
    let opacity = percent == 100 ? "" : " \(name)-opacity=\"0.\("\(100 + percent)".dropFirst())\""
    return " \(name)=\"#\(digits(color.red))\(digits(color.green))\(digits(color.blue))\"\(opacity)"
  }
}
