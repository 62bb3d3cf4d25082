/// The costs of the bands of a channel in each Huffman book, with each of the scalefactors that were tried.
///
/// The candidates themselves only know the cheaper book of two, on average over all signs. This is exact, and takes
/// longer than they do.
final class BookCosts {
  /// An element for each book, and for what else `SectionPlanner` counts as one.
  typealias Row = SIMD16<Float>

  private static let rowLength = 16
  /// Bits in each book: `SectionPlanner.none` in those that cannot hold the band.
  private let bits = AlignedMemory<Int32>(
    FrameLayout.largestBandCount * ScalefactorCandidates.rowLength * BookCosts.rowLength)

  /// Measures the candidates of every band.
  func measure(
    _ channel: ChannelSpectrum, _ candidates: ScalefactorCandidates, _ layout: FrameLayout, _ quantiser: BandQuantiser
  ) {
    for band in 0..<layout.bandCount where candidates.highest[band] >= 0 {
      let from = layout.offsets[band]
      let count = layout.offsets[band + 1] - from
      for scalefactor in Int(candidates.lowest[band])...Int(candidates.highest[band]) {
        quantiser.quantise(channel, from: from, count: count, scalefactor: scalefactor)
        let row = bits.from(ScalefactorCandidates.index(band, scalefactor) * Self.rowLength)
        row.update(repeating: SectionPlanner.none, count: Self.rowLength)
        ExactCosts.shared.measure(channel.quantised.from(from), count: count, to: row)
      }
    }
  }

  /// Bits of a band's lines in each book, at a scalefactor that was tried.
  @inline(__always)
  func bits(_ band: Int, _ scalefactor: Int) -> Row {
    let (index, length) = (ScalefactorCandidates.index(band, scalefactor), Self.rowLength)
    // A row is a vector.
    let row = unsafe UnsafeRawPointer(bits.pointer(at: index * length, count: length)).load(as: SIMD16<Int32>.self)
    return Row(row)
  }
}
