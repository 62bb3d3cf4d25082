import Lyrebird
import MediaCore

// Whatever the bytes are, a repair ends with a movie that can be read, or with an error; and what it says it found is
// in the movie. A search for packets tries many ways of coding, so each input is repaired in one way only: by its
// length.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRepair(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  switch count % 3 {
  case 0: check(bytes, MovieRepair.Options())
  // Without its first box header, nothing is known of the file but its media.
  case 1: check(Array(bytes.dropFirst(8)), MovieRepair.Options())
  // As its own pattern, if it is a movie.
  default:
    guard let pattern = try? MP4Demuxer(source: MemorySource(bytes)) else { return 0 }
    var options = MovieRepair.Options()
    options.pattern = pattern
    check(withoutIndex(bytes), options)
  }
  return 0
}

/// The bytes with every `moov` renamed, so that no index is found.
private func withoutIndex(_ bytes: [UInt8]) -> [UInt8] {
  var left = bytes
  for index in left.indices.dropLast(3) where left[index...].starts(with: "moov".utf8) {
    left.replaceSubrange(index..<index + 4, with: "free".utf8)
  }
  return left
}

private func check(_ bytes: [UInt8], _ options: MovieRepair.Options) {
  let sink = MemorySink()
  guard let report = try? MovieRepair(reader: SourceReader(MemorySource(bytes)), options: options).run(to: sink) else {
    return
  }
  guard report.method != .index else { return }
  guard let saved = try? MP4Demuxer(source: MemorySource(sink.bytes)) else {
    return require(false, "what is saved is a movie")
  }
  for track in report.tracks {
    guard let written = saved.track(id: track.id) else { return require(false, "track \(track.id) is saved") }
    if track.codecName.hasPrefix("PCM") { continue }
    require(written.sampleCount == track.found, "\(track.found) samples found, \(written.sampleCount) saved")
  }
}
