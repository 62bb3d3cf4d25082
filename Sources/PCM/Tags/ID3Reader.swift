internal import MediaCore

/// Reads the texts of an ID3 tag: versions 2.2, 2.3 and 2.4. Pictures and all else are passed over unread.
///
/// The versions differ in the lengths of names and in how sizes are written. "Unsynchronised" tags have a zero after
/// each byte 0xFF, so that players of MP3 do not take them for sound; in 2.4 each frame is, before it the whole tag.
///
/// Source: id3.org, "ID3 tag version 2.2.0", "2.3.0" and "2.4.0".
struct ID3Reader {
  /// The most frames. Real tags have a few dozen.
  private static let maximumFrames = 10_000
  /// The most bytes of an unsynchronised tag of version 2.2 or 2.3, which cannot be read frame by frame.
  private static let maximumUnsynchronised = 1 << 20
  private static let headBytes = UInt64(ID3Header.byteCount)

  private var window: SourceWindow
  /// The tag in memory, where it had to be resynchronised; read from the file otherwise.
  private var memory: [UInt8]?
  private let start: UInt64
  private let count: UInt64
  private var version: UInt8 = 0
  /// Bytes of the whole tag, its head and a copy of that at its end included; `nil` before it was read.
  private(set) var size: UInt64?
  private var isUnsynchronised = false

  /// - Parameters:
  ///   - start: where the chunk's content begins.
  ///   - count: how much of it there is.
  init(_ reader: SourceReader, from start: UInt64, count: UInt64) {
    window = SourceWindow(reader, capacity: 4096)
    self.start = start
    self.count = count
  }

  /// A frame: where its content is, counted from the tag's first frame, and what its second byte of flags says.
  private struct Frame {
    var identifier: String
    var content: UInt64
    var size: UInt64
    var flags: UInt8
  }

  /// Reads all texts.
  ///
  /// - Throws: `PCMFileError` `.source`.
  mutating func read(_ add: (_ identifier: String, _ value: String) -> Void) throws(PCMFileError) {
    guard let end = try readHeader() else { return }
    var offset = try readExtension()
    for _ in 0..<ID3Reader.maximumFrames {
      guard offset < end, let frame = try frame(at: offset), frame.size <= end - min(frame.content, end) else { return }
      if let (identifier, value) = try text(of: frame) { add(identifier, value) }
      offset = frame.content + frame.size
    }
  }

  /// Bytes, counted from the end of the tag's head; fewer where the file ends.
  private mutating func bytes(_ offset: UInt64, _ count: Int) throws(PCMFileError) -> [UInt8] {
    if let memory {
      let low = Int(min(offset, UInt64(memory.count)))
      return Array(memory[low..<min(low + count, memory.count)])
    }
    do {
      return Array(try window.bytes(at: start + ID3Reader.headBytes + offset, count: count))
    } catch {
      throw PCMFileError(.source(error))
    }
  }

  /// - Returns: how many bytes of frames there are; `nil` if this is no tag that can be read.
  private mutating func readHeader() throws(PCMFileError) -> UInt64? {
    guard count >= ID3Reader.headBytes else { return nil }
    let head: [UInt8]
    do { head = Array(try window.bytes(at: start, count: ID3Header.byteCount)) } catch {
      throw PCMFileError(.source(error))
    }
    guard let header = ID3Header(head), (2...4).contains(header.version) else { return nil }
    version = header.version
    isUnsynchronised = header.flags & 0x80 != 0
    hasExtension = header.flags & 0x40 != 0
    self.size = header.size
    // In 2.2 this bit stands for a compression that was never defined.
    if version == 2, hasExtension { return nil }
    let size = min(header.contentSize, count - ID3Reader.headBytes)
    guard isUnsynchronised, version < 4 else { return size }
    let tag = ID3Reader.resynchronised(try bytes(0, Int(min(size, UInt64(ID3Reader.maximumUnsynchronised)))))
    memory = tag
    return UInt64(tag.count)
  }

  private var hasExtension = false

