internal import MediaCore

/// Puts samples of several tracks into one order, by decode time, whatever order they come in. No I/O in it.
///
/// Which sample comes next is known once every open track has one waiting; how long a sample lasts is known once the
/// next one of its track is there: until then its own duration counts. So the first in line waits for both. Of samples
/// decoded at the same time, the one of the earlier track comes first.
struct Interleaver {
  /// The samples of a track that are waiting.
  private struct Queue {
    var isOpen = true
    private var samples: [EncodedSample] = []
    /// How many samples at the start of `samples` are gone.
    private var head = 0
    /// How many gone samples are tolerated before the others are moved up.
    private static let slack = 64

    var count: Int { samples.count - head }
    var isEmpty: Bool { count == 0 }
    var first: EncodedSample? { isEmpty ? nil : samples[head] }

    /// The sample that was added last, if it is still waiting.
    var last: EncodedSample? {
      get { isEmpty ? nil : samples[samples.count - 1] }
      set { if let newValue, !isEmpty { samples[samples.count - 1] = newValue } }
    }

    mutating func append(_ sample: EncodedSample) {
      samples.append(sample)
    }

    mutating func popFirst() -> EncodedSample? {
      guard let sample = first else { return nil }
      // The element left in the array must not keep the bytes alive.
      samples[head].payload = .bytes([])
      head += 1
      if head == samples.count || head >= Queue.slack && head >= samples.count / 2 {
        samples.removeFirst(head)
        head = 0
      }
      return sample
    }
  }

  private var queues: [Queue]
  /// Tracks that are open and have nothing waiting.
  private var awaited: Int
  /// Bytes of the waiting samples that are in memory.
  private(set) var heldBytes = 0

  init(trackCount: Int) {
    queues = Array(repeating: Queue(), count: trackCount)
    awaited = trackCount
  }

  /// Adds a sample to its track; the one before it then lasts until this one is decoded.
  mutating func add(_ sample: EncodedSample, to track: Int) {
    if var last = queues[track].last {
      // Where times step back, as in a stream that starts over, or further ahead than sample tables can hold, the
      // sample keeps its own duration.
      let (step, overflow) = sample.timing.decodeTime.subtractingReportingOverflow(last.timing.decodeTime)
      if !overflow, 0...Int64(Int32.max) ~= step { last.timing.duration = step }
      queues[track].last = last
    } else if queues[track].isOpen {
      awaited -= 1
    }
    queues[track].append(sample)
    heldBytes += sample.payload.heldBytes
  }

  /// The last sample added to a track, if it is still waiting. Only its payload may be changed.
  subscript(last track: Int) -> EncodedSample? {
    get { queues[track].last }
    set {
      guard let newValue, let old = queues[track].last else { return }
      heldBytes += newValue.payload.heldBytes - old.payload.heldBytes
      queues[track].last = newValue
    }
  }

  /// Marks a track as having no more samples.
  mutating func end(_ track: Int) {
    guard queues[track].isOpen else { return }
    queues[track].isOpen = false
    if queues[track].isEmpty { awaited -= 1 }
  }

  func isOpen(_ track: Int) -> Bool { queues[track].isOpen }

  /// How many samples of a track are waiting.
  func count(of track: Int) -> Int { queues[track].count }

  /// The next sample in order, or `nil` while it is not known.
  ///
  /// - Parameter force: whether to decide by the samples that are waiting.
  mutating func next(force: Bool = false) -> (track: Int, sample: EncodedSample)? {
    guard awaited == 0 || force, let track = first else { return nil }
    guard queues[track].count > 1 || !queues[track].isOpen || force, let sample = queues[track].popFirst() else {
      return nil
    }
    if queues[track].isEmpty, queues[track].isOpen { awaited += 1 }
    heldBytes -= sample.payload.heldBytes
    return (track, sample)
  }

  /// The track whose first sample is decoded earliest.
  private var first: Int? {
    var found: (track: Int, time: MediaTime)?
    for (track, queue) in queues.enumerated() {
      guard let sample = queue.first else { continue }
      let time = MediaTime(value: sample.timing.decodeTime, timescale: sample.timing.timescale)
      if let best = found, best.time <= time { continue }
      found = (track, time)
    }
    return found?.track
  }
}

extension MediaData {
  /// Bytes that it holds in memory: none, if it still lies in a file.
  var heldBytes: Int {
    if case .bytes(let bytes) = self { bytes.count } else { 0 }
  }
}
