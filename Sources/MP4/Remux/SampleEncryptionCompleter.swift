internal import MediaCore

/// Adds encryption data for samples that have none, where others of the same table have some.
///
/// Encrypted video often begins clear, so that it can be shown while a key is being fetched. In fragments, clear
/// samples have no `senc` box. In a progressive movie one box is for all samples, and players consider it broken if it
/// has no data for one of them. So a clear sample gets an entry that says that all of it is clear. A sample that is
/// encrypted from end to end under a constant vector gets the opposite.
///
/// Source: ISO/IEC 23001-7, 7.2.3 and 9.5.
struct SampleEncryptionCompleter {
  private let source: SampleEncryption
  private let descriptions: [SampleDescription]
  private let layout: EncryptionLayout
  private var result = SampleEncryption()
  /// The length of a clear part takes 16 bits.
  private static let longestClearPart = Int(UInt16.max)

  init(_ source: SampleEncryption, descriptions: [SampleDescription], layout: EncryptionLayout) {
    self.source = source
    self.descriptions = descriptions
    self.layout = layout
    result.flags = source.flags | 2
  }

  /// Adds a sample, in decoding order.
  ///
  /// - Parameter isClear: whether a group says that the sample is not encrypted.
  mutating func add(_ record: SampleRecord, isClear: Bool) {
    let own = source.data(of: result.sampleCount)
    let vectorSize = layout.vectorSize(of: record.descriptionIndex)
    if own.count > vectorSize {
      result.append(own)
    } else if !own.isEmpty {
      result.append(own + parts([.encrypted(record.size)]))
    } else {
      let vector = [UInt8](repeating: 0, count: vectorSize)
      let isProtected =
        descriptions.indices.contains(record.descriptionIndex)
        && descriptions[record.descriptionIndex].protection != nil
      // Where each sample has a vector of its own, samples without one cannot be encrypted.
      let part: Part = isProtected && !isClear && vectorSize == 0 ? .encrypted(record.size) : .clear(record.size)
      result.append(vector + parts([part]))
    }
  }

  consuming func finished() -> SampleEncryption { result }

  private enum Part {
    case clear(Int)
    case encrypted(Int)
  }

  /// The parts of a sample as in `senc`: their number, then the clear and the encrypted bytes of each.
  private func parts(_ parts: [Part]) -> ArraySlice<UInt8> {
    var list: [(clear: Int, encrypted: Int)] = []
    func addClear(_ count: Int) {
      var rest = count
      repeat {
        let clear = min(rest, SampleEncryptionCompleter.longestClearPart)
        list.append((clear, 0))
        rest -= clear
      } while rest > 0
    }
    for part in parts {
      switch part {
      case .clear(let count): addClear(count)
      case .encrypted(let count):
        // Ciphers that chain blocks leave an incomplete last block clear.
        let whole = layout.isChained ? count - count % 16 : count
        list.append((0, whole))
        if whole < count { addClear(count - whole) }
      }
    }
    var bytes: [UInt8] = []
    bytes.appendBigEndian(UInt16(clamping: list.count))
    for part in list.prefix(Int(UInt16.max)) {
      bytes.appendBigEndian(UInt16(clamping: part.clear))
      bytes.appendBigEndian(UInt32(clamping: part.encrypted))
    }
    return bytes[...]
  }
}
