/// A Huffman book for side information. A packet has little of it, so code words are read bit by bit, through a tree.
///
/// Safe on any bits: every path ends, and after the packet's end bits are 0.
struct HuffmanTree: Sendable {
  /// Where a 0 and a 1 lead: to a node, or if negative, to the value whose complement it is.
  private var nodes: [SIMD2<Int16>] = [.zero]
  /// Value of the first code word.
  private let smallest: Int
  private let lengths: [UInt8]
  private let codes: [UInt32]

  /// A book whose code words stand for consecutive values.
  ///
  /// - Parameters:
  ///   - lengths: the number of bits of each code word: together they use up all bit patterns.
  ///   - codes: the code words, right-aligned.
  ///   - smallest: the value of the first one.
  init(_ lengths: [UInt8], _ codes: [UInt32], from smallest: Int) {
    (self.smallest, self.lengths, self.codes) = (smallest, lengths, codes)
    for (value, (length, code)) in zip(lengths, codes).enumerated() {
      var node = 0
      for bit in (1..<Int(length)).reversed() {
        let side = Int(code >> UInt32(bit) & 1)
        if nodes[node][side] == 0 {
          nodes[node][side] = Int16(nodes.count)
          nodes.append(.zero)
        }
        node = Int(nodes[node][side])
      }
      nodes[node][Int(code & 1)] = ~Int16(value)
    }
  }

  /// A book of differences, as many of them negative as positive.
  init(_ lengths: [UInt8], _ codes: [UInt32]) {
    self.init(lengths, codes, from: -(lengths.count / 2))
  }

  /// The next value.
  func read(_ reader: inout PacketBitReader) -> Int {
    var node: Int16 = 0
    repeat {
      node = nodes[Int(node)][reader.bits(1)]
    } while node >= 0
    return Int(~node) + smallest
  }

  /// The length of a value's code word, in bits; `nil` for a value that has none.
  func bits(_ value: Int) -> Int? {
    let index = value - smallest
    return lengths.indices.contains(index) ? Int(lengths[index]) : nil
  }

  /// Writes a value that has a code word.
  func write(_ value: Int, to bits: inout PacketBitWriter) {
    let index = value - smallest
    bits.append(codes[index], Int(lengths[index]))
  }
}
