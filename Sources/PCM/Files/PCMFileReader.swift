public import MediaCore

/// Reads the PCM of a file: WAVE and RF64, AIFF and AIFF-C, CAF, or samples without a header.
///
/// ```swift
/// var wav = try PCMFileReader(path: "in.wav")
/// while let sound = try wav.next() { … }
/// ```
///
/// A value: a copy is a second reader that continues from the same position. Integers are delivered as they are, except
/// that 8-bit samples and those of the laws of ITU-T G.711 become 16-bit integers; floats become 32-bit floats. A file
/// that is shorter than its header says is read to its end; see `missingBytes`.
public struct PCMFileReader: Sendable {
  /// The kind of the file.
  public let fileType: PCMFileType
  /// The kind with its variant: `wav`, `rf64`, `aiff`, `aifc`, `caf`, `raw`.
  public let fileTypeName: String
  /// How the samples are written in the file.
  public let fileFormat: PCMFileFormat
  /// The format of the samples: `fileFormat.decoded`.
  public let format: AudioFormat
  /// Frames of the file; `nil` while a stream of unknown length has not ended. A last, incomplete one does not count.
  public var frameCount: UInt64? {
    isOpenEnded ? nil : dataBytes / UInt64(bytesPerFrame)
  }
  /// Number of the frame that comes next.
  public private(set) var position: UInt64 = 0
  /// Bytes of samples that the header promises but the file lacks. In a stream it is known only at the end.
  public private(set) var missingBytes: UInt64 = 0

  let reader: SourceReader
  private let unpacker: SampleUnpacker
  private let bytesPerFrame: Int
  /// Where the samples begin, and how many bytes the header promises; `nil` if it does not say.
  let header: PCMFileHeader
  /// Bytes of samples, as far as is known; otherwise the most that a source could ever hold.
  private var dataBytes: UInt64
  private var isOpenEnded: Bool

  /// Frames delivered at once by default.
  public static let defaultFrames = 4096
  /// The most bytes of the file read at once, whatever number of frames is requested: a bound for streams, whose length
  /// cannot be compared with what a header claims.
  private static let maximumBytes = 16 << 20

  /// A reader at the first frame.
  ///
  /// - Throws: `PCMFileError`: `.notPCMFile`, `.missingChunk`, `.notPCM`, `.unsupportedBits`, `.invalidValue`,
  ///   `.truncated`, `.tooManyChunks`, `.source`.
  public init(_ reader: SourceReader) throws(PCMFileError) {
    let header: PCMFileHeader
    do {
      header = try PCMFileHeader(reader)
    } catch {
      throw error.located(in: reader.source.name)
    }
    try self.init(reader, header)
  }

  /// A reader of samples that have no header, which are all of the source. A last, incomplete frame is left out.
  ///
  /// - Throws: `PCMFileError` `.unsupportedBits`, for a coding that cannot be read; a `RawPCMFormat` has none such.
  public init(_ reader: SourceReader, raw format: RawPCMFormat) throws(PCMFileError) {
    let format = PCMFileFormat(format.coding, sampleRate: format.sampleRate, layout: format.layout)
    try self.init(reader, PCMFileHeader(.raw, name: "raw", format: format, dataStart: 0))
  }

  private init(_ reader: SourceReader, _ header: PCMFileHeader) throws(PCMFileError) {
    guard let unpacker = SampleUnpacker(header.format.coding, order: header.order) else {
      let coding = header.format.coding
      throw PCMFileError(
        .unsupportedBits(8 * coding.byteCount, isFloat: coding.kind == .float), file: reader.source.name)
    }
    self.reader = reader
    self.header = header
    self.unpacker = unpacker
    fileType = header.type
    fileTypeName = header.name
    fileFormat = header.format
    format = header.format.decoded
    bytesPerFrame = header.format.bytesPerFrame
    let there = reader.size - min(header.dataStart, reader.size)
    dataBytes = min(header.dataBytes ?? there, there)
    missingBytes = (header.dataBytes ?? dataBytes) - dataBytes
    isOpenEnded = reader.size == .max && header.dataBytes == nil
  }

  /// A reader at the first frame of a file.
  ///
  /// - Throws: `PCMFileError`: `.notPCMFile`, `.missingChunk`, `.notPCM`, `.unsupportedBits`, `.invalidValue`,
  ///   `.truncated`, `.tooManyChunks`, `.source`.
  public init(path: String) throws(PCMFileError) {
    let source: FileSource
    do {
      source = try FileSource(path: path)
    } catch {
      throw PCMFileError(.source(error))
    }
    try self.init(SourceReader(source))
  }

  /// Whether a source begins as a WAVE, AIFF or CAF file does. It may still be damaged, or hold no PCM.
  ///
  /// - Throws: `PCMFileError` `.source`.
  public static func looksLikePCMFile(_ reader: SourceReader) throws(PCMFileError) -> Bool {
    try PCMFileHeader.type(reader) != nil
  }

  /// Seeks to a frame, so that `next()` begins with it; one past the end is taken as the end.
  public mutating func seek(toFrame frame: UInt64) {
    position = min(frame, dataBytes / UInt64(bytesPerFrame))
  }

  /// The next frames.
  ///
  /// - Parameter wanted: how many frames, at least 1. Fewer come at the end, or where they take more than 16 MiB.
  /// - Returns: the frames, at least one, at the number that the first of them has in the file; `nil` at the end.
  /// - Throws: `PCMFileError` `.source`; nothing is lost, the same frames can be asked for again.
  public mutating func next(frames wanted: Int = PCMFileReader.defaultFrames) throws(PCMFileError) -> PCMSample? {
    let start = position * UInt64(bytesPerFrame)
    let most = min(max(wanted, 1), max(PCMFileReader.maximumBytes / bytesPerFrame, 1))
    let count = Int(min(UInt64(most), (dataBytes - start) / UInt64(bytesPerFrame)))
    guard count > 0 else { return nil }
    let buffer: PCMBuffer
    do {
      buffer = try reader.pcm(at: header.dataStart + start, frames: count, of: format, by: unpacker)
    } catch {
      throw PCMFileError(.source(error))
    }
    let first = position
    position += UInt64(buffer.frameCount)
    if buffer.frameCount < count { noteEnd() }
    return buffer.frameCount > 0 ? PCMSample(buffer, at: Int64(clamping: first)) : nil
  }

  /// Checks that the file was not changed, and did not grow, since it was opened. Code that makes another file of its
  /// sound calls this last, before that file gets its name: part of the sound may be from before a change.
  ///
  /// - Throws: `PCMFileError` `.source`: `.changed`.
  public func checkUnchanged() throws(PCMFileError) {
    do throws(SourceError) { try reader.checkUnchanged() } catch { throw PCMFileError(.source(error)) }
  }

  /// Only a stream delivers less than requested, and only when it has ended.
  private mutating func noteEnd() {
    let there = position * UInt64(bytesPerFrame)
    if !isOpenEnded { missingBytes += dataBytes - there }
    dataBytes = there
    isOpenEnded = false
  }
}
