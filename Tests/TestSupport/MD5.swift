/// The checksum that the oracle names payloads by. Source: RFC 1321.
public struct MD5: Sendable {
  private var state: (UInt32, UInt32, UInt32, UInt32) = (0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)
  private var pending: [UInt8] = []
  private var count: UInt64 = 0

  /// The sum of nothing.
  public init() {}

  /// The sum of these bytes, in hexadecimal.
  public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    var sum = MD5()
    sum.append(Array(bytes))
    return sum.hexadecimal
  }

  /// Takes more bytes into account.
  public mutating func append(_ bytes: [UInt8]) {
    count += UInt64(bytes.count)
    let all = pending.isEmpty ? bytes : pending + bytes
    let whole = all.count / 64 * 64
    unsafe all.withUnsafeBytes { all in
      for start in stride(from: 0, to: whole, by: 64) {
        unsafe mix(UnsafeRawBufferPointer(rebasing: all[start..<(start + 64)]))
      }
    }
    pending = Array(all[whole...])
  }

  /// The sum of all bytes, in hexadecimal.
  public var hexadecimal: String {
    var copy = self
    let bits = count &* 8
    let zeros = (119 - Int(count % 64)) % 64
    unsafe copy.append(
      [0x80] + [UInt8](repeating: 0, count: zeros) + withUnsafeBytes(of: bits.littleEndian) { unsafe Array($0) })
    return [copy.state.0, copy.state.1, copy.state.2, copy.state.3].map { word in
      let text = String(word.byteSwapped, radix: 16)
      return String(repeating: "0", count: 8 - text.count) + text
    }.joined()
  }

  private mutating func mix(_ block: UnsafeRawBufferPointer) {
    var (a, b, c, d) = state
    unsafe Self.sines.withUnsafeBufferPointer { sines in
      for step in 0..<64 {
        var mixed: UInt32
        let word: Int
        switch step >> 4 {
        case 0: (mixed, word) = ((b & c) | (~b & d), step)
        case 1: (mixed, word) = ((d & b) | (~d & c), (5 &* step &+ 1) & 15)
        case 2: (mixed, word) = (b ^ c ^ d, (3 &* step &+ 5) & 15)
        default: (mixed, word) = (c ^ (b | ~d), (7 &* step) & 15)
        }
        mixed = unsafe mixed &+ a &+ sines[step] &+ block.load(fromByteOffset: word &* 4, as: UInt32.self)
        let turn = Self.turns[(step >> 4) &* 4 &+ (step & 3)]
        (a, d, c) = (d, c, b)
        b = b &+ (mixed &<< turn | mixed &>> (32 &- turn))
      }
    }
    state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d)
  }

  private static let turns: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
  /// The whole part of 2^32 times the sine of 1 to 64 radians.
  private static let sines: [UInt32] = [
    0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613, 0xFD46_9501,
    0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193, 0xA679_438E, 0x49B4_0821,
    0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D, 0x0244_1453, 0xD8A1_E681, 0xE7D3_FBC8,
    0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED, 0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9, 0x8D2A_4C8A,
    0xFFFA_3942, 0x8771_F681, 0x6D9D_6122, 0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60, 0xBEBF_BC70,
    0x289B_7EC6, 0xEAA1_27FA, 0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8, 0xC4AC_5665,
    0xF429_2244, 0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D, 0x8584_5DD1,
    0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB, 0xEB86_D391,
  ]
}
