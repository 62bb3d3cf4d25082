internal import Lyrebird

/// A movie that came through a pipe, kept in a temporary file: its index may be at its end, and its samples are read in
/// another order than they lie in.
final class PipedMovie: ByteSource {
  let name: String
  let size: UInt64
  private let file: ScratchFile

  /// Bytes read at once: the capacity of a pipe.
  private static let pieceBytes = 1 << 16

  /// Reads a pipe to its end.
  ///
  /// - Throws: `SourceError`, `SinkError`; `Failure` if a signal ends the work.
  private init(_ pipe: SourceReader) throws {
    file = try ScratchFile()
    name = pipe.source.name
    var progress = Progress("reading")
    var piece = [UInt8](repeating: 0, count: PipedMovie.pieceBytes)
    var total: UInt64 = 0
    while true {
      // Any bytes may be put into an array of bytes.
      let count = try unsafe piece.withUnsafeMutableBytes { try unsafe pipe.read(at: total, into: $0) }
      try progress.update(total, of: nil, bytes: total)
      if count == 0 { break }
      _ = try file.append(piece[..<count])
      total += UInt64(count)
    }
    progress.clear()
    size = total
  }

  /// What a movie can be read from: the reader itself, or all of what comes through it if it is a pipe.
  ///
  /// - Throws: `Failure` if it does not begin as a movie does, as it might be endless then; `AudioDecodingError`,
  ///   `SinkError`, `SourceError`.
  static func reader(_ reader: SourceReader) throws -> SourceReader {
    guard reader.isStream else { return reader }
    try InputFile.checkHasBytes(reader)
    guard try SoundFileType.beginsAsMovie(reader) else { throw notAMovie(reader) }
    return SourceReader(try PipedMovie(reader), attempts: 0)
  }

  private static func notAMovie(_ reader: SourceReader) -> any Error {
    let error = AudioDecodingError(notReadFromStream: reader)
    guard case .movieInStream(let file) = error else { return error }
    return Failure(
      status: .badData, "\(file): neither a movie, nor AAC (ADTS, LOAS), nor PCM (WAVE, AIFF, CAF)")
  }

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    guard offset < size else { return 0 }
    return try unsafe file.read(at: offset, into: buffer)
  }

  /// Nothing to do: no other process can reach the file.
  func reopen() throws(SourceError) {}
}
