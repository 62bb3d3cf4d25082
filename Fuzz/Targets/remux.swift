import Glibc
import ISOBMFF
import MP4
import MediaCore

// What remuxing writes is a movie that holds what the old one held: every sample of every track with the same bytes at
// the same time. Input bytes also choose the layout, so that a run tries all of them.

/// Samples and bytes of a movie that is tried: small files can describe large movies, which only take time.
private let sampleLimit: UInt64 = 10_000
private let byteLimit: UInt64 = 4 << 20

/// A process of its own writes to a file of its own; `Fuzz/run` says where, and clears up behind a crash.
private let output = (getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp") + "/lyrebird-fuzz-\(getpid()).mp4"

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRemux(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  guard let movie = try? MP4Demuxer(source: MemorySource(bytes)), isSmall(movie) else { return 0 }
  var options = Remuxer.Options()
  let choice = bytes.reduce(0) { $0 ^ $1 }
  options.layout = [.fastStart, .moovLast, .fragmented][Int(choice) % 3]
  options.recover = choice & 0x40 != 0
  defer { unlink(output) }
  do {
    let summary = try Remuxer(from: movie, to: output, options: options).run()
    compare(movie, try MP4Demuxer(path: output), isWhole: summary.dropped.isEmpty, layout: options.layout)
  } catch let error as MP4Error {
    require(!error.description.isEmpty, "an error says what is wrong")
    if case .noMovie = error.code { fatalError("violated: what was written is a movie") }
  } catch {
    fatalError("violated: errors are of one kind: \(error)")
  }
  return 0
}

private func isSmall(_ movie: MP4Demuxer) -> Bool {
  var (samples, bytes): (UInt64, UInt64) = (0, 0)
  for track in movie.tracks {
    samples += min(track.sampleCount, sampleLimit + 1)
    guard let count = try? movie.byteCount(of: track) else { return false }
    bytes += min(count, byteLimit + 1)
  }
  return samples <= sampleLimit && bytes <= byteLimit
}

private func compare(_ old: MP4Demuxer, _ new: MP4Demuxer, isWhole: Bool, layout: MovieLayout) {
  // Two tracks of one number cannot be told apart, and those that only fragments mention are carried over with their
  // damage, or not at all.
  var seen: Set<UInt32> = []
  for track in old.tracks.prefix(old.moov.all("trak").count) where seen.insert(track.id).inserted {
    guard let twin = new.track(id: track.id) else { continue }
    var (left, right) = (old.samples(of: track), new.samples(of: twin))
    let isRegular = hasRegularTimes(old, track)
    var shift: Int64?
    do {
      while let sample = try left.next() {
        guard let copy = try right.next() else {
          require(!isWhole, "no sample is lost without a word, in \(layout)")
          return
        }
        let (then, now) = (sample.timing, copy.timing)
        // Only fragments can say that the first sample is decoded later than at 0.
        if shift == nil { shift = layout == .fragmented ? 0 : then.decodeTime }
        require(
          !isRegular || then.decodeTime - (shift ?? 0) == now.decodeTime,
          "decode times stay: \(then), now \(now), in \(layout)")
        require(
          !isRegular || then.presentationTime - then.decodeTime == now.presentationTime - now.decodeTime,
          "samples are shown as long after decoding as before, in \(layout)")
        require(sample.isSync == copy.isSync, "sync samples stay sync samples, in \(layout)")
        require(try sample.payload.load() == copy.payload.load(), "bytes stay what they are, in \(layout)")
      }
      require(try right.next() == nil, "no sample is added, in \(layout)")
    } catch {
      require(!isWhole, "what was written can be read: \(error), in \(layout)")
    }
  }
}

/// Whether a track's times can be written in any layout. Steps back, steps of more than 31 bits and times before 0 fit
/// into some only; remuxing keeps the samples then, and says of how many it had to change the times.
private func hasRegularTimes(_ movie: MP4Demuxer, _ track: Track) -> Bool {
  let ticks = 0...Int64(Int32.max)
  var samples = movie.samples(of: track)
  var last: Int64?
  while let record = try? samples.nextRecord() {
    let offset = record.presentationTime.subtractingReportingOverflow(record.decodeTime)
    let step = record.decodeTime.subtractingReportingOverflow(last ?? record.decodeTime)
    guard ticks.contains(record.duration), record.decodeTime >= 0, !offset.overflow,
      Int32(exactly: offset.partialValue) != nil,
      !step.overflow, ticks.contains(step.partialValue)
    else { return false }
    last = record.decodeTime
  }
  return true
}
