/// A single channel, a pair or a low-frequency channel.
final class ChannelElement {
  let kind: ChannelElements.Kind
  let slot: Int?
  let tag: Int?
  let streams: [ChannelStream]
  /// Its SBR layer and the layer's samples, if it is decoded.
  let replication: SBRElement?
  let replicated: [AlignedMemory<Float>]
  var isPresent = false
  /// The tag in the current packet.
  var presentTag = 0

  init(kind: ChannelElements.Kind, slot: Int?, tag: Int?, _ tables: StreamTables, _ layer: SBRLayer? = nil) {
    (self.kind, self.slot, self.tag) = (kind, slot, tag)
    let channels = kind == .pair ? 2 : 1
    streams = (0..<channels).map { _ in ChannelStream(tables) }
    replication = layer.map { SBRElement(channels: channels, rate: $0.rate, hasStereo: $0.hasStereo) }
    let outputs = layer?.hasStereo == true ? 2 : channels
    replicated = (0..<(layer == nil ? 0 : outputs)).map { _ in AlignedMemory(2 * tables.frameLength) }
  }

  /// Samples of its channels.
  var samples: [AlignedMemory<Float>] { replication == nil ? streams.map(\.samples) : replicated }
}
