/// Codes frames: all elements of a packet at one price, within the bits that it may take.
final class FrameCoder {
  let elements: [ElementCoder]
  private var control: RateControl
  private let books = CodeWords()
  private let buffer: AlignedMemory<UInt8>

  /// How often a frame that came out too large is tried again, each time at a price half as high again.
  private static let attempts = 40
  /// How many attempts before its bands are quantised anew.
  private static let attemptsPerMeasure = 2
  /// Bits of the element that ends a packet.
  private static let endBits = 3
  /// Bits of a fill element without bytes.
  private static let fillBits = 7

  init(setup: EncoderSetup, sampleRate: Int, control: RateControl, bandwidth: Int, seam: EncoderSeam? = nil) {
    let tools = AnalysisTools(sampleRate: sampleRate)
    let bands = BandTables(sampleRate: sampleRate, bandwidth: bandwidth, tools: tools)
    let coding = CodingTools()
    elements = setup.elements.map { element in
      ElementCoder(
        kind: element.kind, inputs: element.inputs, tools: tools, bands: bands, coding: coding, seam: seam)
    }
    self.control = control
    buffer = AlignedMemory(control.largestFrame / 8 + 4096)
  }

  /// Notes that the sound is over: so many packets follow, with so much of it in frames of 1024 samples.
  func end(packets: Int, frames: Double) { control.end(packets: packets, frames: frames) }

  /// Codes the frame that all channels now hold.
  func code() -> [UInt8] {
    var price = control.price
    for element in elements { element.analyse(price: price) }
    let allowance = control.allowance
    var bits = 0
    for attempt in 0..<FrameCoder.attempts {
      bits = elements.reduce(FrameCoder.endBits) { $0 + $1.code(price: price) }
      if (bits + 7) / 8 * 8 <= allowance { break }
      price *= 1.5
      if attempt % FrameCoder.attemptsPerMeasure == 1 {
        for element in elements { element.remeasure(price: price) }
      }
    }
    let packet = write()
    assert(packet.count == (max(bits, 0) + 7) / 8 || control.minimum > bits)
    control.spend(packet.count * 8)
    for element in elements {
      for channel in element.channels { channel.shift() }
    }
    return packet
  }

  private func write() -> [UInt8] {
    var bits = PacketBitWriter(buffer)
    var tags = [Int](repeating: 0, count: 4)
    for element in elements {
      let tag = tags[element.kind.rawValue]
      tags[element.kind.rawValue] += 1
      ElementSyntax.write(element, tag: tag, books: books, to: &bits)
    }
    fill(&bits, to: control.minimum)
    bits.append(ChannelElements.Kind.end.rawValue, 3)
    return bits.finish()
  }

  /// Fill elements, if the rate is constant and the sound too simple for it; never beyond the minimum, which is in whole
  /// bytes: the bits that align the packet's end make up for up to seven.
  ///
  /// Source: ISO/IEC 14496-3, 4.4.2.7 (fill_element, extension_payload).
  private func fill(_ bits: inout PacketBitWriter, to minimum: Int) {
    while minimum - bits.position - FrameCoder.endBits >= FrameCoder.fillBits {
      let missing = minimum - bits.position - FrameCoder.endBits
      bits.append(ChannelElements.Kind.fill.rawValue, 3)
      let short = (missing - FrameCoder.fillBits) / 8
      if short < 15 {
        writeFilling(short, lengthBits: short, &bits)
      } else {
        let count = min((missing - FrameCoder.fillBits) / 8 - 1, 15 + 255 - 1)
        bits.append(15, 4)
        bits.append(count - 14, 8)
        fillBytes(count, &bits)
      }
    }
  }

  private func writeFilling(_ count: Int, lengthBits: Int, _ bits: inout PacketBitWriter) {
    bits.append(lengthBits, 4)
    fillBytes(count, &bits)
  }

  /// An extension of type 0, EXT_FILL, with the bytes that the standard requires in it.
  private func fillBytes(_ count: Int, _ bits: inout PacketBitWriter) {
    guard count > 0 else { return }
    bits.append(0, 8)
    for _ in 1..<max(count, 1) { bits.append(0xA5, 8) }
  }
}
