internal import MediaCore

/// Finds the frames of an ADTS stream, and counts the bytes between them.
///
/// One offset in twenty thousand looks like a header by chance. Where one frame follows another, a header is believed;
/// after junk only if it is one of this stream, or if another follows where its length leads.
struct ADTSScanner: Sendable {
  /// A frame and its position.
  struct Frame {
    let offset: UInt64
    let bits: ADTSBits

    var end: UInt64 { offset + bits[.frameLength] }

    /// The bytes after the header. Block positions belong to the header only if they are valid.
    var payload: Range<UInt64> { offset + (bits[.protectionAbsent] == 1 ? 7 : 9)..<end }
  }

  /// Bytes read at once: far more than a frame, but still little memory.
  private static let windowSize = 65_536
  /// Junk is searched in pieces of this many bytes.
  private static let junkSize = 1024

  let reader: SourceReader
  private var window: SourceWindow
  /// The end of the source; for a stream, it is not known until it is reached.
  private var end: UInt64
  /// The offset at which the next frame is expected.
  var offset: UInt64 = 0
  /// Frames begin before this offset.
  var limit: UInt64
  var report = ADTSReader.Report()
  /// What the frames of this stream have in common, once one was found.
  private var streamKey: UInt64?
  /// Whether a frame or a tag ended here: a stream begins with one, unless it was cut.
  private var isInStep = true
  /// Bytes of the ID3v1 and APE tags since the last frame: if no other frame comes, they are its end.
  private var closingTagBytes: UInt64 = 0

  init(_ reader: SourceReader) {
    self.reader = reader
    // A stream is read no further than needed: its writer may be as slow as real time.
    let isStream = reader.size == .max
    window = SourceWindow(reader, capacity: isStream ? ADTSBits.byteCount : ADTSScanner.windowSize)
    limit = reader.size
    end = reader.size
  }

  /// The next whole frame, or `nil` at the end of the stream.
  mutating func nextFrame() throws(AACError) -> Frame? {
    let headerSize = UInt64(ADTSBits.byteCount)
    while offset < min(limit, end), end - offset >= headerSize {
      let known = end
      let bits = try bits(at: offset)
      if bits.isPlausible, let frame = try accept(bits) { return frame }
      // A stream turned out to end here: what remains may be shorter than a header.
      if end < known { continue }
      if try skipID3() { continue }
      if try skipClosingTag() { continue }
      try skipJunk()
    }
    report.tailBytes = closingTagBytes + end - min(offset, end)
    return nil
  }

  /// Takes a plausible header for a frame if the source holds all of it, and it is one to believe.
  @inline(__always)
  private mutating func accept(_ bits: ADTSBits) throws(AACError) -> Frame? {
    let key = bits.streamKey
    if end == .max { _ = try bytes(at: offset, count: Int(bits[.frameLength])) }
    guard bits[.frameLength] <= end - offset else {
      if key == streamKey {
        report.missingBytes = Int(bits[.frameLength] - (end - offset))
        report.cutBytes = end - offset
      }
      return nil
    }
    let frame = Frame(offset: offset, bits: bits)
    if !isInStep, key != streamKey {
      guard try isChain(frame, length: 2) else { return nil }
    }
    if let streamKey { report.headerChanges += key == streamKey ? 0 : 1 } else { streamKey = key }
    report.frames += 1
    report.framesWithChecksum += bits[.protectionAbsent] ^ 1
    (report.missingBytes, report.cutBytes) = (0, 0)
    report.tagBytes += closingTagBytes
    (offset, isInStep, closingTagBytes) = (frame.end, true, 0)
    return frame
  }

  /// Bytes of the source; fewer than asked for only at its end.
  mutating func bytes(at offset: UInt64, count: Int) throws(AACError) -> ArraySlice<UInt8> {
    let bytes: ArraySlice<UInt8>
    do { bytes = try window.bytes(at: offset, count: count) } catch { throw AACError(.source(error)) }
    if end == .max, bytes.count < count { end = offset + UInt64(bytes.count) }
    return bytes
  }

