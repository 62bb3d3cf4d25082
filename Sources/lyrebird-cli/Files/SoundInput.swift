internal import Lyrebird
internal import Synchronization

extension AudioReader {
  /// Opens the sound of a file, of a pipe or of standard input for a verb.
  ///
  /// What was odd about the file but did not stop it from being read is reported on standard error.
  ///
  /// - Parameters:
  ///   - path: the file; `-` for standard input.
  ///   - options: which of its sound, and how to read it.
  ///   - finishesInput: whether a signal ends a pipe, and not the work on what came from it.
  /// - Throws: `AudioDecodingError`, `SourceError`, `Failure`.
  static func open(_ path: String, _ options: SoundOptions, finishesInput: Bool = false) throws -> AudioReader {
    let source = try InputFile.reader(path, finishesInput: finishesInput)
    if let format = options.raw {
      try InputFile.checkHasBytes(source)
      return try AudioReader(source, raw: format)
    }
    let decoders = AudioDecoders.builtIn(coreOnly: options.coreOnly)
    guard try SoundFileType(source) == .movie else {
      return try AudioReader(source, track: options.track, decoders: decoders)
    }
    if source.isStream {
      do {
        return try AudioReader(source, track: options.track, decoders: decoders)
      } catch AudioDecodingError.movieInStream {
        // It has to be read whole.
      }
    }
    let movie = try MP4Demuxer.opened(try PipedMovie.reader(source))
    movie.reportIssues(file: path)
    return try AudioReader(movie, track: movie.chosenAudioTrack(options.track, file: path), decoders: decoders)
  }

  /// Reads on to the end for a verb, with progress, and reports what was wrong with the file.
  ///
  /// - Parameters:
  ///   - verb: what the work is called.
  ///   - file: the name of the file in messages.
  ///   - total: how many frames there will be; `nil` if that is not known.
  ///   - step: takes the next frames and says how many they were; `nil` at the end.
  /// - Throws: `AudioDecodingError`, `Failure` if a signal came, what `step` throws.
  func pull(_ verb: String, file: String, total: Int64?, _ step: () throws -> Int?) throws {
    var progress = Progress(verb)
    reportFaults(file: file)
    let bytesPerFrame = UInt64(format.bytesPerFrame)
    var (frames, nextCheck): (UInt64, UInt64) = (0, 0)
    while let count = try step() {
      frames += UInt64(count)
      // From a pipe little comes at a time, and a signal should not have to wait for more.
      guard isStream || frames >= nextCheck else { continue }
      nextCheck = frames + AudioReader.framesBetweenChecks
      try progress.update(frames, of: total.map { UInt64(clamping: $0) }, bytes: frames * bytesPerFrame)
    }
    progress.clear()
    try checkFaults(file: file)
    reportMissing(file: file)
    try checkUnchanged()
  }

  /// Frames between two looks at the clock and for signals.
  private static let framesBetweenChecks: UInt64 = 1 << 16

  /// Reports on standard error what is missing from the file, as far as that is known yet.
  func reportMissing(file: String) {
    InputFile.reportMissing(missingBytes, file: file)
  }

  /// Reports each broken packet on standard error, up to a number of them.
  private func reportFaults(file: String) {
    let left = FaultCount()
    onFault { error in
      if left.take() { Messages.warning("\(file): concealed: \(error)") }
    }
  }

  /// Says how many packets were concealed.
  ///
  /// - Throws: `Failure` if there was nothing else.
  private func checkFaults(file: String) throws(Failure) {
    try checkDecoding(file: file)
    if concealedPackets > FaultCount.shown {
      Messages.warning("\(file): concealed \(concealedPackets) of \(decodedPackets) packets in all")
    }
  }

  /// - Throws: `Failure` if there were packets, but not one could be decoded.
  func checkDecoding(file: String) throws(Failure) {
    guard concealedPackets > 0, concealedPackets >= decodedPackets else { return }
    throw Failure(status: .badData, "\(file): none of its \(concealedPackets) packets could be decoded")
  }
}

/// How many broken packets were listed one by one.
private final class FaultCount: Sendable {
  static let shown: UInt64 = 10
  private let taken = Atomic<UInt64>(0)

  /// - Returns: whether to list one more.
  func take() -> Bool { taken.add(1, ordering: .relaxed).oldValue < FaultCount.shown }
}
