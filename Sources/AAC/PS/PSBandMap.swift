/// Which parameter band each subband of parametric stereo belongs to, with 20 or 34 bands.
///
/// The lowest subbands of the filter bank are divided further: into 10 (of 3) or 32 (of 5).
///
/// Source: ISO/IEC 14496-3, 8.6.4.3, tables 8.48 and 8.49.
struct PSBandMap {
  /// Number of parameter bands.
  let bands: Int
  /// The parameter band of each subband.
  let band: [Int]
  /// Subbands of the filter bank that are divided, and into how many altogether.
  let divided: Int
  let hybrids: Int
  /// Subbands below this one are decorrelated by all-pass filters; those below the next by a long delay, and others by
  /// a short one.
  let allpassEnd: Int
  let longDelayEnd: Int
  /// Parameter bands that have phases.
  let phaseBands: Int
  /// Subbands of negative frequency, whose phases turn the other way.
  let conjugated: ClosedRange<Int>
  /// Centre of each divided subband, in units of a subband's width, and what to add to an index for others.
  let centres: [Float]

  /// Number of subbands: divided ones and others.
  var count: Int { band.count }

  /// The row of the filter bank's lowest subband, chosen so that the undivided subbands begin right after the last
  /// part.
  var firstRow: Int { hybrids - divided }

  /// The frequency of a subband, in units of a filter bank's subband.
  func centre(_ subband: Int) -> Float {
    subband < hybrids ? centres[subband] : Float(subband - hybrids + divided) + 0.5
  }

  static let few = PSBandMap(
    bands: 20, band: [1, 0, 0, 1, 2, 3, 4, 5, 6, 7] + spread([3, 4, 5, 6, 7, 8, 9, 11, 14, 18, 23, 35, 64], from: 8),
    divided: 3, hybrids: 10, allpassEnd: 30, longDelayEnd: 42, phaseBands: 11, conjugated: 0...1,
    centres: [-3, -1, 1, 3, 5, 7, 10, 14, 18, 22].map { $0 / 8 })

  static let many = PSBandMap(
    bands: 34,
    band: [
      0, 1, 2, 3, 4, 5, 6, 6, 7, 2, 1, 0, 10, 10, 4, 5, 6, 7, 8, 9, 10, 11, 12, 9, 14, 11, 12, 13, 14, 15, 16, 13,
    ] + spread([5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 21, 24, 27, 30, 33, 37, 41, 64], from: 16),
    divided: 5, hybrids: 32, allpassEnd: 50, longDelayEnd: 62, phaseBands: 17, conjugated: 9...13,
    centres: [
      2, 6, 10, 14, 18, 22, 26, 30, 34, -10, -6, -2, 51, 57, 15, 21, 27, 33, 39, 45, 54, 66, 78, 42, 102, 66, 78, 90,
      102, 114, 126, 90,
    ].map { $0 / 24 })

  private static func spread(_ borders: [Int], from band: Int) -> [Int] {
    zip(borders, borders.dropFirst()).enumerated().flatMap { index, borders in
      [Int](repeating: band + index, count: borders.1 - borders.0)
    }
  }

  // MARK: Other numbers of bands

  /// A row of steps with the number of bands that the map has, from any of 10, 20 or 34; of phases from 5, 11 or 17.
  func steps(_ row: ArraySlice<Int>) -> [Int] {
    let row = Array(row)
    switch (bands, row.count) {
    case (20, 34), (20, 17):
      return PSBandMap.weights34to20.prefix(row.count == 34 ? 20 : 11).map { terms in
        terms.reduce(0) { $0 + row[$1.index] * $1.weight } / terms.reduce(0) { $0 + $1.weight }
      }
    case (20, 10), (20, 5): return row.flatMap { [$0, $0] } + (row.count == 5 ? [0] : [])
    case (34, 20), (34, 11):
      return PSBandMap.sources20to34.prefix(row.count == 20 ? 34 : 17).map { sources in
        sources.reduce(0) { $0 + row[$1] } / sources.count
      }
    case (34, 10), (34, 5): return steps(PSBandMap.few.steps(row[...])[...])
    default: return row
    }
  }

  /// A row of factors for another number of bands.
  func factors(_ row: [Float]) -> [Float] {
    if bands == 20 {
      return PSBandMap.weights34to20.map { terms in
        terms.reduce(0) { $0 + row[$1.index] * Float($1.weight) } / Float(terms.reduce(0) { $0 + $1.weight })
      }
    }
    return PSBandMap.sources20to34.map { sources in sources.reduce(0) { $0 + row[$1] } / Float(sources.count) }
  }

  private static let weights34to20: [[(index: Int, weight: Int)]] = [
    [(0, 2), (1, 1)], [(1, 1), (2, 2)], [(3, 2), (4, 1)], [(4, 1), (5, 2)], [(6, 1), (7, 1)], [(8, 1), (9, 1)],
    [(10, 1)], [(11, 1)], [(12, 1), (13, 1)], [(14, 1), (15, 1)], [(16, 1)], [(17, 1)], [(18, 1)], [(19, 1)],
    [(20, 1), (21, 1)], [(22, 1), (23, 1)], [(24, 1), (25, 1)], [(26, 1), (27, 1)],
    [(28, 1), (29, 1), (30, 1), (31, 1)], [(32, 1), (33, 1)],
  ]

  private static let sources20to34: [[Int]] = [
    [0], [0, 1], [1], [2], [2, 3], [3], [4], [4], [5], [5], [6], [7], [8], [8], [9], [9], [10], [11], [12], [13], [14],
    [14], [15], [15], [16], [16], [17], [17], [18], [18], [18], [18], [19], [19],
  ]
}