  /// The header at an offset; all zeros if the source ends before.
  private mutating func bits(at offset: UInt64) throws(AACError) -> ADTSBits {
    let bytes = try bytes(at: offset, count: ADTSBits.byteCount)
    guard bytes.count == ADTSBits.byteCount else { return ADTSBits(word: 0) }
    return ADTSBits(bytes.span, at: 0)
  }

  /// Skips bytes up to the next one that could begin something.
  private mutating func skipJunk() throws(AACError) {
    let bytes = try bytes(at: offset, count: ADTSScanner.junkSize)
    // The last six bytes cannot begin a header: they are left for the tail.
    let last = max(bytes.count - ADTSBits.byteCount + 1, 1)
    let next = bytes.prefix(last).dropFirst().firstIndex { [0xFF, 0x49, 0x54, 0x41].contains($0) }
    let skipped = next.map { $0 - bytes.startIndex } ?? last
    report.junkBytes += UInt64(skipped)
    offset += UInt64(skipped)
    isInStep = false
  }

  /// Skips one ID3v2 tag, if there is one.
  ///
  /// A tag that claims to extend beyond the source ends there.
  ///
  /// - Returns: whether there was one.
  mutating func skipID3() throws(AACError) -> Bool {
    let head = try bytes(at: offset, count: ID3Header.byteCount + 1)
    guard head.count > ID3Header.byteCount, let header = ID3Header(head) else { return false }
    let length = min(header.size, end - offset)
    report.tagBytes += length
    offset += length
    return true
  }

  /// Skips one ID3v1 or APE tag after a frame or another tag. Files put one after another have one in the middle.
  ///
  /// - Returns: whether there was one.
  private mutating func skipClosingTag() throws(AACError) -> Bool {
    guard isInStep, let size = try closingTagSize(at: offset) else { return false }
    let length = min(size, end - offset)
    closingTagBytes += length
    offset += length
    return true
  }

  /// Bytes of the ID3v1 or APE tag that begins here; `nil` if there is none.
  private mutating func closingTagSize(at offset: UInt64) throws(AACError) -> UInt64? {
    // The first byte rules out nearly everything, and a pipe may have no more yet.
    guard let first = try bytes(at: offset, count: 1).first, first == 0x54 || first == 0x41 else { return nil }
    return ClosingTag(try bytes(at: offset, count: ClosingTag.headSize))?.size
  }

  /// Whether what follows a frame confirms that it is one: headers of the same stream, `length` in a row including its
  /// own, or fewer up to a tag or to the end of the source.
  mutating func isChain(_ frame: Frame, length: Int) throws(AACError) -> Bool {
    var offset = frame.end
    for _ in 1..<length where offset < end {
      let bits = try bits(at: offset)
      if offset == end { return true }
      guard bits.isPlausible, bits.streamKey == frame.bits.streamKey else {
        if try bytes(at: offset, count: 3).elementsEqual([0x49, 0x44, 0x33]) { return true }
        return try closingTagSize(at: offset) != nil
      }
      offset += bits[.frameLength]
    }
    return true
  }

  /// The packets of a frame with a checksum: each begins at its position in the header and ends with a checksum of its
  /// own.
  ///
  /// - Returns: `nil` if there are no positions, or they do not increase or lie outside the frame.
  mutating func blocks(of frame: Frame) throws(AACError) -> [Range<UInt64>]? {
    guard frame.bits[.protectionAbsent] == 0 else { return nil }
    let count = Int(frame.bits[.additionalBlocks])
    let start = frame.offset + frame.bits.headerSize
    var reader = BitReader(try bytes(at: frame.offset + UInt64(ADTSBits.byteCount), count: 2 * count))
    var bounds = [start]
    for _ in 0..<count {
      guard let position = try? reader.bits(16) else { return nil }
      bounds.append(start + UInt64(position))
    }
    bounds.append(frame.end)
    var ranges: [Range<UInt64>] = []
    for (low, high) in zip(bounds, bounds.dropFirst()) {
      guard low <= high, high <= frame.end, high - low >= 2 else { return nil }
      ranges.append(low..<(high - 2))
    }
    return ranges
  }
}
