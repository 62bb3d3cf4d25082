import ISOBMFF
import MP4
import MediaCore

// What must be the same of a movie that was written anew: every sample of every track with its bytes, shown at the same
// time, except for as many as the remuxer says.

/// Samples and bytes of a movie that is tried: small files can describe large movies, which only take time.
private let sampleLimit: UInt64 = 100_000
private let byteLimit: UInt64 = 4 << 20

/// Whether a movie can be compared in the time there is.
func isSmall(_ movie: MP4Demuxer) -> Bool {
  var (samples, bytes): (UInt64, UInt64) = (0, 0)
  for track in movie.tracks {
    samples += min(track.sampleCount, sampleLimit + 1)
    guard let count = try? movie.byteCount(of: track) else { return false }
    bytes += min(count, byteLimit + 1)
  }
  return samples <= sampleLimit && bytes <= byteLimit
}

/// Compares a movie with what was written of it. Violations end the process.
///
/// - Parameter summary: what the remuxer says of it; `nil`: nothing may be another.
func compare(_ old: MP4Demuxer, _ new: MP4Demuxer, _ summary: Remuxer.Summary?, _ what: String) {
  let isWhole = summary?.dropped.isEmpty ?? true
  // Two tracks of one number cannot be told apart.
  var seen: Set<UInt32> = []
  var moves: [Move] = []
  for track in old.tracks.prefix(old.moov.all("trak").count) where seen.insert(track.id).inserted {
    guard let twin = new.track(id: track.id) else {
      require(!isWhole, "no track is lost without a word, \(what)")
      continue
    }
    require(twin.kind == track.kind && twin.timescale == track.timescale, "a track stays what it is, \(what)")
    let retiming = summary?.retimed.first { $0.trackID == track.id }
    let pair = Pair(old, track, new, twin, isWhole: isWhole, isInPlace: summary == nil, what)
    let shift = pair.checkTimes(retiming, what)
    guard let shift, retiming == nil, let from = Shown(track, of: old), let to = Shown(twin, of: new) else { continue }
    moves.append(Move(track, from, to, shift: shift))
    if new.layout != .fragmented { pair.checkShown(from, to, what) }
  }
  for move in moves.dropFirst() { move.check(moves[0], what) }
}

/// The samples of a track, and of what was made of it.
private struct Pair {
  /// Times of decoding and of showing, of each sample before and now.
  private var times: [(then: Times, now: Times)] = []

  private struct Times {
    let decoding: Int64
    let showing: Int64
    init(_ timing: SampleTiming) { (decoding, showing) = (timing.decodeTime, timing.presentationTime) }
  }

  init(
    _ old: MP4Demuxer, _ track: Track, _ new: MP4Demuxer, _ twin: Track, isWhole: Bool, isInPlace: Bool, _ what: String
  ) {
    var (left, right) = (old.samples(of: track), new.samples(of: twin))
    do {
      while let sample = try Pair.next(of: &left, isInPlace, &right, what) {
        guard let copy = try right.next() else {
          require(!isWhole, "no sample is lost without a word, \(what)")
          return
        }
        require(sample.isSync == copy.isSync, "sync samples stay sync samples, \(what)")
        var bytes = try sample.payload.load()
        let copied = try copy.payload.load()
        // Frames of PCM that lie together are read at once: as many as there are ticks, and nothing else.
        var frames: Int64 = 1
        while track.kind == .audio, bytes.count < copied.count, let next = try left.next() {
          require(Pair.goesOn(sample, with: next, after: frames), "samples stay apart, \(what)")
          bytes += try next.payload.load()
          frames += 1
        }
        require(frames == 1 || frames == copy.timing.duration, "frames of PCM stay frames, \(what)")
        require(bytes == copied, "bytes stay what they are, \(what)")
        times.append((Times(sample.timing), Times(copy.timing)))
      }
      if left.state == .failed { return }
      require(try right.next() == nil, "no sample is added, \(what)")
    } catch {
      require(!isWhole, "what was written can be read: \(error), \(what)")
    }
  }

  /// The next sample of a track. Remuxing refuses a track that is damaged, or says what it drops; in place it stays as
  /// damaged as it was, and ends here.
  private static func next(
    of left: inout SampleReader, _ isInPlace: Bool, _ right: inout SampleReader, _ what: String
  ) throws(MP4Error) -> EncodedSample? {
    do throws(MP4Error) {
      return try left.next()
    } catch {
      guard isInPlace else { throw error }
      do throws(MP4Error) {
        _ = try right.next()
      } catch {
        return nil
      }
      fatalError("violated: what is damaged stays so: \(error), \(what)")
    }
  }

  /// Whether a sample is the frame of PCM that comes so many frames after another one.
  private static func goesOn(_ first: EncodedSample, with next: EncodedSample, after frames: Int64) -> Bool {
    let (from, to) = (first.timing, next.timing)
    return from.duration == 1 && to.duration == 1 && to.decodeTime == from.decodeTime &+ frames
      && from.presentationTime == from.decodeTime && to.presentationTime == to.decodeTime && next.isSync
      && first.payload.count == next.payload.count
  }

