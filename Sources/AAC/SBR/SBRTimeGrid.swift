/// How a channel's frame is divided in time: into envelopes, and into one or two noise floors that span one or more of
/// them.
///
/// Borders are in time slots, two slots of the filter bank; a frame has 16, and envelopes may reach 3 further.
///
/// Source: ISO/IEC 14496-3, 4.4.2.8, table 4.69 (sbr_grid), and 4.6.18.3.3.
struct SBRTimeGrid {
  /// Time slots of a frame.
  static let slots = 16
  /// The most envelopes.
  static let maximum = 5

  /// Where envelopes begin, and the last one ends: rising, 0 to 19.
  private(set) var borders: [Int] = [0]
  /// The same for noise floors.
  private(set) var noiseBorders: [Int] = [0]
  /// The resolution of each envelope.
  private(set) var isHigh: [Bool] = []
  /// The envelope with an attack: there is no noise and no smoothing. One after the last is the next frame's first.
  private(set) var transient: Int?
  /// Whether one envelope covers the whole frame: its levels are always fine.
  private(set) var isSingle = false

  /// Number of envelopes.
  var count: Int { isHigh.count }
  /// Number of noise floors, 1 or 2.
  var noiseCount: Int { noiseBorders.count - 1 }
  /// Where the last envelope ends.
  var end: Int { borders[borders.count - 1] }

  /// No envelope.
  init() {}

  /// `bs_frame_class`: which ends of the frame have borders that can move.
  private enum FrameClass: Int {
    case fixedFixed, fixedVariable, variableFixed, variableVariable

    var hasVariableStart: Bool { self == .variableFixed || self == .variableVariable }
    var hasVariableEnd: Bool { self == .fixedVariable || self == .variableVariable }
  }

  init(_ reader: inout PacketBitReader) throws(PacketFault) {
    let frameClass = FrameClass(rawValue: reader.bits(2)) ?? .fixedFixed
    var pointer = 0
    if frameClass == .fixedFixed {
      try readFixed(&reader)
    } else {
      pointer = try readVariable(&reader, frameClass)
    }
    guard zip(borders, borders.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .invalid("bs_rel_bord", end) }
    transient = SBRTimeGrid.transient(frameClass, pointer: pointer, count: count)
    noiseBorders = [borders[0], end]
    if count > 1 {
      noiseBorders.insert(borders[SBRTimeGrid.middle(frameClass, pointer: pointer, count: count)], at: 1)
    }
  }

  /// Equal envelopes: 1, 2 or 4.
  private mutating func readFixed(_ reader: inout PacketBitReader) throws(PacketFault) {
    let code = reader.bits(2)
    guard code < 3 else { throw .invalid("bs_num_env", 1 << code) }
    let count = 1 << code
    isSingle = count == 1
    borders = (0...count).map { $0 * SBRTimeGrid.slots / count }
    isHigh = [Bool](repeating: reader.flag(), count: count)
  }

  /// Borders counted from either end.
  ///
  /// - Returns: `bs_pointer`.
  private mutating func readVariable(
    _ reader: inout PacketBitReader, _ frameClass: FrameClass
  ) throws(PacketFault) -> Int {
    let start = frameClass.hasVariableStart ? reader.bits(2) : 0
    let end = SBRTimeGrid.slots + (frameClass.hasVariableEnd ? reader.bits(2) : 0)
    let leading = frameClass.hasVariableStart ? reader.bits(2) : 0
    let trailing = frameClass.hasVariableEnd ? reader.bits(2) : 0
    let count = leading + trailing + 1
    guard count <= SBRTimeGrid.maximum else { throw .invalid("bs_num_env", count) }
    var (lower, upper) = ([start], [end])
    for _ in 0..<leading { lower.append(lower[lower.count - 1] + 2 * reader.bits(2) + 2) }
    for _ in 0..<trailing { upper.insert(upper[0] - 2 * reader.bits(2) - 2, at: 0) }
    borders = lower + upper
    // As many bits as the numbers from 0 to the number of envelopes need.
    let pointer = reader.bits(Int.bitWidth - count.leadingZeroBitCount)
    guard pointer <= count + 1 else { throw .invalid("bs_pointer", pointer) }
    isHigh = (0..<count).map { _ in reader.flag() }
    if frameClass == .fixedVariable { isHigh.reverse() }
    return pointer
  }

  private static func transient(_ frameClass: FrameClass, pointer: Int, count: Int) -> Int? {
    if frameClass.hasVariableEnd { return pointer > 0 ? count + 1 - pointer : nil }
    return frameClass == .variableFixed && pointer > 1 ? pointer - 1 : nil
  }

  /// The envelope with which the second noise floor begins: table 4.176.
  private static func middle(_ frameClass: FrameClass, pointer: Int, count: Int) -> Int {
    switch frameClass {
    case .fixedFixed: count / 2
    case .variableFixed: pointer == 0 ? 1 : pointer == 1 ? count - 1 : pointer - 1
    case .fixedVariable, .variableVariable: count - max(pointer - 1, 1)
    }
  }
}
