/// A single channel, a pair or a low-frequency channel.
final class ChannelElement {
  let kind: ChannelElements.Kind
  /// Its number among the elements of the channel configuration; `nil` for a spare one, whose sound is dropped.
  let slot: Int?
  /// The tag that tells it from others of its kind; `nil` if the configuration has none, so that their order does.
  let tag: Int?
  let streams: [ChannelStream]
  /// Its SBR layer and the layer's samples, if it is decoded.
  let replication: SBRElement?
  let replicated: [AlignedMemory<Float>]
  /// Whether the current packet has it.
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
