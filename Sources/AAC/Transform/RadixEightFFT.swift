#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The discrete Fourier transform of 64 or 512 complex values, eight lanes at a time.
///
/// Stockham's form: each pass takes values that lie `count / 8` apart, transforms eight of them and stores the results
/// in the order in which the next pass wants them, so nothing is ever reordered by itself. Passes go back and forth
/// between two buffers. Real and imaginary parts lie in arrays of their own.
///
/// The buffers are raw memory that this object alone owns: it is what lets eight floats be loaded at once, and the
/// passes stay inside them by construction, as the bounds are those of the loops.
final class RadixEightFFT {
  /// How many complex values: 64 or 512.
  let count: Int
  /// Real parts: of the input before, of the result after `run()`.
  let real: UnsafeMutablePointer<Float>
  /// Imaginary parts.
  let imaginary: UnsafeMutablePointer<Float>

  private let otherReal: UnsafeMutablePointer<Float>
  private let otherImaginary: UnsafeMutablePointer<Float>
  /// For each pass, `e^(-2 pi i p k / n)` for k from 1 to 7, p from 0: real parts of all p, then imaginary ones.
  private let twiddles: [UnsafeMutablePointer<Float>]

  init(count: Int) {
    precondition(count == 64 || count == 512)
    self.count = count
    func buffer(_ count: Int) -> UnsafeMutablePointer<Float> {
      let pointer = UnsafeMutablePointer<Float>.allocate(capacity: count)
      pointer.initialize(repeating: 0, count: count)
      return pointer
    }
    real = buffer(count)
    imaginary = buffer(count)
    otherReal = buffer(count)
    otherImaginary = buffer(count)
    var tables: [UnsafeMutablePointer<Float>] = []
    var length = count
    while length > 8 {
      let places = length / 8
      let table = buffer(14 * places)
      for k in 1...7 {
        for p in 0..<places {
          let angle = -2 * Double.pi * Double(p * k) / Double(length)
          table[(2 * k - 2) * places + p] = Float(cos(angle))
          table[(2 * k - 1) * places + p] = Float(sin(angle))
        }
      }
      tables.append(table)
      length /= 8
    }
    twiddles = tables
  }

  deinit {
    for pointer in [real, imaginary, otherReal, otherImaginary] + twiddles { pointer.deallocate() }
  }

  /// Transforms what is in `real` and `imaginary`, in place.
  func run() {
    firstPass()
    if count == 512 {
      middlePass(from: (otherReal, otherImaginary), to: (real, imaginary))
      lastPass(from: (real, imaginary), to: (otherReal, otherImaginary))
      real.update(from: otherReal, count: count)
      imaginary.update(from: otherImaginary, count: count)
    } else {
      lastPass(from: (otherReal, otherImaginary), to: (real, imaginary))
    }
  }

  private typealias Planes = (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>)

  /// Stride 1: eight neighbouring places at once; their results lie eight apart.
  private func firstPass() {
    let places = count / 8
    let table = twiddles[0]
    for p in stride(from: 0, to: places, by: 8) {
      var lanes = Lanes(real, imaginary, at: p, step: places)
      lanes.transform()
      for k in 0..<8 {
        var (x, y) = lanes[k]
        if k > 0 {
          let c = load(table, (2 * k - 2) * places + p)
          let s = load(table, (2 * k - 1) * places + p)
          (x, y) = (x * c - y * s, x * s + y * c)
        }
        for lane in 0..<8 {
          otherReal[8 * (p + lane) + k] = x[lane]
          otherImaginary[8 * (p + lane) + k] = y[lane]
        }
      }
    }
  }

  /// Stride 8: a row of eight values at once, all with the same factor.
  private func middlePass(from: Planes, to: Planes) {
    let table = twiddles[1]
    for p in 0..<8 {
      var lanes = Lanes(from.0, from.1, at: 8 * p, step: 64)
      lanes.transform()
      store(lanes[0].0, to.0, 64 * p)
      store(lanes[0].1, to.1, 64 * p)
      for k in 1..<8 {
        let (x, y) = lanes[k]
        let c = table[(2 * k - 2) * 8 + p]
        let s = table[(2 * k - 1) * 8 + p]
        store(x * c - y * s, to.0, 64 * p + 8 * k)
        store(x * s + y * c, to.1, 64 * p + 8 * k)
      }
    }
  }

