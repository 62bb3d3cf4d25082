package import MediaCore

/// Finds the packets of a stream in a part of a file that nothing describes.
///
/// Where one packet ends the next one begins, so one beginning gives a chain of them. Where the chain breaks, the next
/// beginning is searched byte by byte: it is one if several packets follow from it.
package final class PacketScanner {
  /// Packets that have to follow one another before they are believed. In a megabyte of noise, a few bytes look like
  /// the start of a packet by chance, but hardly any like the start of four in a row.
  package static let convincingPackets = 4
  /// The least length of four packets together, in bytes: shorter ones are silence, or a chain by chance.
  static let convincingBytes = 24
  /// Zeros that are no packet but a hole.
  private static let holeSize = 8
  /// Bytes read at once.
  private static let windowSize = 1 << 20
  /// Bytes that may be read in vain for each byte that is searched, and at first: pictures and noise take less than
  /// two, and hostile bytes could begin long packets everywhere.
  private static let patience = 4
  private static let credit = 1 << 18

  private let reader: SourceReader
  /// The part of the file that is searched.
  private let media: Range<UInt64>
  /// How packets are read.
  package let rule: PacketRule
  private let measurer: PacketMeasurer
  private let window: AlignedMemory<UInt8>
  /// Where the bytes in the window come from.
  private var loaded: Range<UInt64>
  /// Bytes of packets that were read so far, also in vain.
  package private(set) var bytesRead = 0
  /// Bytes read in vain that no searched byte has paid for.
  private var debt = 0
  /// Whether a packet may begin with these seven bits: the kind and the tag of its first element.
  private var beginnings: [Bool] = []

  /// A scanner of a part of a source.
  package init(_ reader: SourceReader, media: Range<UInt64>, rule: PacketRule) {
    self.reader = reader
    self.media = media.clamped(to: 0..<reader.size)
    self.rule = rule
    measurer = PacketMeasurer(rule.tables)
    let size = min(self.media.upperBound - self.media.lowerBound, UInt64(PacketScanner.windowSize))
    window = AlignedMemory(Int(size) + PacketMeasurer.longestPacket + PacketBitReader.padding)
    loaded = self.media.lowerBound..<self.media.lowerBound
    let first = rule.shape?.elements.first
    beginnings = (0..<128).map { bits in
      switch ChannelElements.Kind(rawValue: bits >> 4) {
      case .single, .pair: first.map { bits == $0.kind.rawValue << 4 | Int($0.tag) } ?? true
      case .dataStream, .programConfig, .fill: rule.allowsPreface
      default: false
      }
    }
  }

  /// The packet that begins at an offset.
  ///
  /// - Returns: its length and shape; `nil` where none begins.
  package func packet(at offset: UInt64) throws(SourceError) -> (bytes: Int, shape: PacketShape, hasSBR: Bool)? {
    guard media.contains(offset) else { return nil }
    let index = try load(offset)
    let packet = measurer.packet(
      in: window, at: index, count: Int(loaded.upperBound - offset), shape: rule.shape)
    bytesRead += packet?.bytes ?? measurer.wastedBytes
    return packet.map { ($0.bytes, $0.shape, $0.hasSBR) }
  }

  /// Whether a packet begins with an element that carries no channel.
  func hasPreface(at offset: UInt64) throws(SourceError) -> Bool {
    let index = try load(offset)
    return offset < loaded.upperBound && window[index] >> 5 > ChannelElements.Kind.lowFrequency.rawValue
  }

  /// The chain that begins at an offset.
  ///
  /// - Parameters:
  ///   - offset: where its first packet begins.
  ///   - limit: no packet begins there or later.
  ///   - count: how many packets are enough.
  package func chain(
    at offset: UInt64, limit: UInt64 = .max, count: Int = .max
  ) throws(SourceError) -> (chain: PacketChain, shape: PacketShape?) {
    var chain = PacketChain(offset: offset)
    var shape = rule.shape
    let limit = min(limit, media.upperBound)
    while chain.end < limit, chain.lengths.count < count {
      let index = try load(chain.end)
      let available = Int(loaded.upperBound - chain.end)
      guard let packet = measurer.packet(in: window, at: index, count: available, shape: shape) else { break }
      shape = packet.shape
      chain.add(packet.bytes)
    }
    return (chain, shape)
  }

  /// Where the next chain begins that is long enough to be believed, or that ends with the media.
  ///
  /// - Returns: `nil` if there is none up to the end.
  package func nextChain(from start: UInt64, limit: UInt64 = .max) throws(SourceError) -> UInt64? {
    var offset = start
    let limit = min(limit, media.upperBound)
    while offset < limit {
      let index = try load(offset)
      let end = index + Int(min(loaded.upperBound - offset, limit - offset))
      // Up to here, a packet lies in the window as a whole, unless the media ends with it.
      let last = loaded.upperBound == media.upperBound ? end : max(end - PacketMeasurer.longestPacket, index + 1)
      guard let found = nextBeginning(index, last) else {
        offset += UInt64(last - index)
        continue
      }
      offset += UInt64(found - index)
      if try isConvincing(offset) { return offset }
      offset += 1 + UInt64(skipped())
    }
    return nil
  }

  /// All chains that begin in a part of the media.
  ///
  /// - Parameters:
  ///   - stretch: the part. The last chain ends with the packet that reaches its end, or goes beyond.
  ///   - isStart: whether a packet is expected to begin with it, which is then believed for less.
  package func chains(in stretch: Range<UInt64>, isStart: Bool) throws(SourceError) -> [PacketChain] {
    var chains: [PacketChain] = []
    var next: UInt64? = stretch.lowerBound
    let begins = isStart ? try packet(at: stretch.lowerBound) != nil : false
    if !begins {
      next = try nextChain(from: stretch.lowerBound, limit: stretch.upperBound)
    }
    while let offset = next {
      var (chain, _) = try chain(at: offset, limit: stretch.upperBound)
      if chain.end >= stretch.upperBound || chain.lengths.isEmpty {
        chains.append(chain)
        break
      }
      // The last packet may be a damaged one, so the next may begin inside it.
      let last = UInt64(chain.lengths.last ?? 0)
      next = try nextChain(from: chain.end - last + 1, limit: stretch.upperBound)
      if let next, next < chain.end { chain.removeLast() }
      if !chain.lengths.isEmpty { chains.append(chain) }
    }
    return chains
  }

  /// The first byte of a range of the window with which a packet may begin.
  private func nextBeginning(_ first: Int, _ end: Int) -> Int? {
    for index in first..<end where beginnings[Int(window[index] >> 1)] && !isHole(index) { return index }
    return nil
  }

  /// Whether only zeros follow, as many as no packet begins with. There is padding after the last byte.
  private func isHole(_ index: Int) -> Bool {
    guard window[index] == 0 else { return false }
    return (1..<PacketScanner.holeSize).allSatisfy { window[index + $0] == 0 }
  }

  private func isConvincing(_ offset: UInt64) throws(SourceError) -> Bool {
    let (chain, _) = try chain(at: offset, count: PacketScanner.convincingPackets)
    if chain.bytes >= PacketScanner.convincingBytes {
      if chain.lengths.count == PacketScanner.convincingPackets { return true }
      if chain.lengths.count > 1, chain.end == media.upperBound { return true }
    }
    debt += Int(chain.bytes) + measurer.wastedBytes
    return false
  }

  /// How many bytes are left out as the search has become too expensive.
  private func skipped() -> Int {
    debt = max(debt - PacketScanner.patience, 0)
    guard debt > PacketScanner.credit else { return 0 }
    let bytes = PacketMeasurer.longestPacket
    debt = max(debt - bytes * PacketScanner.patience, 0)
    return bytes
  }

  /// Makes the bytes from an offset on available: as many as the longest packet has, or all that there are.
  ///
  /// - Returns: the index of the first one in the window.
  private func load(_ offset: UInt64) throws(SourceError) -> Int {
    let start = min(max(offset, media.lowerBound), media.upperBound)
    let wanted = min(UInt64(PacketMeasurer.longestPacket), media.upperBound - start)
    if start >= loaded.lowerBound, start <= loaded.upperBound, wanted <= loaded.upperBound - start {
      return Int(start - loaded.lowerBound)
    }
    let room = window.count - PacketBitReader.padding
    let count = Int(min(UInt64(room), media.upperBound - start))
    // As many bytes as the window has room for, besides the padding.
    let read = try unsafe reader.read(
      at: start, into: UnsafeMutableRawBufferPointer(start: window.pointer(at: 0, count: count), count: count))
    window.from(read).update(repeating: 0, count: min(PacketBitReader.padding, window.count - read))
    loaded = start..<(start + UInt64(read))
    return 0
  }
}
