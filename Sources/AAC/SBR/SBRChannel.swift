/// One channel of an SBR layer: what a packet says of it, and its state from one packet to the next.
///
/// Levels are powers of two in steps of 1.5 or 3 dB; those of the right channel of a coupled pair are the balance
/// between both. Lists of envelopes begin with the last one of the packet before, which differences in time refer to.
///
/// Source: ISO/IEC 14496-3, 4.4.2.8, tables 4.70 to 4.74.
final class SBRChannel {
  /// Room for the bands of an envelope.
  static let room = 64
  /// The most noise bands.
  static let noiseRoom = 5

  /// How the packet's frame is divided in time.
  var grid = SBRTimeGrid()
  /// Whether levels are in steps of 3 dB.
  var isCoarse = false
  /// Whether the last packet's grid announced an attack at the start of this one.
  private(set) var beginsWithTransient = false
  /// The last envelope of the packet before, and those of this one: `room` steps for each.
  let levels = AlignedMemory<Int>((SBRTimeGrid.maximum + 1) * room)
  /// Their resolutions.
  private var resolutions: [Bool] = [false]
  /// Noise floors in the same order.
  let noiseLevels = AlignedMemory<Int>(3 * noiseRoom)
  /// Whether differences are in time, for each envelope and noise floor.
  private var isTimeCoded: [Bool] = []
  private var isNoiseTimeCoded: [Bool] = []
  /// `bs_invf_mode`, how strongly tones are filtered out of copies, by noise band, 0 to 3: of this packet, and the
  /// last.
  private(set) var inverseFiltering = [Int](repeating: 0, count: noiseRoom)
  private(set) var previousInverseFiltering = [Int](repeating: 0, count: noiseRoom)
  /// Bands of high resolution with a sine of their own.
  private(set) var harmonics: [Bool] = []
  /// Whether differences in time have anything to refer to: not after a seek, until values come without them.
  private(set) var isKnown = false
  private var isNoiseKnown = false

  /// Whether the packet's values are complete.
  var isUsable: Bool { isKnown && isNoiseKnown }

  /// Forgets the past.
  func reset() {
    (isKnown, isNoiseKnown) = (false, false)
    grid = SBRTimeGrid()
    (beginsWithTransient, resolutions) = (false, [false])
    levels.clear()
    noiseLevels.clear()
    for index in inverseFiltering.indices { (inverseFiltering[index], previousInverseFiltering[index]) = (0, 0) }
    harmonics = []
  }

  /// Forgets the grid of a packet that cannot be used: an attack that it announced is not to come after a pause.
  func pause() {
    grid = SBRTimeGrid()
  }

  /// Takes a grid.
  func begin(_ grid: SBRTimeGrid, isCoarse: Bool) {
    beginsWithTransient = self.grid.count > 0 && self.grid.transient == self.grid.count
    resolutions = [resolutions[resolutions.count - 1]] + grid.isHigh
    self.grid = grid
    self.isCoarse = isCoarse && !grid.isSingle
  }

  /// sbr_dtdf()
  func readDeltaDirections(_ reader: inout PacketBitReader) {
    isTimeCoded = (0..<grid.count).map { _ in reader.flag() }
    isNoiseTimeCoded = (0..<grid.noiseCount).map { _ in reader.flag() }
  }

  /// sbr_invf(), or the other channel's.
  func readInverseFiltering(_ reader: inout PacketBitReader, _ bands: SBRBands) {
    previousInverseFiltering = inverseFiltering
    for band in 0..<(bands.noise.count - 1) { inverseFiltering[band] = reader.bits(2) }
  }

  /// Takes the other channel's modes of inverse filtering.
  func copyInverseFiltering(of other: SBRChannel) {
    previousInverseFiltering = inverseFiltering
    inverseFiltering = other.inverseFiltering
  }

  /// sbr_envelope()
  func readEnvelopes(_ reader: inout PacketBitReader, _ bands: SBRBands, isBalance: Bool) throws(PacketFault) {
    let books = SBRBooks.levels(isCoarse: isCoarse, isBalance: isBalance)
    let step = isBalance ? 2 : 1
    for envelope in 1...grid.count {
      isKnown = isKnown || !isTimeCoded[envelope - 1]
      let isHigh = resolutions[envelope]
      let (row, count) = (envelope * SBRChannel.room, bands.bands(isHigh: isHigh).count - 1)
      var value = 0
      for band in 0..<count {
        if isTimeCoded[envelope - 1] {
          let earlier = earlierBand(band, isHigh: isHigh, wasHigh: resolutions[envelope - 1], bands)
          value = levels[row - SBRChannel.room + earlier] + step * books.time.read(&reader)
        } else {
          value = band == 0 ? step * reader.bits(books.startBits) : value + step * books.frequency.read(&reader)
        }
        guard value & ~127 == 0 || !isKnown else { throw .invalid("bs_data_env", value) }
        levels[row + band] = isKnown ? value : 0
      }
    }
    keep(levels, last: grid.count, room: SBRChannel.room)
  }

  /// The band of the envelope before that a band's difference refers to.
  private func earlierBand(_ band: Int, isHigh: Bool, wasHigh: Bool, _ bands: SBRBands) -> Int {
    let odd = (bands.high.count - 1) & 1
    return isHigh == wasHigh ? band : isHigh ? (band + odd) / 2 : max(2 * band - odd, 0)
  }

  /// sbr_noise()
  func readNoise(_ reader: inout PacketBitReader, _ bands: SBRBands, isBalance: Bool) throws(PacketFault) {
    let books = SBRBooks.noise(isBalance: isBalance)
    let step = isBalance ? 2 : 1
    for floor in 1...grid.noiseCount {
      isNoiseKnown = isNoiseKnown || !isNoiseTimeCoded[floor - 1]
      let row = floor * SBRChannel.noiseRoom
      var value = 0
      for band in 0..<(bands.noise.count - 1) {
        if isNoiseTimeCoded[floor - 1] {
          value = noiseLevels[row - SBRChannel.noiseRoom + band] + step * books.time.read(&reader)
        } else {
          value = band == 0 ? step * reader.bits(books.startBits) : value + step * books.frequency.read(&reader)
        }
        guard (0...30).contains(value) || !isNoiseKnown else { throw .invalid("bs_data_noise", value) }
        noiseLevels[row + band] = isNoiseKnown ? value : 0
      }
    }
    keep(noiseLevels, last: grid.noiseCount, room: SBRChannel.noiseRoom)
  }

  /// Makes the last row the first: differences of the next packet refer to it.
  private func keep(_ rows: AlignedMemory<Int>, last: Int, room: Int) {
    for band in 0..<room { rows[band] = rows[last * room + band] }
  }

  /// sbr_sinusoidal_coding()
  func readHarmonics(_ reader: inout PacketBitReader, _ bands: SBRBands) {
    harmonics = reader.flag() ? (0..<(bands.high.count - 1)).map { _ in reader.flag() } : []
  }
}
