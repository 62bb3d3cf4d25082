internal import MediaCore

/// A waveform as a picture of pixels: 16 steps from the background to the colour, two pixels a byte.
///
/// Edges are smooth: a pixel that a column covers in part is of a step in between. Source: W3C, Portable Network
/// Graphics.
struct PNGDrawing {
  private let outline: WaveformOutline
  private let picture: WaveformPicture

  /// A blue with enough contrast on white and on black.
  private static let defaultColor = WaveformPicture.Color(red: 0x3A, green: 0x86, blue: 0xC8)
  private static let steps = 15
  /// Columns that are drawn for each of the picture, whose mean it shows.
  private static let subcolumns = 4
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The filter that takes each byte as the difference from the one above: columns become runs of zeros.
  private static let filterUp: UInt8 = 2

  init(_ waveform: Waveform, _ picture: WaveformPicture) {
    outline = WaveformOutline(waveform, picture, finer: PNGDrawing.subcolumns)
    self.picture = picture
  }

  func write(to output: inout PieceWriter) throws(SinkError) {
    try output.write(PNGDrawing.signature)
    var head: [UInt8] = []
    head.appendBigEndian(UInt32(picture.width))
    head.appendBigEndian(UInt32(picture.height))
    // 4 bits a pixel, from a palette.
    head += [4, 3, 0, 0, 0]
    try PNGDrawing.write("IHDR", head, to: &output)
    let colors = palette
    try PNGDrawing.write("PLTE", colors.flatMap { [$0.red, $0.green, $0.blue] }, to: &output)
    if colors.contains(where: { $0.alpha < 255 }) { try PNGDrawing.write("tRNS", colors.map(\.alpha), to: &output) }
    try writePixels(to: &output)
    try PNGDrawing.write("IEND", [], to: &output)
  }

  /// The background, 14 colours between, and the wave's colour.
  private var palette: [WaveformPicture.Color] {
    let front = picture.color ?? PNGDrawing.defaultColor
    return (0...PNGDrawing.steps).map { step in
      guard let back = picture.background else {
        var color = front
        color.alpha = UInt8(Int(front.alpha) * step / PNGDrawing.steps)
        return color
      }
      // The wave may be transparent itself.
      let part = step * Int(front.alpha)
      func mixed(_ one: UInt8, _ other: UInt8) -> UInt8 {
        UInt8((Int(one) * (255 * PNGDrawing.steps - part) + Int(other) * part) / (255 * PNGDrawing.steps))
      }
      return WaveformPicture.Color(
        red: mixed(back.red, front.red), green: mixed(back.green, front.green), blue: mixed(back.blue, front.blue),
        alpha: mixed(back.alpha, 255))
    }
  }

  private func writePixels(to output: inout PieceWriter) throws(SinkError) {
    let extents = (0..<outline.lanes).map { lane in
      (0..<outline.columns).map { outline.extent(of: $0, lane: lane) }
    }
    let rowBytes = (picture.width + 1) / 2
    var (row, above) = ([UInt8](repeating: 0, count: rowBytes), [UInt8](repeating: 0, count: rowBytes))
    var deflater = Deflater()
    for y in 0..<picture.height {
      for index in row.indices { row[index] = 0 }
      let lane = min(y * outline.lanes / picture.height, outline.lanes - 1)
      for x in 0..<picture.width {
        // A row belongs to one lane, also where lanes are thinner than rows, or end within one.
        let step = PNGDrawing.step(extents[lane], x, of: picture.width, y)
        row[x / 2] |= UInt8(step) << (x.isMultiple(of: 2) ? 4 : 0)
      }
      deflater.append([PNGDrawing.filterUp])
      deflater.append((0..<rowBytes).map { row[$0] &- above[$0] })
      swap(&row, &above)
      if deflater.bytes.count >= 1 << 15 { try PNGDrawing.write("IDAT", deflater.take(), to: &output) }
    }
    deflater.finish()
    try PNGDrawing.write("IDAT", deflater.take(), to: &output)
  }

  /// How much of a pixel is covered, in steps.
  private static func step(_ extents: [(top: Double, bottom: Double)], _ x: Int, of width: Int, _ y: Int) -> Int {
    let (top, bottom) = (Double(y), Double(y + 1))
    var covered = 0.0
    for part in 0..<subcolumns {
      let extent = extents[(x * subcolumns + part) * extents.count / (width * subcolumns)]
      covered += max(min(extent.bottom, bottom) - max(extent.top, top), 0)
    }
    return Int((covered / Double(subcolumns) * Double(steps)).rounded())
  }

  private static func write(_ type: String, _ content: [UInt8], to output: inout PieceWriter) throws(SinkError) {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(UInt32(content.count))
    let body = Array(type.utf8) + content
    bytes += body
    bytes.appendBigEndian(Checksum.crc32(body))
    try output.write(bytes)
  }
}
