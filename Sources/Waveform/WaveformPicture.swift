/// How a waveform is drawn.
public struct WaveformPicture: Sendable, Hashable {
  /// The sides that a picture may have, in pixels.
  public static let sides = 1...16_384

  /// Width and height in pixels, each within `sides`. For SVG they are the nominal size, from which it scales.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  /// The colour of the wave. `nil` means that of the surrounding text in a vector graphic (`currentColor`), and in a
  /// picture of pixels a blue with enough contrast on light and on dark pages.
  public let color: Color?
  /// The colour behind it; `nil` for none.
  public let background: Color?

  /// How to draw; sides are clamped to what they may be.
  public init(width: Int = 1000, height: Int = 160, color: Color? = nil, background: Color? = nil) {
    self.width = min(max(width, WaveformPicture.sides.lowerBound), WaveformPicture.sides.upperBound)
    self.height = min(max(height, WaveformPicture.sides.lowerBound), WaveformPicture.sides.upperBound)
    self.color = color
    self.background = background
  }

  /// A colour, in sRGB.
  public struct Color: Sendable, Hashable {
    /// How much red: 0 to 255.
    public var red: UInt8
    /// How much green.
    public var green: UInt8
    /// How much blue.
    public var blue: UInt8
    /// How opaque: 0 to 255.
    public var alpha: UInt8

    /// A colour from its parts.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
      (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    /// A colour as style sheets write it: `#rgb`, `#rrggbb` or `#rrggbbaa`, with or without the `#`.
    ///
    /// - Parameter text: the colour; `nil` for anything else.
    public init?(_ text: String) {
      let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
      let values = digits.compactMap(\.hexDigitValue).map { UInt8($0) }
      guard values.count == digits.count, digits.utf8.count == values.count else { return nil }
      switch values.count {
      case 3: self.init(red: values[0] * 17, green: values[1] * 17, blue: values[2] * 17)
      case 6, 8:
        let pairs = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
        self.init(red: pairs[0], green: pairs[1], blue: pairs[2], alpha: pairs.count == 4 ? pairs[3] : 255)
      default: return nil
      }
    }
  }
}

/// Where each column of a picture begins and ends: what both kinds of pictures draw.
///
/// Channels lie one above the other, each in a lane of its own, around a line in its middle.
struct WaveformOutline {
  /// Columns that differ: as many as there are pixels, if that is fewer than the picture has.
  let columns: Int
  let lanes: Int
  private let waveform: Waveform
  private let laneHeight: Double

  /// How much of a lane full scale takes: a little air keeps loud lanes apart.
  private static let fullness = 0.92
  /// The least height of a column in pixels: silence is a line.
  private static let thinnest = 1.0

  /// - Parameter finer: how many columns there may be for each that the picture has.
  init(_ waveform: Waveform, _ picture: WaveformPicture, finer: Int = 1) {
    self.waveform = waveform
    lanes = waveform.channels
    columns = min(picture.width * finer, max(waveform.length, 1))
    laneHeight = Double(picture.height) / Double(lanes)
  }

  /// The middle of a lane, from the top.
  func middle(of lane: Int) -> Double { (Double(lane) + 0.5) * laneHeight }

  /// Where a column begins and ends, from the top. It reaches over the line in the middle, and is not thinner.
  func extent(of column: Int, lane: Int) -> (top: Double, bottom: Double) {
    let first = column * waveform.length / columns
    let last = max((column + 1) * waveform.length / columns, first + 1)
    let extremes = waveform.extremes(of: first..<last, channel: lane) ?? (0, 0)
    let (middle, scale) = (middle(of: lane), laneHeight / 2 * WaveformOutline.fullness / 32_768)
    let half = min(WaveformOutline.thinnest, laneHeight) / 2
    return (
      min(middle - Double(max(extremes.high, 0)) * scale, middle - half),
      max(middle - Double(min(extremes.low, 0)) * scale, middle + half)
    )
  }
}
