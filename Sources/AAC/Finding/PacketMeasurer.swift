/// Finds the end of a packet that begins at a given byte.
///
/// A packet does not say how long it is: its end follows its last element. So every field is read, and every code word
/// of the spectrum passed over; only the samples are not computed. Whatever the standard forbids on the way proves that
/// no packet begins there, or that the configuration is another one.
///
/// Source: ISO/IEC 14496-3, 4.4.2.1, table 4.3 (raw_data_block).
final class PacketMeasurer {
  /// A packet that was passed over.
  struct Packet {
    /// Its length.
    var bytes = 0
    var shape = PacketShape()
    /// Whether it has an SBR layer.
    var hasSBR = false
  }

  /// The longest packet looked for. Stereo is at most 1536 bytes long, 7.1 with all that can be added some 8 KiB.
  static let longestPacket = 16 << 10

  private let tables: StreamTables
  private let spectral = SpectralReader()
  private let left: ChannelStream
  private let right: ChannelStream
  private let coupling: CouplingElement
  private var noise = NoiseSource()
  /// Bytes that were read in vain for the last packet.
  private(set) var wastedBytes = 0

  init(_ tables: StreamTables) {
    self.tables = tables
    (left, right) = (ChannelStream(tables), ChannelStream(tables))
    coupling = CouplingElement(tag: 0, tables)
  }

  /// Measures the packet that begins at an index of some memory.
  ///
  /// - Parameters:
  ///   - memory: bytes, with `PacketBitReader.padding` more after them.
  ///   - first: where the packet begins.
  ///   - count: how many bytes there are from there on.
  ///   - shape: the elements that it has to have, if they are known.
  /// - Returns: `nil` if no packet of this configuration begins there, or if it ends beyond these bytes.
  func packet(in memory: AlignedMemory<UInt8>, at first: Int, count: Int, shape: PacketShape?) -> Packet? {
    var reader = PacketBitReader(memory, from: first, bytes: min(count, PacketMeasurer.longestPacket))
    do throws(PacketFault) {
      var packet = Packet()
      try read(&reader, &packet, shape)
      packet.bytes = (reader.position + 7) / 8
      return packet
    } catch {
      wastedBytes = reader.position / 8
      return nil
    }
  }

  private func read(
    _ reader: inout PacketBitReader, _ packet: inout Packet, _ shape: PacketShape?
  ) throws(PacketFault) {
    for _ in 0..<RawDataBlock.maximumElements {
      let kind = ChannelElements.Kind(rawValue: reader.bits(3)) ?? .end
      if reader.isOverrun { throw .truncated("id_syn_ele") }
      switch kind {
      case .end:
        guard packet.shape.count > 0, shape == nil || packet.shape == shape else {
          throw .invalid("id_syn_ele", kind.rawValue)
        }
        return
      case .single, .pair, .lowFrequency: try readChannels(&reader, &packet, kind, shape)
      case .coupling:
        reader.skip(4)
        try coupling.read(&reader, tables, spectral, &noise)
      case .dataStream: reader.skipDataStream()
      case .programConfig: reader.skipProgramConfig()
      case .fill: readFill(&reader, &packet)
      }
      if reader.isOverrun { throw .truncated("raw_data_block") }
    }
    throw .invalid("id_syn_ele", 0)
  }

  private func readChannels(
    _ reader: inout PacketBitReader, _ packet: inout Packet, _ kind: ChannelElements.Kind, _ shape: PacketShape?
  ) throws(PacketFault) {
    let tag = reader.bits(4)
    if let shape, !shape.has(kind, tag: tag, at: packet.shape.count) { throw .invalid("element_instance_tag", tag) }
    guard packet.shape.add(kind, tag: tag) else { throw .invalid("id_syn_ele", kind.rawValue) }
    guard kind == .pair else { return try left.skip(&reader, tables, spectral, shared: nil) }
    var (shared, second): (WindowInfo?, WindowInfo?)
    if reader.flag() {
      var info = try WindowInfo(&reader, tables)
      shared = info
      if tables.objectType == 4, info.hasPredictionData {
        info.longTerm = reader.flag() ? LongTermInfo(&reader, codedBands: info.codedBands) : nil
      }
      second = info
      _ = try StereoTools(&reader, info)
    }
    try left.skip(&reader, tables, spectral, shared: shared)
    try right.skip(&reader, tables, spectral, shared: second)
  }

  private func readFill(_ reader: inout PacketBitReader, _ packet: inout Packet) {
    var count = reader.bits(4)
    if count == 15 { count += reader.bits(8) - 1 }
    let kind = reader.peek(4)
    if count > 0, kind == RawDataBlock.replicationType || kind == RawDataBlock.checkedReplicationType {
      packet.hasSBR = true
    }
    reader.skip(8 * count)
  }
}
