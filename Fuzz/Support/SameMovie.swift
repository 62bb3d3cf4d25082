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
    // Remuxing refuses a track that is damaged, or says what it drops; in place it stays as damaged as it was.
    if summary == nil, !isReadable(track, of: old) { continue }
    let retiming = summary?.retimed.first { $0.trackID == track.id }
    let pair = Pair(old, track, new, twin, isWhole: isWhole, what)
    let shift = pair.checkTimes(retiming, what)
    guard let shift, retiming == nil, let from = Shown(track), let to = Shown(twin) else { continue }
    // Tracks that are centuries apart have no common beginning that edits could count from.
    guard shift.magnitude < 1 << 50 else { continue }
    moves.append(Move(track, from, to, shift: shift))
    if new.layout != .fragmented { pair.checkShown(from, to, what, isOpen: old.layout == .fragmented) }
  }
  for move in moves.dropFirst() { move.check(moves[0], what) }
}

private func isReadable(_ track: Track, of movie: MP4Demuxer) -> Bool {
  var samples = movie.samples(of: track)
  do {
    while try samples.nextRecord() != nil {}
    return true
  } catch {
    return false
  }
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

  init(_ old: MP4Demuxer, _ track: Track, _ new: MP4Demuxer, _ twin: Track, isWhole: Bool, _ what: String) {
    var (left, right) = (old.samples(of: track), new.samples(of: twin))
    do {
      while let sample = try left.next() {
        guard let copy = try right.next() else {
          require(!isWhole, "no sample is lost without a word, \(what)")
          return
        }
        require(sample.isSync == copy.isSync, "sync samples stay sync samples, \(what)")
        require(try sample.payload.load() == copy.payload.load(), "bytes stay what they are, \(what)")
        times.append((Times(sample.timing), Times(copy.timing)))
      }
      require(try right.next() == nil, "no sample is added, \(what)")
    } catch {
      require(!isWhole, "what was written can be read: \(error), \(what)")
    }
  }

  /// All samples move by the same, except for as many as are said to.
  ///
  /// - Returns: by how many ticks they are shown later.
  func checkTimes(_ retiming: Retiming?, _ what: String) -> Int64? {
    let decoded = common(times.map { $0.now.decoding &- $0.then.decoding })
    let shown = common(times.map { $0.now.showing &- $0.then.showing })
    let claims = (retiming?.decodedElsewhere ?? 0, retiming?.shownElsewhere ?? 0)
    require(
      decoded.others <= claims.0, "\(decoded.others) samples are decoded elsewhere, \(claims.0) are told, \(what)")
    require(shown.others <= claims.1, "\(shown.others) samples are shown elsewhere, \(claims.1) are told, \(what)")
    return shown.value
  }

  /// The commonest value, and how many are others.
  private func common(_ values: [Int64]) -> (value: Int64?, others: UInt64) {
    var counts: [Int64: Int] = [:]
    for value in values { counts[value, default: 0] += 1 }
    let most = counts.max { $0.value < $1.value }
    return (most?.key, UInt64(values.count - (most?.value ?? 0)))
  }

  /// What the edits let be seen is what they let be seen before.
  func checkShown(_ from: Shown, _ to: Shown, _ what: String, isOpen: Bool) {
    for (then, now) in times {
      guard let before = from.shows(then.showing, isOpen: isOpen), let after = to.shows(now.showing, isOpen: false)
      else { continue }
      require(before == after, "what is shown is what was shown: \(then) was \(before), \(now) is \(after), \(what)")
    }
  }
}

/// What a list of edits of the usual kind says: a delay, and where in the media the presentation begins and ends.
private struct Shown {
  /// Seconds before anything is shown.
  var delay = 0.0
  /// In the track's ticks.
  var start = 0.0
  /// In the track's ticks; `nil` where there is no list.
  var length: Double?
  /// Ticks that a tick of the movie takes: lengths are no more exact than that.
  var precision = 1.0

  /// `nil` where the edits are of another kind, or times are so large that they cannot be compared.
  init?(_ track: Track) {
    let largest = Int64(1) << 50
    for edit in track.edits {
      guard edit.duration.value.magnitude < largest, edit.duration.timescale > 0, length == nil else { return nil }
      let seconds = Double(edit.duration.value) / Double(edit.duration.timescale)
      precision = max(precision, Double(track.timescale) / Double(edit.duration.timescale))
      if let time = edit.mediaTime {
        guard time.value.magnitude < largest, edit.rate == 1 else { return nil }
        start = Double(time.value)
        length = seconds * Double(track.timescale)
      } else {
        delay += seconds
      }
    }
    if !track.edits.isEmpty, length == nil { return nil }
  }

  /// Whether a sample of this time is shown; `nil` where it is too near to an end to tell.
  func shows(_ time: Int64, isOpen: Bool) -> Bool? {
    // Edits cannot name times before 0.
    guard time >= 0 else { return nil }
    guard let length, time.magnitude < 1 << 50 else { return true }
    let place = Double(time) - start
    let end = length == 0 && isOpen ? Double.infinity : length
    guard abs(place) > 2 * precision, abs(place - end) > 2 * precision else { return nil }
    return place > 0 && place < end
  }
}

/// By how much a track is presented later than it was, in seconds: the same for all tracks.
private struct Move {
  let id: UInt32
  let seconds: Double
  let tolerance: Double

  init(_ track: Track, _ from: Shown, _ to: Shown, shift: Int64) {
    id = track.id
    let timescale = Double(track.timescale)
    seconds = to.delay - from.delay + (Double(shift) - (to.start - from.start)) / timescale
    tolerance = 2 * (from.precision + to.precision) / timescale + abs(Double(shift)) * 1e-12
  }

  func check(_ other: Move, _ what: String) {
    require(
      abs(seconds - other.seconds) <= tolerance + other.tolerance,
      "tracks \(other.id) and \(id) stay together: one moved by \(other.seconds) s, the other by \(seconds) s, \(what)")
  }
}