  /// - Returns: where the first frame is. The extended header's size counts itself in 2.4 only.
  private mutating func readExtension() throws(PCMFileError) -> UInt64 {
    guard hasExtension else { return 0 }
    let size = ID3Header.size(try bytes(0, 4)[...], isSevenBits: version == 4)
    return version == 4 ? size : size + 4
  }

  private mutating func frame(at offset: UInt64) throws(PCMFileError) -> Frame? {
    let (nameBytes, headBytes) = version == 2 ? (3, 6) : (4, 10)
    let head = try bytes(offset, headBytes)
    // The frames may be followed by zero padding.
    guard head.count == headBytes, head[..<nameBytes].allSatisfy({ 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 }) else {
      return nil
    }
    let sizeField = head[nameBytes..<(version == 2 ? 6 : 8)]
    return Frame(
      identifier: TagText.latin1(head[..<nameBytes]), content: offset + UInt64(headBytes),
      size: ID3Header.size(sizeField, isSevenBits: version == 4), flags: version == 2 ? 0 : head[9])
  }

  private static func resynchronised(_ bytes: [UInt8]) -> [UInt8] {
    var (result, wasFull) = ([UInt8](), false)
    result.reserveCapacity(bytes.count)
    for byte in bytes {
      if !(wasFull && byte == 0) { result.append(byte) }
      wasFull = byte == 0xFF
    }
    return result
  }

  /// The content of a frame of text, in the clear; `nil` if it is compressed or encrypted.
  private mutating func content(of frame: Frame) throws(PCMFileError) -> [UInt8]? {
    let (sealed, grouped): (UInt8, UInt8) = version == 4 ? (0x0C, 0x40) : (0xC0, 0x20)
    guard frame.flags & sealed == 0 else { return nil }
    var bytes = try bytes(frame.content, Int(min(frame.size, UInt64(TagCollector.maximumTextBytes))))
    var extra = frame.flags & grouped != 0 ? 1 : 0
    if version == 4 {
      if isUnsynchronised || frame.flags & 0x02 != 0 { bytes = ID3Reader.resynchronised(bytes) }
      if frame.flags & 0x01 != 0 { extra += 4 }
    }
    return Array(bytes.dropFirst(extra))
  }

  private mutating func text(of frame: Frame) throws(PCMFileError) -> (String, String)? {
    let isComment = ["COMM", "COM", "USLT", "ULT"].contains(frame.identifier)
    guard isComment || frame.identifier.hasPrefix("T"), let bytes = try content(of: frame), let encoding = bytes.first
    else { return nil }
    let isUser = ["TXXX", "TXX"].contains(frame.identifier)
    let parts = ID3Reader.texts(bytes.dropFirst(isComment ? 4 : 1), encoding: encoding)
    guard isComment || isUser else {
      // In 2.4 a frame may hold several values.
      return (frame.identifier, parts.map(\.trimmed).filter { !$0.isEmpty }.joined(separator: "; "))
    }
    guard parts.count > 1, let name = parts.first?.trimmed else { return nil }
    let values = parts.dropFirst().map(\.trimmed).filter { !$0.isEmpty }.joined(separator: "; ")
    return (name.isEmpty ? frame.identifier : "\(frame.identifier):\(name)", values)
  }

  /// Texts with zeros between them.
  ///
  /// - Parameter encoding: 0 Latin-1, 1 UTF-16 with a mark, 2 UTF-16 without one, 3 UTF-8.
  private static func texts(_ bytes: ArraySlice<UInt8>, encoding: UInt8) -> [String] {
    switch encoding {
    case 1, 2:
      var (texts, start, isLittle) = ([String](), bytes.startIndex, false)
      var place = start
      func take(to end: Int) {
        let text = bytes[start..<end]
        // A later text may lack the mark that the first one has.
        if text.starts(with: [0xFF, 0xFE]) { isLittle = true }
        texts.append(TagText.utf16(text, isLittleEndian: isLittle))
      }
      while place + 1 < bytes.endIndex {
        if bytes[place] == 0, bytes[place + 1] == 0 {
          take(to: place)
          start = place + 2
        }
        place += 2
      }
      take(to: bytes.endIndex)
      return texts
    case 3:
      return bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    default: return bytes.split(separator: 0, omittingEmptySubsequences: false).map { TagText.latin1($0) }
    }
  }
}
