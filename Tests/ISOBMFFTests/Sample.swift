import ISOBMFF
import MediaCore
import Testing

/// Bytes from hexadecimal digits; spaces are passed over.
func bytes(_ hexadecimal: String) -> [UInt8] {
  let digits = hexadecimal.compactMap { $0.hexDigitValue }
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Bytes of an ASCII string, as hexadecimal digits.
func ascii(_ text: String) -> String { hexadecimal(text.utf8) }

/// Reads a box from a payload worked out from its standard, and holds it to what holds for every box.
func sample<Kind: Box>(
  _ kind: Kind.Type, _ hexadecimal: String, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Kind {
  let payload = bytes(hexadecimal)
  let (box, used) = try kind.read(payload[...])
  #expect(used == payload.count, "bytes that the fields do not explain", sourceLocation: sourceLocation)
  #expect(box.written() == payload, sourceLocation: sourceLocation)
  checkRobustness(of: kind, with: payload, sourceLocation: sourceLocation)
  return box
}

/// Every prefix of a payload, and the payload with bytes changed at random, is refused or written as it was read; and
/// whatever was read can be printed.
func checkRobustness(
  of kind: any Box.Type, with payload: [UInt8], context: BoxContext = BoxContext(),
  sourceLocation: SourceLocation = #_sourceLocation
) {
  func check(_ bytes: [UInt8]) {
    guard let (box, used) = try? kind.readAny(bytes, context) else { return }
    guard box.written(context: context).elementsEqual(bytes.prefix(used)) else {
      Issue.record("\(kind) is not written as read: \(hexadecimal(bytes))", sourceLocation: sourceLocation)
      return
    }
    _ = box.fields(context: context)
  }
  let step = max(1, payload.count / 400)
  for count in stride(from: 0, through: payload.count, by: step) { check(Array(payload.prefix(count))) }
  var random = Random(seed: UInt64(payload.count) &+ 1)
  for _ in 0..<200 {
    var mutated = payload
    for _ in 0...random.below(4) where !mutated.isEmpty {
      let interesting: [UInt8] = [0, 1, 2, 3, 4, 0x7F, 0x80, 0xFE, 0xFF, random.byte()]
      mutated[random.below(mutated.count)] = interesting[random.below(interesting.count)]
    }
    check(mutated)
  }
}

extension Box {
  /// `read` without knowing the kind.
  fileprivate static func readAny(_ bytes: [UInt8], _ context: BoxContext) throws(BoxError) -> (any Box, Int) {
    let (box, used) = try read(bytes[...], context: context)
    return (box, used)
  }
}

/// The same numbers for the same seed: SplitMix64.
struct Random {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }
}

/// The code that an operation fails with, or `nil`.
func failure(_ operation: () throws(BoxError) -> Void) -> BoxError.Code? {
  do {
    try operation()
    return nil
  } catch {
    return error.code
  }
}
