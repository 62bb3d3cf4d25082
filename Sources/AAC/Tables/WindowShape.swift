#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The two shapes that a window's slopes can have.
///
/// A slope fades one frame in while its mirror image fades the previous frame out; the squares of both add up to 1, so
/// that the aliasing of the two transforms cancels. The sine separates close lines better, the Kaiser-Bessel derived
/// shape distant ones.
///
/// Source: ISO/IEC 14496-3, 4.6.11.3.2.
enum WindowShape: Int, Sendable {
  /// `sin(pi / 2n (i + 1/2))`.
  case sine = 0
  /// Kaiser-Bessel derived: running sums of a Kaiser window.
  case kaiserBessel = 1

  /// The rising slope of `count` samples, 1024, 960, 128 or 120; the falling one is its mirror image.
  func slope(_ count: Int) -> [Double] {
    switch self {
    case .sine:
      return (0..<count).map { sin(.pi / Double(2 * count) * (Double($0) + 0.5)) }
    case .kaiserBessel:
      let alpha: Double = count > 256 ? 4 : 6
      var sums: [Double] = []
      var sum = 0.0
      for index in 0...count {
        let offset = 2 * Double(index) / Double(count) - 1
        sum += WindowShape.bessel(.pi * alpha * (1 - offset * offset).squareRoot())
        sums.append(sum)
      }
      return sums.dropLast().map { ($0 / sum).squareRoot() }
    }
  }

  /// The modified Bessel function of order 0, as its power series until terms no longer count.
  static func bessel(_ x: Double) -> Double {
    var (sum, term, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-18 {
      term *= (x / 2 / index) * (x / 2 / index)
      sum += term
      index += 1
    }
    return sum
  }
}

/// How a frame is divided into windows.
///
/// Source: ISO/IEC 14496-3, 4.6.11.3.
enum WindowSequence: Int, Sendable {
  /// One long window with long slopes.
  case onlyLong = 0
  /// One window, long slope up and short slope down: short windows follow.
  case longStart = 1
  /// Eight short windows: sudden sounds keep their position.
  case eightShort = 2
  /// One window, short slope up and long slope down.
  case longStop = 3

  /// Number of windows in the frame.
  var windowCount: Int { self == .eightShort ? 8 : 1 }
}
