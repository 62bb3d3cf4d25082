/// The parametric stereo of a frame: how the two channels differ, for up to five stretches of it (envelopes) and in
/// each frequency band.
///
/// Source: ISO/IEC 14496-3, 8.4.1, tables 8.1 to 8.14 (ps_data).
struct PSParameters {
  /// The most envelopes: four that are sent, and one that continues the last.
  static let maximum = 5
  /// The most bands.
  static let room = 34
  /// Slots of a frame.
  static let slots = 32

  /// One kind of parameter.
  struct Kind {
    /// Whether it is sent.
    var isEnabled = false
    /// How many bands it has.
    var bands = 0
    /// Steps by envelope and band, `room` for each envelope.
    var values = [Int](repeating: 0, count: PSParameters.maximum * PSParameters.room)

    /// The values of an envelope.
    func row(_ envelope: Int) -> ArraySlice<Int> { values[(envelope * PSParameters.room)...].prefix(bands) }

    /// Silences the parameter.
    fileprivate mutating func clear() {
      for index in values.indices { values[index] = 0 }
    }
  }

  /// Intensity differences (IID), -7 to 7 or, if fine, -15 to 15; coherences (ICC), 0 to 7; phase differences between
  /// the channels (IPD) and of the whole (OPD), 0 to 7 eighths of a turn.
  private(set) var intensity = Kind()
  private(set) var coherence = Kind()
  private(set) var phase = Kind()
  private(set) var overallPhase = Kind()
  /// Whether intensity differences have 31 steps, not 15.
  private(set) var isFine = false
  /// Whether channels are mixed by rotation in the plane of both (procedure B).
  private(set) var isRotated = false
  /// The last slot of each envelope, after a -1.
  private(set) var borders: [Int] = [-1, PSParameters.slots - 1]
  /// Whether there are 34 bands, not 20.
  private(set) var hasManyBands = false
  /// Whether there was a header: nothing can be done before.
  private(set) var hasHeader = false

  /// Number of envelopes.
  var count: Int { borders.count - 1 }

  private static let bands = [10, 20, 34, 10, 20, 34]
  private static let phaseBands = [5, 11, 17, 5, 11, 17]

  /// Forgets all values, but not the header.
  mutating func reset() {
    intensity.clear()
    coherence.clear()
    phase.clear()
    overallPhase.clear()
    borders = [-1, PSParameters.slots - 1]
  }

  /// Reads ps_data().
  mutating func read(_ reader: inout PacketBitReader) throws(PacketFault) {
    let hasNewHeader = reader.flag()
    if hasNewHeader { try readHeader(&reader) }
    guard hasHeader || hasNewHeader else { throw .invalid("enable_ps_header", 0) }
    let previous = count
    readBorders(&reader)
    guard zip(borders, borders.dropFirst()).allSatisfy({ $0 <= $1 }) else { throw .invalid("border_position", 0) }
    let largest = isFine ? 15 : 7
    try PSParameters.read(
      &intensity, &reader, count, previous, PSBooks.intensity(isFine: isFine), -largest...largest, isCyclic: false)
    try PSParameters.read(&coherence, &reader, count, previous, PSBooks.coherence, 0...7, isCyclic: false)
    try readExtension(&reader, previous)
    complete(previous)
    if intensity.isEnabled || coherence.isEnabled {
      hasManyBands = intensity.isEnabled && intensity.bands == 34 || coherence.isEnabled && coherence.bands == 34
    }
    if hasNewHeader { hasHeader = true }
  }

  private var hasExtension = false

  private mutating func readHeader(_ reader: inout PacketBitReader) throws(PacketFault) {
    intensity.isEnabled = reader.flag()
    if intensity.isEnabled {
      let mode = reader.bits(3)
      guard mode < 6 else { throw .invalid("iid_mode", mode) }
      (intensity.bands, isFine) = (PSParameters.bands[mode], mode > 2)
      (phase.bands, overallPhase.bands) = (PSParameters.phaseBands[mode], PSParameters.phaseBands[mode])
    }
    coherence.isEnabled = reader.flag()
    if coherence.isEnabled {
      let mode = reader.bits(3)
      guard mode < 6 else { throw .invalid("icc_mode", mode) }
      (coherence.bands, isRotated) = (PSParameters.bands[mode], mode > 2)
    }
    hasExtension = reader.flag()
  }

