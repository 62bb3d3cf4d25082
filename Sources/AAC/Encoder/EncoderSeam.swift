/// How packets that are made anew fit between packets that stay.
///
/// The windows of neighbouring packets overlap, and the aliasing of one cancels that of the other only if the slopes of
/// both are the same. So the slope with which the last packet before fades out decides how the first new one fades in,
/// and the first packet after expects the slope that its old predecessor had. All these slopes are long ones.
///
/// Source: ISO/IEC 14496-3, 4.6.11.
package struct EncoderSeam: Sendable {
  /// Number of the first packet that is used, at least 1; those before it only warm the encoder up.
  let first: Int
  /// Number of the packet after the last one that is used; `nil` where no packet follows.
  let end: Int?
  /// The slope of the packet before; the sine where there is none.
  let shapeBefore: WindowShape
  /// The slope that the packet after expects, which all packets that are used have at their end.
  let shapeAfter: WindowShape

  /// - Parameters:
  ///   - first: as above.
  ///   - end: as above.
  ///   - before: the windows of the packet that stays before, which has to end with a long slope; `nil` if there is
  ///     none.
  ///   - after: the windows of the old predecessor of the packet that stays after; `nil` if there is none.
  package init(first: Int, end: Int?, before: PacketWindows?, after: PacketWindows?) {
    self.first = first
    self.end = end
    shapeBefore = before?.shape ?? .sine
    shapeAfter = after?.shape ?? shapeBefore
  }

  /// The shape with which a packet ends and the next one begins.
  func shape(after packet: Int) -> WindowShape { packet < first ? shapeBefore : shapeAfter }

  /// Whether a packet has to be one of long windows, so that the slopes to packets that stay are long ones.
  func isLong(_ packet: Int) -> Bool {
    packet == first || packet == first - 1 || end.map { packet == $0 || packet == $0 - 1 } ?? false
  }
}

/// The windows of a packet, the same for all its channels.
package struct PacketWindows: Sendable, Equatable {
  /// Whether it fades in with a long slope.
  package let beginsLong: Bool
  /// Whether it fades out with a long slope.
  package let endsLong: Bool
  /// The shape of the slope with which it fades out.
  let shape: WindowShape

  /// - Returns: `nil` if the channels differ.
  init?(_ windows: [(sequence: WindowSequence, shape: WindowShape)]) {
    guard let first = windows.first, windows.allSatisfy({ $0 == first }) else { return nil }
    beginsLong = first.sequence == .onlyLong || first.sequence == .longStart
    endsLong = first.sequence == .onlyLong || first.sequence == .longStop
    shape = first.shape
  }
}
