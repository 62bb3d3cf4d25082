package import MediaCore

/// A stream of AAC, which has no index and is read from its start: ADTS, or LATM in LOAS.
package struct AACStream: Sendable {
  /// What the packets are wrapped in.
  package enum Framing: Sendable {
    /// Headers of ADTS.
    case adts
    /// LATM in frames of LOAS.
    case loas

    /// The name in messages.
    package var name: String {
      switch self {
      case .adts: "ADTS"
      case .loas: "LOAS"
      }
    }
  }

  // One of the two is set. They are modified in place, as copying a reader for each packet takes longer than reading.
  /// The reader of ADTS, if it is that.
  package private(set) var adts: ADTSReader?
  /// The reader of LOAS, if it is that.
  package private(set) var loas: LOASReader?
  /// The source of the bytes.
  package let source: SourceReader

  /// A stream of ADTS.
  package init(_ reader: ADTSReader) {
    adts = reader
    source = reader.source
  }

  /// A stream of LOAS.
  package init(_ reader: LOASReader) {
    loas = reader
    source = reader.source
  }

  /// A stream that was recognized already.
  ///
  /// - Throws: `AACError`, as the readers do.
  package init(_ reader: SourceReader, framing: Framing) throws(AACError) {
    switch framing {
    case .adts: self.init(try ADTSReader(reader))
    case .loas: self.init(try LOASReader(reader))
    }
  }

  /// What the packets are wrapped in.
  package var framing: Framing { loas == nil ? .adts : .loas }

  /// The next packet, or `nil` at the end: a place in the source where packets begin with a byte, otherwise bytes.
  ///
  /// - Throws: `AACError` `.source`.
  package mutating func next() throws(AACError) -> EncodedSample? {
    guard adts == nil else { return try adts?.next() }
    return try loas?.next()
  }

  /// The stream as a track, as far as it was read.
  package var track: Track { loas?.track ?? adts?.track ?? Track(id: 1, kind: .audio, timescale: 1) }

  /// Packets delivered so far.
  package var packetCount: UInt64 { loas?.report.packets ?? adts?.report.packets ?? 0 }

  /// Bytes of those packets.
  package var payloadBytes: UInt64 { loas?.report.payloadBytes ?? adts?.report.payloadBytes ?? 0 }

  /// Bytes missing from the last frame, if the source ends inside one; complete once `next()` has returned `nil`.
  package var missingBytes: UInt64 { UInt64(clamping: loas?.report.missingBytes ?? adts?.report.missingBytes ?? 0) }

  /// Checks that the file was not changed since it was opened.
  ///
  /// - Throws: `AACError` `.source`: `.changed`.
  package func checkUnchanged() throws(AACError) {
    try adts?.checkUnchanged()
    try loas?.checkUnchanged()
  }
}
