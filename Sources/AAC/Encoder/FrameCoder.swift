/// Codes frames, one after another: all elements of a packet at one price, within the bits that it may take.
final class FrameCoder {
  private var control: RateControl
  private let books = CodeWords()
  private let buffer: AlignedMemory<UInt8>

  /// How often a frame that came out too large is tried again, each time at a price half as high again.
  private static let attempts = 40
  /// How often a frame is coded again because bits are left that would be filling, each time at a quarter of the price.
  private static let fillings = 4
  /// How many attempts before its bands are quantised anew.
  private static let attemptsPerMeasure = 2
  /// A frame is measured again if it was measured at a price that differs by more than this factor from that of coding.
  private static let farOff: Float = 2
  /// Bits of the element that ends a packet.
  private static let endBits = 3
  /// Bits of a fill element without bytes.
  private static let emptyFillBits = 7

  init(control: RateControl) {
    self.control = control
    buffer = AlignedMemory(control.largestFrame / 8 + 4096)
  }

  /// Notes how many packets are left, and how much of the sound, counted in packets.
  func expect(packets: Int, frames: Double) { control.expect(packets: packets, frames: frames) }

  /// The price around which a frame is measured.
  func price(measuring frame: Int) -> Float { control.price(measuring: frame) }

  /// Codes a frame that was measured.
  ///
  /// - Returns: the packet.
  func code(_ frame: EncodedFrame, _ tools: CodingTools) -> [UInt8] {
    let side = frame.payloads.reduce(FrameCoder.endBits) { $0 + FrameCoder.fillBits($1.count) }
    var price = control.price
    func code() -> Int { frame.elements.reduce(side) { $0 + $1.code(price: price, tools) } }
    let ratio = price / frame.price
    if ratio > FrameCoder.farOff || ratio < 1 / FrameCoder.farOff { frame.remeasure(price: price, tools) }
    var bits = code()
    let minimum = control.minimum
    var allowance = control.allowance
    // Bits that would only be filling reduce the noise instead. Silence takes no more bits at any price.
    for _ in 0..<FrameCoder.fillings where bits < minimum && price > control.leastPrice {
      let before = bits
      price = max(price / 4, control.leastPrice)
      frame.remeasure(price: price, tools)
      bits = code()
      if bits == before { break }
      allowance = min(allowance, minimum * 5 / 4)
    }
    for attempt in 0..<FrameCoder.attempts where (bits + 7) / 8 * 8 > allowance {
      price *= 1.5
      if attempt % FrameCoder.attemptsPerMeasure == 1 { frame.remeasure(price: price, tools) }
      bits = code()
    }
    let packet = write(frame)
    assert(packet.count == (max(bits, 0) + 7) / 8 || minimum > bits)
    control.spend(packet.count * 8, content: bits - side, price: price)
    return packet
  }

  private func write(_ frame: EncodedFrame) -> [UInt8] {
    var bits = PacketBitWriter(buffer)
    var tags = [Int](repeating: 0, count: 4)
    for (index, element) in frame.elements.enumerated() {
      let tag = tags[element.kind.rawValue]
      tags[element.kind.rawValue] += 1
      ElementSyntax.write(element, tag: tag, books: books, to: &bits)
      if index < frame.payloads.count { write(frame.payloads[index], &bits) }
    }
    fill(&bits, to: control.minimum)
    bits.append(ChannelElements.Kind.end.rawValue, 3)
    return bits.finish()
  }

  /// Bits of a fill element with so many bytes.
  private static func fillBits(_ count: Int) -> Int { 3 + 4 + (count < 15 ? 0 : 8) + 8 * count }

  /// A fill element with the layer of the element before it: up to 269 bytes.
  private func write(_ payload: [UInt8], _ bits: inout PacketBitWriter) {
    bits.append(ChannelElements.Kind.fill.rawValue, 3)
    bits.append(min(payload.count, 15), 4)
    if payload.count >= 15 { bits.append(payload.count - 14, 8) }
    for byte in payload { bits.append(UInt32(byte), 8) }
  }

  /// Fill elements, if the rate is constant and the sound too simple for it; never beyond the minimum, which is in
  /// whole bytes: the bits that align the packet's end make up for up to seven.
  ///
  /// Source: ISO/IEC 14496-3, 4.4.2.7 (fill_element, extension_payload).
  private func fill(_ bits: inout PacketBitWriter, to minimum: Int) {
    while minimum - bits.position - FrameCoder.endBits >= FrameCoder.emptyFillBits {
      let missing = minimum - bits.position - FrameCoder.endBits
      bits.append(ChannelElements.Kind.fill.rawValue, 3)
      let short = (missing - FrameCoder.emptyFillBits) / 8
      if short < 15 {
        bits.append(short, 4)
        fillBytes(short, &bits)
      } else {
        let count = min((missing - FrameCoder.emptyFillBits) / 8 - 1, 15 + 255 - 1)
        bits.append(15, 4)
        bits.append(count - 14, 8)
        fillBytes(count, &bits)
      }
    }
  }

  /// An extension of type 0, EXT_FILL, with the bytes that the standard requires in it.
  private func fillBytes(_ count: Int, _ bits: inout PacketBitWriter) {
    guard count > 0 else { return }
    bits.append(0, 8)
    for _ in 1..<count { bits.append(0xA5, 8) }
  }
}