  private mutating func readBorders(_ reader: inout PacketBitReader) {
    let isVariable = reader.flag()
    let code = reader.bits(2)
    let count = isVariable ? code + 1 : [0, 1, 2, 4][code]
    borders = [-1]
    for envelope in 0..<count {
      borders.append(isVariable ? reader.bits(5) : (envelope + 1) * PSParameters.slots / count - 1)
    }
  }

  /// Reads a parameter's envelopes: differences from band to band, or from one envelope to the next.
  private static func read(
    _ kind: inout Kind, _ reader: inout PacketBitReader, _ count: Int, _ previous: Int, _ books: PSBooks.Pair,
    _ range: ClosedRange<Int>, isCyclic: Bool
  ) throws(PacketFault) {
    guard kind.isEnabled else { return kind.clear() }
    for envelope in 0..<count {
      try readEnvelope(&kind, &reader, envelope, previous, books, range, isCyclic: isCyclic)
    }
  }

  private static func readEnvelope(
    _ kind: inout Kind, _ reader: inout PacketBitReader, _ envelope: Int, _ previous: Int, _ books: PSBooks.Pair,
    _ range: ClosedRange<Int>, isCyclic: Bool
  ) throws(PacketFault) {
    let isTimeCoded = reader.flag()
    let earlier = (envelope > 0 ? envelope - 1 : max(previous - 1, 0)) * room
    var value = 0
    for band in 0..<kind.bands {
      if isTimeCoded { value = kind.values[earlier + band] }
      value += (isTimeCoded ? books.time : books.frequency).read(&reader)
      if isCyclic { value &= 7 }
      guard range.contains(value) else { throw .invalid("ps_data", value) }
      kind.values[envelope * room + band] = value
    }
  }

  /// ps_extension(): phases, or nothing known.
  private mutating func readExtension(_ reader: inout PacketBitReader, _ previous: Int) throws(PacketFault) {
    (phase.isEnabled, overallPhase.isEnabled) = (false, false)
    if hasExtension {
      var size = reader.bits(4)
      if size == 15 { size += reader.bits(8) }
      let end = reader.position + 8 * size
      if size > 0, reader.bits(2) == 0 {
        let isEnabled = reader.flag()
        (phase.isEnabled, overallPhase.isEnabled) = (isEnabled, isEnabled)
        for envelope in 0..<(isEnabled ? count : 0) {
          try PSParameters.readEnvelope(&phase, &reader, envelope, previous, PSBooks.phase, 0...7, isCyclic: true)
          try PSParameters.readEnvelope(
            &overallPhase, &reader, envelope, previous, PSBooks.overallPhase, 0...7, isCyclic: true)
        }
      }
      guard reader.position <= end else { throw .truncated("ps_extension") }
      reader.skip(end - reader.position)
    }
    if !phase.isEnabled {
      phase.clear()
      overallPhase.clear()
    }
  }

  /// Continues the last envelope to the end of the frame, if it does not reach it.
  private mutating func complete(_ previous: Int) {
    guard borders.count == 1 || borders[count] < PSParameters.slots - 1 else { return }
    let source = count > 0 ? count - 1 : max(previous - 1, 0)
    for band in 0..<PSParameters.room {
      let (from, to) = (source * PSParameters.room + band, count * PSParameters.room + band)
      intensity.values[to] = intensity.values[from]
      coherence.values[to] = coherence.values[from]
      phase.values[to] = phase.values[from]
      overallPhase.values[to] = overallPhase.values[from]
    }
    borders.append(PSParameters.slots - 1)
  }
}
