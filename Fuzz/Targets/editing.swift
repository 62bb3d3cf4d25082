import Lyrebird
import MP4
import MediaCore

// Whatever movie the bytes are, cutting, dividing and joining end with movies that can be read, or with an error that
// says what is wrong. Input bytes also choose where, so that a run tries all of it.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEditing(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  guard let movie = try? MP4Demuxer(source: MemorySource(bytes)), isSmall(movie), isQuick(movie) else { return 0 }
  let seed = bytes.reduce(UInt64(count)) { $0 &* 31 &+ UInt64($1) }
  var choices = Choices(withUnsafeBytes(of: seed &* 0x9E37_79B9_7F4A_7C15) { Array($0) })
  var clip = MovieClip(movie)
  clip.start = place(in: movie, &choices)
  if choices.once(in: 2) { clip.end = place(in: movie, &choices) }
  let part = cut(clip, &choices)
  divide(movie, &choices)
  join([movie] + (part.map { [$0] } ?? []) + [movie], &choices)
  return 0
}

/// A time in a movie, beyond its end or before its beginning.
private func place(in movie: MP4Demuxer, _ choices: inout Choices) -> MediaTime {
  if choices.once(in: 8) { return MediaTime(value: Int64(bitPattern: choices.time()), timescale: 600) }
  return MediaTime(value: Int64(movie.duration.seconds * 6) * Int64(choices.byte()), timescale: 1536)
}

/// Whether a movie is cut, divided and joined with itself in a fraction of a second: sound may be encoded anew, all of
/// it, and an index is read for each piece.
private func isQuick(_ movie: MP4Demuxer) -> Bool {
  movie.duration.seconds < 15 && movie.tracks.reduce(0) { $0 + min($1.sampleCount, 10_001) } <= 10_000
}

/// - Returns: the part, as a movie; `nil` where it was refused.
private func cut(_ clip: MovieClip, _ choices: inout Choices) -> MP4Demuxer? {
  var options = MovieEditor.Options()
  options.layout = choices.pick([.fastStart, .moovLast, .fragmented])
  options.startsAtKeyframe = choices.once(in: 4)
  let sink = MemorySink()
  do {
    let summary = try MovieEditor(clip, to: sink, options: options).run()
    if options.startsAtKeyframe { require(summary.start <= clip.start, "a cut begins at the keyframe before it") }
  } catch {
    require(!"\(error)".isEmpty, "an error says what is wrong")
    return nil
  }
  return readable(sink.bytes, "what was cut")
}

private func divide(_ movie: MP4Demuxer, _ choices: inout Choices) {
  let places: MovieSplitter.Places =
    switch choices.number(0...3) {
    case 0: .chapters
    case 1: .size(UInt64(2000 + 100 * choices.number(0...255)))
    case 2: .silence(below: -Double(choices.byte()), seconds: 0.1)
    default: .every(MediaTime(value: Int64(movie.duration.seconds * 100) + 1, timescale: 300))
    }
  guard let pieces = try? MovieSplitter(movie).pieces(at: places) else { return }
  require(!pieces.isEmpty, "there is always a piece")
  for (piece, next) in zip(pieces, pieces.dropFirst()) {
    require(piece.clip.end == next.clip.start, "pieces follow one another")
    require(piece.clip.start < next.clip.start, "no piece is empty")
  }
  if let piece = pieces.last { _ = cut(piece.clip, &choices) }
}

private func join(_ parts: [MP4Demuxer], _ choices: inout Choices) {
  var options = MovieJoiner.Options()
  options.layout = choices.pick([.fastStart, .moovLast, .fragmented])
  options.encodesSeams = !choices.once(in: 3)
  options.joinsUnlike = choices.once(in: 2)
  if choices.once(in: 2) { options.chapterTitles = parts.indices.map { "part \($0)" } }
  let sink = MemorySink()
  do {
    let summary = try MovieJoiner(parts, to: sink, options: options).run()
    require(summary.starts.count == parts.count, "each part begins somewhere")
  } catch {
    require(!"\(error)".isEmpty, "an error says what is wrong")
    return
  }
  _ = readable(sink.bytes, "what was joined")
}

/// Reads all samples of a movie that was just written.
private func readable(_ bytes: [UInt8], _ what: String) -> MP4Demuxer? {
  do {
    let movie = try MP4Demuxer(source: MemorySource(bytes))
    for track in movie.tracks {
      var samples = movie.samples(of: track)
      while let sample = try samples.next() { _ = try sample.payload.load() }
    }
    return movie
  } catch {
    fatalError("violated: \(what) can be read: \(error)")
  }
}
