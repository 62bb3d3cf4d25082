internal import Lyrebird

/// Writes the packets of a track as ADTS, with progress: what `extract` and `demo` do.
struct Extraction {
  private let movie: MP4Demuxer
  private let track: Track
  private let file: String

  /// Packets between two checks of the clock and of signals.
  private static let stride: UInt64 = 1024

  /// Bytes written to a pipe at once: a few packets, so that its reader need not wait.
  private static let pipedBytes: UInt64 = 4096

  init(_ movie: MP4Demuxer, track: Track, file: String) {
    self.movie = movie
    self.track = track
    self.file = file
  }

  /// - Throws: `Failure` for what ADTS cannot express, `MP4Error` for a damaged movie: nothing is written then.
  func run(to sink: any ByteSink) throws -> ADTSWriter.Summary {
    if movie.isExternal(track) { throw MP4Error(.externalData, file: file, trackID: track.id) }
    do {
      var writer = try ADTSWriter(sink: sink, track: track)
      // Headers are extra. Overlapping samples can claim more bytes than there are.
      try sink.reserve(min(try movie.byteCount(of: track), movie.reader.size))
      var progress = Progress("extract")
      var samples = movie.samples(of: track)
      var allowance = PayloadAllowance(for: movie)
      let isPiped = !sink.canPatch
      var (packets, bytes, allowed, flushed): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
      // For short samples, assembling each takes longer than writing it.
      while let record = try samples.nextRecord() {
        try writer.append(samples.payload(of: record), descriptionIndex: record.descriptionIndex)
        packets += 1
        if isPiped, bytes - flushed >= Extraction.pipedBytes {
          try writer.flush()
          flushed = bytes
        }
        bytes += UInt64(record.size)
        if packets.isMultiple(of: Extraction.stride) {
          try allowance.take(Int(bytes - allowed))
          allowed = bytes
          try progress.update(packets, of: track.sampleCount, bytes: bytes)
        }
      }
      try movie.checkUnchanged()
      return try writer.finish()
    } catch let error as AACError {
      throw Failure(error, file: file)
    }
  }
}
