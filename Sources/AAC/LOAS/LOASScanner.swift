internal import MediaCore

/// Finds the frames of a LOAS stream, and counts the bytes between them.
///
/// A sync word of 11 bits occurs by chance in every fourth packet or so. Where one frame follows another it is
/// believed; anywhere else only if another frame, or the end, is where its length leads.
///
/// Source: ISO/IEC 14496-3, 1.7.2 (AudioSyncStream).
struct LOASScanner: Sendable {
  /// A frame: its header, and the element in it.
  struct Frame {
    let offset: UInt64
    let element: ArraySlice<UInt8>
    /// Whether it follows another.
    let isInStep: Bool
    var end: UInt64 { offset + UInt64(LOASScanner.headerSize + element.count) }
  }

  /// syncword and audioMuxLengthBytes.
  static let headerSize = 3
  /// Bytes read at once: far more than a frame, but still little memory.
  private static let windowSize = 65_536
  /// Junk is searched in pieces of this many bytes.
  private static let junkSize = 1024

  let reader: SourceReader
  private var window: SourceWindow
  /// The end of the source; for a stream, it is not known until it is reached.
  private var end: UInt64
  /// The offset at which the next frame is expected.
  private(set) var offset: UInt64 = 0
  /// Frames begin before this offset.
  var limit: UInt64
  var report = LOASReader.Report()
  /// Whether a frame ended here: a stream begins with one, unless it was cut.
  private var isInStep = true
  /// Where the frame begins that the source does not hold all of, and the junk before it.
  private var cut: (offset: UInt64, junk: UInt64)?

  init(_ reader: SourceReader) {
    self.reader = reader
    // A stream is read no further than needed: its writer may be as slow as real time.
    let isStream = reader.size == .max
    window = SourceWindow(reader, capacity: isStream ? LOASScanner.headerSize : LOASScanner.windowSize)
    limit = reader.size
    end = reader.size
  }

  /// The next whole frame, or `nil` at the end of the stream.
  mutating func nextFrame() throws(AACError) -> Frame? {
    while offset < min(limit, end), end - offset >= UInt64(LOASScanner.headerSize) {
      let known = end
      if let length = try length(at: offset), let frame = try accept(length) { return frame }
      // A stream turned out to end here: what remains may be shorter than a header.
      if end < known { continue }
      try skipJunk()
    }
    noteEnd()
    return nil
  }

  /// audioMuxLengthBytes of the frame that begins here, if one seems to: no element is shorter than two bytes.
  private mutating func length(at offset: UInt64) throws(AACError) -> Int? {
    let head = try bytes(at: offset, count: LOASScanner.headerSize)
    guard head.count == LOASScanner.headerSize, head[head.startIndex] == 0x56, head[head.startIndex + 1] >= 0xE0 else {
      return nil
    }
    let length = Int(head[head.startIndex + 1] & 0x1F) << 8 | Int(head[head.startIndex + 2])
    return length >= 2 ? length : nil
  }

  private mutating func accept(_ length: Int) throws(AACError) -> Frame? {
    let size = LOASScanner.headerSize + length
    let whole = try bytes(at: offset, count: size)
    guard whole.count == size else {
      if isInStep {
        cut = (offset, report.junkBytes)
        report.missingBytes = size - whole.count
      }
      return nil
    }
    let frame = Frame(offset: offset, element: whole.dropFirst(LOASScanner.headerSize), isInStep: isInStep)
    if !isInStep {
      guard try isFrame(at: frame.end) else { return nil }
    }
    report.frames += 1
    report.missingBytes = 0
    (offset, isInStep, cut) = (frame.end, true, nil)
    return frame
  }

  /// Whether the sync word is here, or as much of it as there is before the end of the source.
  private mutating func isFrame(at offset: UInt64) throws(AACError) -> Bool {
    let head = try bytes(at: offset, count: 2)
    guard let first = head.first else { return true }
    return first == 0x56 && head.dropFirst().allSatisfy { $0 >= 0xE0 }
  }

  /// Moves to where the next frame really begins, after one that does not fill its length or makes no sense, if what
  /// follows is no frame: then its length was damaged.
  ///
  /// - Parameter size: bytes that its element takes up; `nil` if it makes no sense.
  mutating func doubt(_ frame: Frame, size: Int?) throws(AACError) {
    guard try !isFrame(at: frame.end) else { return }
    if let size, try isFrame(at: frame.offset + UInt64(LOASScanner.headerSize + size)) {
      offset = frame.offset + UInt64(LOASScanner.headerSize + size)
      return
    }
    guard size == nil else { return }
    (offset, isInStep) = (frame.offset + UInt64(LOASScanner.headerSize), false)
  }

  /// Bytes of the source; fewer than asked for only at its end.
  private mutating func bytes(at offset: UInt64, count: Int) throws(AACError) -> ArraySlice<UInt8> {
    let bytes: ArraySlice<UInt8>
    do { bytes = try window.bytes(at: offset, count: count) } catch { throw AACError(.source(error)) }
    if end == .max, bytes.count < count { end = offset + UInt64(bytes.count) }
    return bytes
  }

  /// Skips bytes up to the next one that could begin a frame.
  private mutating func skipJunk() throws(AACError) {
    let bytes = try bytes(at: offset, count: LOASScanner.junkSize)
    let last = max(bytes.count - LOASScanner.headerSize + 1, 1)
    let next = bytes.prefix(last).dropFirst().firstIndex(of: 0x56)
    let skipped = next.map { $0 - bytes.startIndex } ?? last
    report.junkBytes += UInt64(skipped)
    offset += UInt64(skipped)
    isInStep = false
  }

  /// Notes a frame that begins but is cut off: it is not junk.
  private mutating func noteEnd() {
    if let cut, limit == reader.size {
      report.junkBytes = cut.junk
      report.tailBytes = end - min(cut.offset, end)
    } else {
      report.tailBytes = end - min(offset, end)
    }
  }

  /// Whether what follows a frame confirms that it is one: `length` in a row including itself, or fewer up to the end
  /// of the source.
  mutating func isChain(_ frame: Frame, length: Int) throws(AACError) -> Bool {
    var offset = frame.end
    for _ in 1..<length where offset < end {
      guard let size = try self.length(at: offset) else {
        let isHeaderCut = end - min(offset, end) < UInt64(LOASScanner.headerSize)
        return isHeaderCut ? try isFrame(at: offset) : false
      }
      offset += UInt64(LOASScanner.headerSize + size)
    }
    return true
  }

  /// Continues right after the first byte of a frame that turned out to be none.
  mutating func reject(_ frame: Frame) {
    (offset, isInStep) = (frame.offset + 1, false)
    report.frames -= 1
    report.junkBytes += 1
  }
}
