internal import AAC
internal import Dispatch
internal import MediaCore

/// Finds all packets of a stream of AAC, on all processors.
///
/// The media is divided into stretches, each of which is searched for itself, from the first chain in it. A chain that
/// reaches the next stretch goes on with the packets found there, where both have one that begins at the same byte.
struct SoundSearch {
  private let reader: SourceReader
  private let rule: PacketRule

  /// Long enough to make up for looking for its first chain.
  private static let stretchSize: UInt64 = 2 << 20
  /// Stretches searched between two reports of progress.
  private static let batch = 16

  /// A search for packets that are read by a rule, whose shape is known.
  init(_ reader: SourceReader, rule: PacketRule) {
    self.reader = reader
    self.rule = rule
  }

  /// All chains in some parts of the file, in file order.
  ///
  /// - Parameters:
  ///   - parts: where to look.
  ///   - progress: called now and then with the bytes that were searched.
  /// - Throws: `SourceError`; whatever `progress` throws.
  func chains(in parts: [Range<UInt64>], progress: (UInt64) throws -> Void) throws -> [PacketChain] {
    var all: [PacketChain] = []
    var done: UInt64 = 0
    for part in parts {
      var chains: [PacketChain] = []
      let scanner = PacketScanner(reader, media: part, rule: rule)
      let stretches = SoundSearch.stretches(of: part)
      for first in stride(from: 0, to: stretches.count, by: SoundSearch.batch) {
        try progress(done)
        let batch = Array(stretches[first..<min(first + SoundSearch.batch, stretches.count)])
        let found = try search(batch, in: part)
        for (stretch, more) in zip(batch, found) {
          try SoundSearch.join(&chains, more, stretch, scanner)
          done += stretch.upperBound - stretch.lowerBound
        }
      }
      all += chains
    }
    try progress(done)
    return all
  }

  private static func stretches(of part: Range<UInt64>) -> [Range<UInt64>] {
    stride(from: part.lowerBound, to: part.upperBound, by: Int(stretchSize)).map { start in
      start..<min(start + stretchSize, part.upperBound)
    }
  }

  /// Searches some stretches of a part at once.
  private func search(_ stretches: [Range<UInt64>], in part: Range<UInt64>) throws(SourceError) -> [[PacketChain]] {
    let results = Lock([Result<[PacketChain], SourceError>](repeating: .success([]), count: stretches.count))
    DispatchQueue.concurrentPerform(iterations: stretches.count) { index in
      let stretch = stretches[index]
      let scanner = PacketScanner(reader, media: part, rule: rule)
      let result = Result { () throws(SourceError) in
        try scanner.chains(in: stretch, isStart: stretch.lowerBound == part.lowerBound)
      }
      results.withLock { $0[index] = result }
    }
    var found: [[PacketChain]] = []
    for result in results.withLock({ $0 }) { found.append(try result.get()) }
    return found
  }

  /// Appends the chains of a stretch, the first of which may continue the last one before it.
  private static func join(
    _ chains: inout [PacketChain], _ more: [PacketChain], _ stretch: Range<UInt64>, _ scanner: PacketScanner
  ) throws(SourceError) {
    guard let end = chains.last?.end, end >= stretch.lowerBound, var last = chains.popLast() else {
      return chains += more
    }
    var rest = more[...]
    var (number, start) = (0, rest.first?.offset ?? 0)
    while last.end < stretch.upperBound {
      // On to the first packet found here that begins where the last chain ends, or after it.
      while let next = rest.first, start < last.end {
        if number < next.lengths.count {
          start += UInt64(next.lengths[number])
          number += 1
        } else {
          rest.removeFirst()
          (number, start) = (0, rest.first?.offset ?? 0)
        }
      }
      if let next = rest.first, start == last.end, number < next.lengths.count {
        last.append(next, from: number)
        rest.removeFirst()
        break
      }
      guard let packet = try scanner.packet(at: last.end) else { break }
      last.add(packet.bytes)
    }
    chains.append(last)
    // What begins before the end of the last chain was found by chance.
    chains += rest.filter { $0.offset >= last.end }
  }
}
