import ISOBMFF
import MP4
import MediaCore

// What remuxing and moving an index promise: the new file is a movie that holds what the old one held, or there is an
// error and the old file is as it was. A source that fails changes nothing about that.

private let output = Scratch("out.mp4")

/// Remuxes a movie, and compares.
///
/// - Returns: the new file; `nil` where the movie was refused.
func remuxed(_ bytes: [UInt8], _ options: Remuxer.Options, _ what: String) -> [UInt8]? {
  guard let movie = try? MP4Demuxer(source: MemorySource(bytes)), isSmall(movie) else { return nil }
  output.remove()
  defer { output.remove() }
  do {
    let summary = try Remuxer(from: movie, to: output.path, options: options).run()
    compare(movie, try MP4Demuxer(path: output.path), summary, what)
    return output.bytes
  } catch let error as MP4Error {
    require(!error.description.isEmpty, "an error says what is wrong")
    if case .noMovie = error.code { fatalError("violated: what was written is a movie, \(what)") }
    if case .source(let error) = error.code, case .system = error.code {
      fatalError("violated: memory can be read, \(what)")
    }
    require(output.bytes == nil, "an output that failed leaves nothing behind, \(what)")
    return nil
  } catch {
    fatalError("violated: errors are of one kind: \(error)")
  }
}

/// Remuxes from a source with faults: the same comes out, or an error and no file.
func checkFaults(_ bytes: [UInt8], _ options: Remuxer.Options, _ faults: FaultySource.Faults, expected: [UInt8]) {
  output.remove()
  defer { output.remove() }
  do {
    let movie = try MP4Demuxer(source: FaultySource(MemorySource(bytes), faults))
    let summary = try Remuxer(from: movie, to: output.path, options: options).run()
    // What is left out of a movie that cannot be read to its end is told.
    require(output.bytes == expected || !summary.dropped.isEmpty, "a source that fails changes nothing")
  } catch {
    require(output.bytes == nil, "an output that failed leaves nothing behind")
    require(!faults.failingReads.isEmpty, "short reads are no failure: \(error)")
  }
}

/// Moves the index of a file to its front, and compares.
func checkFastStart(_ bytes: [UInt8], onDisk: Bool) {
  let file = Scratch("faststart.mp4", onDisk: onDisk)
  file.write(bytes)
  defer { file.remove() }
  let old = try? MP4Demuxer(source: MemorySource(bytes))
  do {
    let outcome = try FastStart(path: file.path).run()
    guard let old else { fatalError("violated: what cannot be read is not changed") }
    if outcome == .alreadyInFront {
      require(file.bytes == bytes, "an index in front stays where it is")
    } else if isSmall(old) {
      compare(old, try MP4Demuxer(path: file.path), nil, "moved in place: \(outcome)")
    }
  } catch {
    require(file.bytes == bytes, "a file whose index cannot be moved stays what it is: \(error)")
  }
}

/// Options that bytes choose.
func options(_ choices: inout Choices) -> Remuxer.Options {
  var options = Remuxer.Options()
  options.layout = choices.pick([.fastStart, .moovLast, .fragmented])
  options.recover = choices.once(in: 4)
  if choices.once(in: 3) { options.fragmentDuration = choices.pick([0, 0.05, 1, 1e300, -1, .nan, .infinity]) }
  if choices.once(in: 4) { options.fragmentEdits = .times }
  return options
}

/// Faults that bytes choose.
func faults(_ choices: inout Choices) -> FaultySource.Faults {
  var faults = FaultySource.Faults()
  if choices.once(in: 2) { faults.longestRead = choices.number(1...40) }
  faults.shortReads = Set((0..<choices.number(0...3)).map { _ in choices.number(0...40) })
  faults.failingReads = Set((0..<choices.number(0...3)).map { _ in choices.number(0...60) })
  faults.needsReopen = choices.once(in: 2)
  faults.failingReopens = choices.number(0...4)
  return faults
}
