internal import MediaCore

/// Decompresses deflate, the method of zlib and gzip: RFC 1950 and RFC 1951.
///
/// Only QuickTime's compressed movie headers need it: a few kilobytes, once per file. So it is written to be short and
/// safe rather than fast: codes are decoded bit by bit, canonically, as the RFC explains.
struct Inflate {
  private let input: ArraySlice<UInt8>
  private var position = 0
  private var output: [UInt8] = []
  private let limit: Int

  /// The plain bytes of a zlib stream, or `nil` if it is broken or yields more than `limit` bytes.
  ///
  /// A stream begins with its method and a check of that, and ends with a checksum of the plain bytes: without it, one
  /// wrong bit in a table of offsets would go unnoticed.
  static func zlib(_ bytes: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
    guard bytes.count > 6, case let (method, flags) = (bytes[bytes.startIndex], bytes[bytes.startIndex + 1]),
      method & 15 == 8, (Int(method) << 8 | Int(flags)) % 31 == 0, flags & presetDictionary == 0
    else { return nil }
    var inflate = Inflate(input: bytes.dropFirst(2), limit: limit)
    guard inflate.run() else { return nil }
    let checksum = bytes.dropFirst(2 + (inflate.position + 7) / 8).prefix(4)
    var sum = Adler32()
    sum.add(inflate.output)
    guard checksum.count == 4, checksum.reduce(0, { $0 << 8 | UInt32($1) }) == sum.value else {
      return nil
    }
    return inflate.output
  }

  /// The flag for a stream that continues a dictionary known beforehand, which movies do not have.
  private static let presetDictionary: UInt8 = 0x20

  private init(input: ArraySlice<UInt8>, limit: Int) {
    self.input = input
    self.limit = limit
  }

  private mutating func run() -> Bool {
    while true {
      guard let isLast = bits(1), let kind = bits(2) else { return false }
      let isGood =
        switch kind {
        case 0: stored()
        case 1: compressed(Inflate.fixedLengths, Inflate.fixedDistances)
        case 2: dynamic()
        default: false
        }
      guard isGood else { return false }
      if isLast == 1 { return true }
    }
  }

  private mutating func bits(_ count: Int) -> Int? {
    guard position + count <= input.count * 8 else { return nil }
    var value = 0
    for index in 0..<count {
      let byte = input[input.startIndex + position / 8]
      value |= Int(byte >> UInt8(position % 8) & 1) << index
      position += 1
    }
    return value
  }

  private mutating func stored() -> Bool {
    position = (position + 7) / 8 * 8
    guard let count = bits(16), let inverse = bits(16), count ^ inverse == 0xFFFF else { return false }
    let start = input.startIndex + position / 8
    guard input.endIndex - start >= count, output.count + count <= limit else { return false }
    output += input[start..<(start + count)]
    position += count * 8
    return true
  }

  /// A canonical Huffman code: how many codes there are of each length, and the symbols in order of their codes.
  private struct Code {
    var counts = [Int](repeating: 0, count: 16)
    var symbols: [Int] = []

    init(_ lengths: some Collection<Int>) {
      for length in lengths where length > 0 { counts[length] += 1 }
      symbols = lengths.enumerated().filter { $0.element > 0 }
        .sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }.map(\.offset)
    }
  }

  private mutating func symbol(_ code: Code) -> Int? {
    var value = 0
    var first = 0
    var index = 0
    for length in 1...15 {
      guard let bit = bits(1) else { return nil }
      value = value << 1 | bit
      let count = code.counts[length]
      if value - first < count {
        let symbolIndex = index + value - first
        return symbolIndex >= 0 && symbolIndex < code.symbols.count ? code.symbols[symbolIndex] : nil
      }
      index += count
      first = (first + count) << 1
    }
    return nil
  }

  private mutating func compressed(_ lengths: Code, _ distances: Code) -> Bool {
    while true {
      guard let symbol = symbol(lengths) else { return false }
      if symbol == 256 { return true }
      if symbol < 256 {
        guard output.count < limit else { return false }
        output.append(UInt8(symbol))
      } else if !copy(symbol - 257, distances) {
        return false
      }
    }
  }

  private mutating func copy(_ lengthIndex: Int, _ distances: Code) -> Bool {
    guard lengthIndex < Inflate.lengthBase.count, let extra = bits(Inflate.lengthExtra[lengthIndex]),
      let distanceIndex = symbol(distances), distanceIndex < Inflate.distanceBase.count,
      let distanceExtra = bits(Inflate.distanceExtra[distanceIndex])
    else { return false }
    let length = Inflate.lengthBase[lengthIndex] + extra
    let distance = Inflate.distanceBase[distanceIndex] + distanceExtra
    guard distance <= output.count, output.count + length <= limit else { return false }
    // Byte by byte: the copy may overlap what it produces.
    for _ in 0..<length { output.append(output[output.count - distance]) }
    return true
  }

  private mutating func dynamic() -> Bool {
    guard let literals = bits(5), let distances = bits(5), let codes = bits(4) else { return false }
    var codeLengths = [Int](repeating: 0, count: 19)
    for index in 0..<(codes + 4) {
      guard let length = bits(3) else { return false }
      codeLengths[Inflate.codeOrder[index]] = length
    }
    let code = Code(codeLengths)
    let total = literals + 257 + distances + 1
    var lengths: [Int] = []
    while lengths.count < total {
      guard let symbol = symbol(code), let run = run(symbol, last: lengths.last) else { return false }
      lengths += run
    }
    guard lengths.count == total else { return false }
    return compressed(Code(lengths[..<(literals + 257)]), Code(Array(lengths[(literals + 257)...])))
  }

  /// Code lengths that a symbol of the code for code lengths stands for.
  private mutating func run(_ symbol: Int, last: Int?) -> [Int]? {
    switch symbol {
    case 16: last.flatMap { last in bits(2).map { Array(repeating: last, count: $0 + 3) } }
    case 17: bits(3).map { Array(repeating: 0, count: $0 + 3) }
    case 18: bits(7).map { Array(repeating: 0, count: $0 + 11) }
    default: [symbol]
    }
  }

  private static let codeOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  private static let lengthBase = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ]
  private static let lengthExtra = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBase = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12289, 16385, 24577,
  ]
  private static let distanceExtra = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
  ]
  private static let fixedLengths = Code(
    Array(repeating: 8, count: 144) + Array(repeating: 9, count: 112) + Array(repeating: 7, count: 24)
      + Array(repeating: 8, count: 8))
  private static let fixedDistances = Code(Array(repeating: 5, count: 30))
}