  /// The last eight-point transforms, which need no factors.
  private func lastPass(from: Planes, to: Planes) {
    let step = count / 8
    for q in stride(from: 0, to: step, by: 8) {
      var lanes = Lanes(from.0, from.1, at: q, step: step)
      lanes.transform()
      for k in 0..<8 {
        store(lanes[k].0, to.0, q + step * k)
        store(lanes[k].1, to.1, q + step * k)
      }
    }
  }
}

/// Eight rows of eight complex values, and their transform down the columns.
private struct Lanes {
  typealias Row = (SIMD8<Float>, SIMD8<Float>)
  var rows: (Row, Row, Row, Row, Row, Row, Row, Row)

  @inline(__always)
  init(_ real: UnsafeMutablePointer<Float>, _ imaginary: UnsafeMutablePointer<Float>, at place: Int, step: Int) {
    func row(_ index: Int) -> Row {
      (load(real, place + index * step), load(imaginary, place + index * step))
    }
    rows = (row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7))
  }

  @inline(__always)
  subscript(index: Int) -> Row {
    switch index {
    case 0: rows.0
    case 1: rows.1
    case 2: rows.2
    case 3: rows.3
    case 4: rows.4
    case 5: rows.5
    case 6: rows.6
    default: rows.7
    }
  }

  /// Two transforms of four, of the even and the odd rows, and a last step that joins them.
  @inline(__always)
  mutating func transform() {
    let even = Lanes.four(rows.0, rows.2, rows.4, rows.6)
    let odd = Lanes.four(rows.1, rows.3, rows.5, rows.7)
    let half = Float(0.5).squareRoot()
    let first = ((odd.1.0 + odd.1.1) * half, (odd.1.1 - odd.1.0) * half)
    let second = (odd.2.1, -odd.2.0)
    let third = ((odd.3.1 - odd.3.0) * half, (odd.3.0 + odd.3.1) * -half)
    rows = (
      Lanes.sum(even.0, odd.0), Lanes.sum(even.1, first), Lanes.sum(even.2, second), Lanes.sum(even.3, third),
      Lanes.difference(even.0, odd.0), Lanes.difference(even.1, first), Lanes.difference(even.2, second),
      Lanes.difference(even.3, third)
    )
  }

  @inline(__always)
  private static func four(_ a: Row, _ b: Row, _ c: Row, _ d: Row) -> (Row, Row, Row, Row) {
    let (s, t) = (sum(a, c), difference(a, c))
    let (u, v) = (sum(b, d), difference(b, d))
    return (sum(s, u), (t.0 + v.1, t.1 - v.0), difference(s, u), (t.0 - v.1, t.1 + v.0))
  }

  @inline(__always)
  private static func sum(_ a: Row, _ b: Row) -> Row { (a.0 + b.0, a.1 + b.1) }

  @inline(__always)
  private static func difference(_ a: Row, _ b: Row) -> Row { (a.0 - b.0, a.1 - b.1) }
}

@inline(__always)
func load(_ pointer: UnsafePointer<Float>, _ index: Int) -> SIMD8<Float> {
  UnsafeRawPointer(pointer + index).loadUnaligned(as: SIMD8<Float>.self)
}

@inline(__always)
func load(_ pointer: UnsafeMutablePointer<Float>, _ index: Int) -> SIMD8<Float> {
  UnsafeRawPointer(pointer + index).loadUnaligned(as: SIMD8<Float>.self)
}

@inline(__always)
func store(_ vector: SIMD8<Float>, _ pointer: UnsafeMutablePointer<Float>, _ index: Int) {
  UnsafeMutableRawPointer(pointer + index).storeBytes(of: vector, as: SIMD8<Float>.self)
}
