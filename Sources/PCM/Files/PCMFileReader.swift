public import MediaCore

/// Reads the PCM of a WAVE file.
///
/// ```swift
/// var wav = try PCMFileReader(path: "in.wav")
/// while let sound = try wav.next() { … }
/// ```
///
/// A value: a copy is a second reader that continues from the same position. Integers of 16, 24 and 32 bits are
/// delivered as they are, all others as floats. A file that is shorter than its header says is read to its end; see
/// `missingBytes`.
public struct PCMFileReader: Sendable {
  /// How the samples are written in the file.
  public let fileFormat: WAVFormat
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

  private let reader: SourceReader
  private let bytesPerFrame: Int
  private let dataStart: UInt64
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
  /// - Throws: `PCMFileError`: `.notPCMFile`, `.missingChunk`, `.notPCM`, `.unsupportedBits`, `.invalidValue`, `.truncated`,
  ///   `.tooManyChunks`, `.source`.
  public init(_ reader: SourceReader) throws(PCMFileError) {
    let header: WAVHeaderReader
    do {
      header = try WAVHeaderReader(reader)
    } catch {
      throw error.located(in: reader.source.name)
    }
    guard let format = header.format else { throw PCMFileError(.missingChunk("fmt "), file: reader.source.name) }
    self.reader = reader
    fileFormat = format
    self.format = format.decoded
    bytesPerFrame = format.bytesPerFrame
    dataStart = header.dataStart
    let there = reader.size - min(dataStart, reader.size)
    dataBytes = min(header.dataBytes ?? there, there)
    missingBytes = header.isPlaceholder ? 0 : (header.dataBytes ?? dataBytes) - dataBytes
    isOpenEnded = reader.size == .max && (header.dataBytes == nil || header.isPlaceholder)
  }

  /// A reader at the first frame of a file.
  ///
  /// - Throws: as above.
  public init(path: String) throws(PCMFileError) {
    let source: FileSource
    do {
      source = try FileSource(path: path)
    } catch {
      throw PCMFileError(.source(error))
    }
    try self.init(SourceReader(source))
  }

  /// Whether a source holds a WAVE file: whether it begins as one. It may still be damaged, or hold no PCM.
  ///
  /// - Throws: `PCMFileError` `.source`.
  public static func looksLikePCMFile(_ reader: SourceReader) throws(PCMFileError) -> Bool {
    let head: [UInt8]
    do { head = try reader.bytes(at: 0, count: 12) } catch { throw PCMFileError(.source(error)) }
    guard head.count == 12, FourCC(head.span.bigEndian(at: 8)) == "WAVE" else { return false }
    return ["RIFF", "RF64", "BW64"].contains(FourCC(head.span.bigEndian(at: 0)))
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
      buffer = try reader.pcm(at: dataStart + start, frames: count, of: fileFormat)
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
