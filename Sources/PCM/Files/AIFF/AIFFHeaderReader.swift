internal import MediaCore

/// Finds the format and the samples of an AIFF or AIFF-C file among its chunks, which come in any order: from a file
/// they are taken as they come, from a pipe `COMM` has to be before the samples.
///
/// Source: Apple, "Audio Interchange File Format: AIFF", version 1.3, and "AIFF-C", draft of 1991.
struct AIFFHeaderReader {
  /// What sox writes into a pipe in place of a count of bytes that it cannot know; ours are a little more tolerant.
  private static let leastPlaceholder: UInt64 = 0x7F00_0000 - 8192

  private static let unknown = UInt64(UInt32.max)

  private var walker: ChunkWalker
  private var isStream: Bool { fileSize == .max }
  private let isCompressed: Bool
  private let fileSize: UInt64
  private let formBytes: UInt64
  private var common: AIFFCommon?
  private var layout: [UInt8] = []
  private var dataStart: UInt64?
  private var dataSize: UInt64 = 0

  /// Reads the header of a file that begins as an AIFF file.
  ///
  /// - Throws: `PCMFileError`: `.missingChunk`, `.tooManyChunks`, `.source`, or what is wrong with the format.
  static func read(_ reader: SourceReader) throws(PCMFileError) -> PCMFileHeader {
    var header = try AIFFHeaderReader(reader)
    try header.readChunks()
    return try header.result()
  }

  private init(_ reader: SourceReader) throws(PCMFileError) {
    walker = ChunkWalker(reader, .iff, from: 12)
    fileSize = reader.size
    let head = try walker.bytes(at: 0, count: 12)
    guard head.count == 12 else { throw PCMFileError(.truncated, offset: 0) }
    formBytes = UInt64(head.span.bigEndian(at: 4, as: UInt32.self))
    isCompressed = FourCC(head.span.bigEndian(at: 8)) == "AIFC"
  }

  /// Goes on until both are found. What says which loudspeakers there are may follow the samples, too, but no program
  /// writes it there.
  private mutating func readChunks() throws(PCMFileError) {
    while common == nil || dataStart == nil, let chunk = try walker.next() {
      switch chunk.type {
      case "COMM":
        let bytes = try walker.bytes(of: chunk, count: AIFFCommon.longestChunk)
        common = try AIFFCommon(bytes, isCompressed: isCompressed, offset: chunk.content)
      case "CHAN": layout = try walker.bytes(of: chunk, count: CoreAudioLayout.longestChunk)
      case "SSND": try readSoundHead(chunk)
      default: break
      }
    }
  }

  /// Two numbers come before the samples: how many bytes to leave out, and the size of blocks that nobody aligns to.
  private mutating func readSoundHead(_ chunk: Chunk) throws(PCMFileError) {
    if isStream, common == nil { throw PCMFileError(.missingChunk("COMM"), offset: chunk.content - 8) }
    let head = try walker.bytes(at: chunk.content, count: 8)
    guard head.count == 8 else { throw PCMFileError(.truncated, field: "SSND", offset: chunk.content) }
    let left = UInt64(head.span.bigEndian(at: 0, as: UInt32.self))
    dataStart = chunk.content + 8 + left
    let isUnknown = chunk.size == AIFFHeaderReader.unknown
    dataSize = isUnknown ? chunk.size : chunk.size < 8 + left ? 0 : chunk.size - 8 - left
  }

  private func result() throws(PCMFileError) -> PCMFileHeader {
    guard let common else { throw PCMFileError(.missingChunk("COMM"), offset: walker.offset) }
    guard let dataStart else { throw PCMFileError(.missingChunk("SSND"), offset: walker.offset) }
    let loudspeakers = layout.isEmpty ? nil : CoreAudioLayout(layout, channels: common.channels)
    let format = PCMFileFormat(
      common.coding, sampleRate: common.sampleRate,
      layout: loudspeakers?.layout ?? ChannelLayout(channels: common.channels))
    let stated = UInt64(common.frames) * UInt64(format.bytesPerFrame)
    var promised = promised(stated, from: dataStart)
    // A file of that size may also be as long as it says.
    if let size = promised, size >= AIFFHeaderReader.leastPlaceholder,
      formBytes + 8 != fileSize || dataStart + size > fileSize
    {
      promised = nil
    }
    return PCMFileHeader(
      .aiff, name: isCompressed ? "aifc" : "aiff", format: format, order: loudspeakers?.order,
      dataStart: dataStart, dataBytes: promised)
  }

  /// The count of frames is believed where it is less than the chunk holds. A recorder that was killed, or that writes
  /// to a pipe, leaves 0 or the largest number as sizes. A size of 0 may also be true: it is if the size of the whole
  /// file reaches as far.
  private func promised(_ stated: UInt64, from dataStart: UInt64) -> UInt64? {
    if dataSize == 0, formBytes + 8 >= dataStart { return 0 }
    let isUnknown = dataSize == 0 || dataSize == AIFFHeaderReader.unknown
    if stated > 0 { return isUnknown ? stated : min(stated, dataSize) }
    return isUnknown ? nil : dataSize
  }
}
