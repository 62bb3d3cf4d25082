/// Packets that lie one directly after another.
package struct PacketChain: Sendable, Hashable {
  /// The offset of the first one in the file.
  package let offset: UInt64
  /// The length of each, in bytes.
  package internal(set) var lengths: [UInt16] = []
  /// The length of all of them.
  package private(set) var bytes: UInt64 = 0

  /// A chain without packets.
  init(offset: UInt64) { self.offset = offset }

  /// The offset after the last packet.
  package var end: UInt64 { offset + bytes }

  /// Adds a packet, of 1 to 65 535 bytes.
  package mutating func add(_ length: Int) {
    lengths.append(UInt16(truncatingIfNeeded: length))
    bytes += UInt64(length)
  }

  /// Adds the packets of another chain from a number on, the first of which begins at the end of this one.
  package mutating func append(_ other: PacketChain, from number: Int) {
    lengths += other.lengths[number...]
    bytes = other.end - offset
  }

  /// Removes the last packet.
  mutating func removeLast() {
    if let length = lengths.popLast() { bytes -= UInt64(length) }
  }
}

/// How packets are to be read: what the decoder needs to know of a stream to find the end of a packet.
package struct PacketRule: Sendable, Hashable {
  /// The audio object type, 1, 2 or 4.
  package let objectType: UInt8
  /// Any sampling rate in Hz of those that share the tables.
  package let sampleRate: UInt32
  /// Samples of a packet for each channel: 1024 or 960.
  package let frameLength: Int
  /// The elements of all packets, if known.
  package var shape: PacketShape?
  /// Whether packets may begin with an element that carries no channel.
  package var allowsPreface = true

  /// A rule from its parts.
  package init(objectType: UInt8 = 2, sampleRate: UInt32, frameLength: Int = 1024, shape: PacketShape? = nil) {
    (self.objectType, self.sampleRate, self.frameLength, self.shape) = (objectType, sampleRate, frameLength, shape)
  }

  /// The rule of a configuration; `nil` for what the decoder does not support.
  package init?(_ configuration: AudioSpecificConfig) {
    let length = configuration.frameLength ?? 1024
    guard [1, 2, 4].contains(configuration.objectType), length == 1024 || length == 960,
      !configuration.dependsOnCoreCoder
    else { return nil }
    self.init(
      objectType: configuration.objectType, sampleRate: configuration.sampleRate, frameLength: length,
      shape: PacketShape(configuration))
  }

  var tables: StreamTables {
    let configuration = AudioSpecificConfig(objectType: objectType, sampleRate: sampleRate, channelConfiguration: 1)
    return StreamTables(configuration, frameLength: frameLength)
  }
}
