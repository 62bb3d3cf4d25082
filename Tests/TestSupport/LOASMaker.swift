/// Makes frames of LOAS, bit by bit as the standard lists the fields, and slowly.
///
/// Nothing here is shared with the package: what reads such streams there is compared with what this makes.
public struct LOASMaker: Sendable {
  /// audioMuxVersion, 0 or 1.
  public var version: UInt32 = 0
  /// audioMuxVersionA; only 0 means something.
  public var versionA: UInt32 = 0
  /// allStreamsSameTimeFraming.
  public var hasSameFraming = true
  /// numSubFrames and one.
  public var packetsPerFrame: UInt32 = 1
  /// numProgram and one.
  public var programs: UInt32 = 1
  /// numLayer and one.
  public var layers: UInt32 = 1
  /// frameLengthType.
  public var lengthType: UInt32 = 0
  /// Bits after the packets for somebody else.
  public var otherBits: UInt32?
  /// Whether there is a checksum; a wrong one.
  public var hasChecksum = false
  /// The AudioSpecificConfig.
  public var config: [UInt8] = [0x12, 0x10]
  /// Its bits, of which it may not fill the last byte.
  public var configBits = 16
  /// Bytes that follow the element within its length and mean nothing.
  public var excess = 0

  /// AAC-LC, stereo, 44 100 Hz.
  public init() {}

  /// A frame of these packets.
  public func frame(_ packets: [[UInt8]], isConfigured: Bool = true) -> [UInt8] {
    var bits = Bits()
    bits.append(isConfigured ? 0 : 1, 1)
    if isConfigured { append(to: &bits) }
    for packet in packets {
      if lengthType == 0 {
        var left = packet.count
        while left >= 255 {
          bits.append(255, 8)
          left -= 255
        }
        bits.append(UInt32(left), 8)
      }
      for byte in packet { bits.append(UInt32(byte), 8) }
    }
    for number in 0..<(otherBits ?? 0) { bits.append(number & 1, 1) }
    let element = bits.bytes + [UInt8](repeating: 0xA5, count: excess)
    var head = Bits()
    head.append(0x2B7, 11)
    head.append(UInt32(element.count), 13)
    return head.bytes + element
  }

  /// StreamMuxConfig.
  private func append(to bits: inout Bits) {
    bits.append(version, 1)
    if version == 1 {
      bits.append(versionA, 1)
      bits.append(0, 2)
      bits.append(0xFF, 8)
    }
    bits.append(hasSameFraming ? 1 : 0, 1)
    bits.append(packetsPerFrame - 1, 6)
    bits.append(programs - 1, 4)
    bits.append(layers - 1, 3)
    if version == 1 {
      bits.append(1, 2)
      bits.append(UInt32(configBits), 16)
    }
    for number in 0..<configBits { bits.append(UInt32(config[number / 8] >> UInt8(7 - number % 8) & 1), 1) }
    bits.append(lengthType, 3)
    bits.append(lengthType == 0 ? 0xFF : 80, lengthType == 0 ? 8 : 9)
    bits.append(otherBits == nil ? 0 : 1, 1)
    if let otherBits, version == 1 {
      bits.append(3, 2)
      bits.append(otherBits, 32)
    } else if let otherBits {
      bits.append(1, 1)
      bits.append(otherBits >> 8, 8)
      bits.append(0, 1)
      bits.append(otherBits & 255, 8)
    }
    bits.append(hasChecksum ? 1 : 0, 1)
    if hasChecksum { bits.append(0x77, 8) }
  }

  /// Bits one by one.
  private struct Bits {
    private var all: [UInt8] = []

    mutating func append(_ value: UInt32, _ count: Int) {
      for shift in (0..<count).reversed() { all.append(UInt8(value >> UInt32(shift) & 1)) }
    }

    var bytes: [UInt8] {
      stride(from: 0, to: all.count, by: 8).map { start in
        (0..<8).reduce(0) { byte, place in byte << 1 | (start + place < all.count ? all[start + place] : 0) }
      }
    }
  }
}
