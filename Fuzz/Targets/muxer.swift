import ISOBMFF
import MP4
import MediaCore

// A movie taken apart into samples and put together again. What the muxer takes it writes: every sample with its bytes,
// in a file without oddities. Input bytes also choose the layout and the order in which tracks are fed.

/// Samples and bytes of a movie that is tried: small files can describe large movies, which only take time.
private let sampleLimit = 10_000
private let byteLimit = 4 << 20

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMuxer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  guard let movie = try? MP4Demuxer(source: MemorySource(bytes)) else { return 0 }
  var choice = bytes.reduce(UInt64(count)) { $0 &* 31 &+ UInt64($1) }
  let tracks = movie.tracks.filter { !$0.descriptions.isEmpty && !movie.isExternal($0) }.prefix(50)
  var options = MuxerOptions()
  options.layout = [.fastStart, .moovLast, .fragmented(seconds: 0.5)][Int(choice % 3)]
  options.metadata = movie.metadata
  options.chapters = (try? movie.chapters()) ?? []
  options.memoryLimit = choice & 8 == 0 ? 1000 : 1 << 30
  let sink = MemorySink()
  do throws(MP4Error) {
    let muxer = try MP4Muxer(to: sink, tracks: tracks.map { MuxerTrack($0) }, options: options)
    var readers = tracks.map { movie.samples(of: $0) }
    var taken: [[ArraySlice<UInt8>]] = readers.map { _ in [] }
    var open = Array(readers.indices)
    var (samples, size) = (0, 0)
    while !open.isEmpty {
      choice = choice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let place = Int((choice >> 33) % UInt64(open.count))
      let track = open[place]
      guard let sample = try? readers[track].next(), samples < sampleLimit, size < byteLimit else {
        open.remove(at: place)
        continue
      }
      samples += 1
      size += sample.payload.count
      guard size < byteLimit, let data = try? sample.payload.load() else { continue }
      if (try? muxer.append(sample)) != nil { taken[track].append(data) }
    }
    let summary = try muxer.finish()
    require(summary.bytes == UInt64(sink.bytes.count), "the summary counts the bytes")
    require(summary.samples == UInt64(taken.reduce(0) { $0 + $1.count }), "the summary counts the samples")
    compare(taken, muxer.tracks, try MP4Demuxer(source: MemorySource(sink.bytes)))
  } catch {
    require(!error.description.isEmpty, "an error says what is wrong")
    if case .noMovie = error.code { fatalError("violated: what was written is a movie") }
  }
  return 0
}

private func compare(_ taken: [[ArraySlice<UInt8>]], _ tracks: [MuxerTrack], _ movie: MP4Demuxer) {
  for (samples, track) in zip(taken, tracks) {
    guard let twin = movie.track(id: track.track.id) else { fatalError("violated: every track is written") }
    // Readers count frames of what they take for PCM, and deliver them in pieces of their own.
    guard twin.sampleCount == UInt64(samples.count) else {
      require(track.track.kind == .audio, "every sample is written")
      continue
    }
    var reader = movie.samples(of: twin)
    do {
      for sample in samples { require(try reader.next()?.payload.load() == sample, "samples keep their bytes") }
    } catch {
      fatalError("violated: every sample can be read: \(error)")
    }
  }
}