  /// All samples move by the same, except for as many as are said to.
  ///
  /// - Returns: by how many ticks they are shown later.
  func checkTimes(_ retiming: Retiming?, _ what: String) -> Int128? {
    let decoded = common(times.map { Int128($0.now.decoding) - Int128($0.then.decoding) })
    let shown = common(times.map { Int128($0.now.showing) - Int128($0.then.showing) })
    let claims = (retiming?.decodedAtAnotherTime ?? 0, retiming?.shownAtAnotherTime ?? 0)
    require(
      decoded.others <= claims.0, "\(decoded.others) samples are decoded elsewhere, \(claims.0) are told, \(what)")
    require(shown.others <= claims.1, "\(shown.others) samples are shown elsewhere, \(claims.1) are told, \(what)")
    return shown.value
  }

  /// The commonest value, and how many are others.
  private func common(_ values: [Int128]) -> (value: Int128?, others: UInt64) {
    var counts: [Int128: Int] = [:]
    for value in values { counts[value, default: 0] += 1 }
    let most = counts.max { $0.value < $1.value }
    return (most?.key, UInt64(values.count - (most?.value ?? 0)))
  }

  /// What the edits let be seen is what they let be seen before.
  func checkShown(_ from: Shown, _ to: Shown, _ what: String) {
    for (then, now) in times {
      guard let before = from.shows(then.showing), let after = to.shows(now.showing) else { continue }
      require(before == after, "what is shown is what was shown: \(then) was \(before), \(now) is \(after), \(what)")
    }
  }
}

/// What a list of edits of the usual kind says: a delay, and where in the media the presentation begins and ends.
private struct Shown {
  /// How long nothing is shown first.
  var delay = Seconds()
  /// In the track's ticks.
  var start: Int128 = 0
  /// In the track's ticks; `nil` where there is no list.
  var length: Int128?
  /// Whether the end of the media is meant: by an edit of no length, as movies in fragments have.
  var isOpen = false
  /// Ticks that a tick of the movie takes: lengths are no more exact than that, nor is that there is none.
  let precision: Int128

  /// `nil` where the edits are of another kind.
  init?(_ track: Track, of movie: MP4Demuxer) {
    precision = max(1, (Int128(track.timescale) + Int128(movie.timescale) - 1) / Int128(movie.timescale))
    for edit in track.edits {
      guard length == nil else { return nil }
      let (ticks, timescale) = (Int128(edit.duration.value), Int128(edit.duration.timescale))
      if let time = edit.mediaTime {
        guard edit.rate == 1 else { return nil }
        start = Int128(time.value)
        length = ticks * Int128(track.timescale) / timescale
        isOpen = ticks == 0
      } else {
        delay = delay + Seconds(ticks, edit.duration.timescale)
      }
    }
    if !track.edits.isEmpty, length == nil { return nil }
  }

  /// Whether a sample of this time is shown; `nil` where it is too near to an end to tell.
  func shows(_ time: Int64) -> Bool? {
    guard let length else { return true }
    let place = Int128(time) - start
    guard place.magnitude > 2 * precision.magnitude else { return nil }
    if isOpen { return place > 0 }
    guard (place - length).magnitude > 2 * precision.magnitude else { return nil }
    return place > 0 && place < length
  }
}

/// A time without a limit, as exact near the end of all time as near 0.
private struct Seconds: CustomStringConvertible {
  /// Seconds before it, none of them begun.
  private var whole: Int128 = 0
  /// What is left, from 0 to 1.
  private var rest = 0.0

  init() {}

  init(_ ticks: Int128, _ timescale: UInt32) {
    let (quotient, remainder) = ticks.quotientAndRemainder(dividingBy: Int128(timescale))
    whole = remainder < 0 ? quotient - 1 : quotient
    rest = Double(remainder < 0 ? remainder + Int128(timescale) : remainder) / Double(timescale)
  }

  static func + (left: Seconds, right: Seconds) -> Seconds { left.combined(right, 1) }
  static func - (left: Seconds, right: Seconds) -> Seconds { left.combined(right, -1) }

  private func combined(_ other: Seconds, _ sign: Int128) -> Seconds {
    var result = self
    result.whole += sign * other.whole
    result.rest += Double(sign) * other.rest
    result.whole += Int128(result.rest.rounded(.down))
    result.rest -= result.rest.rounded(.down)
    return result
  }

  /// How far it is from 0, in seconds: exact where that is little.
  var magnitude: Double { abs(Double(whole) + rest) }

  var description: String { "\(whole) + \(rest)" }
}

/// By how much a track is presented later than it was: the same for all tracks.
private struct Move {
  let id: UInt32
  let time: Seconds
  let tolerance: Double

  init(_ track: Track, _ from: Shown, _ to: Shown, shift: Int128) {
    id = track.id
    time = to.delay - from.delay + Seconds(shift - (to.start - from.start), track.timescale)
    // Where a tick is long, a hundredth of a second must do.
    let seconds = Double(from.precision + to.precision) / Double(track.timescale)
    tolerance = 2 * min(seconds, 0.01 + 2 / Double(track.timescale))
  }

  func check(_ other: Move, _ what: String) {
    require(
      (time - other.time).magnitude <= tolerance + other.tolerance,
      "tracks \(other.id) and \(id) stay together: one moved by \(other.time) s, the other by \(time) s, \(what)")
  }
}
