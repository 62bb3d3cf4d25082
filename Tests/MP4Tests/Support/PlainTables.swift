import TestSupport

/// The samples of a made track, by the plainest reading of its tables: every run unrolled into arrays.
///
/// This is the logic of the corpus's oracle, which shares no code with the package.
struct PlainTables {
  let records: [PlainRecord]

  init(_ track: MadeTrack) {
    let sizes: [UInt32] =
      switch track.sizes {
      case .each(let sizes), .compact(let sizes, _): sizes
      case .constant(let size, let count): [UInt32](repeating: size, count: Int(count))
      case .missing: []
      }
    var deltas: [Int64] = []
    for run in track.times ?? [] {
      deltas += [Int64](repeating: Int64(Int32(bitPattern: run.delta)), count: Int(run.count))
    }
    // The last run's delta holds for whatever comes after the table.
    let lastDelta = track.times?.last.map { Int64(Int32(bitPattern: $0.delta)) } ?? 0
    var offsets: [Int64] = []
    for run in track.offsets ?? [] { offsets += [Int64](repeating: Int64(run.offset), count: Int(run.count)) }
    let chunks = PlainTables.unrolled(track.chunks ?? [], count: track.places.count)

    var records: [PlainRecord] = []
    var time: Int64 = 0
    for (place, chunk) in zip(track.places, chunks) {
      var position = place
      for _ in 0..<chunk.samples where records.count < sizes.count {
        let index = records.count
        let delta = index < deltas.count ? deltas[index] : lastDelta
        let offset = index < offsets.count ? offsets[index] : 0
        records.append(
          PlainRecord(
            offset: position, size: Int(sizes[index]), decodeTime: time, presentationTime: time + offset,
            duration: delta, isSync: track.syncSamples?.contains(UInt32(index + 1)) ?? true,
            description0: max(Int(chunk.description), 1) - 1))
        position += UInt64(sizes[index])
        time += delta
      }
    }
    self.records = records
  }

  /// Samples and description of each chunk. A run that starts before the one in front of it ended loses what it
  /// claims of the past.
  static func unrolled(_ runs: [MadeTrack.Chunks], count: Int) -> [(samples: Int, description: UInt32)] {
    var chunks: [(samples: Int, description: UInt32)] = []
    for (index, run) in runs.enumerated() {
      let first = Int(run.first)
      var last = index + 1 < runs.count ? Int(runs[index + 1].first) - 1 : count
      if last < first - 1 || last > count { last = min(max(last, first - 1), count) }
      guard last >= first else { continue }
      let length = last - max(first, chunks.count + 1) + 1
      chunks += [(samples: Int, description: UInt32)](
        repeating: (Int(run.samples), run.description), count: max(length, 0))
      if chunks.count > count { chunks.removeLast(chunks.count - count) }
    }
    return chunks
  }
}

extension MadeTrack {
  /// How many sizes there are.
  var sizeCount: Int {
    switch sizes {
    case .each(let sizes), .compact(let sizes, _): sizes.count
    case .constant(_, let count): Int(count)
    case .missing: 0
    }
  }

  /// A track with tables that contradict one another in every way that tables can.
  static func random(id: UInt32, using noise: inout Noise) -> MadeTrack {
    var track = MadeTrack(id: id)
    let count = Int.random(in: 0...40, using: &noise)
    switch Int.random(in: 0...5, using: &noise) {
    case 0: track.sizes = .constant(UInt32.random(in: 1...40, using: &noise), count: UInt32(count))
    case 1: track.sizes = .compact(numbers(count, below: 16, &noise), bits: 4)
    case 2: track.sizes = .compact(numbers(count, below: 50, &noise), bits: 8)
    case 3: track.sizes = .compact(numbers(count, below: 50, &noise), bits: 16)
    default: track.sizes = .each(numbers(count, below: 50, &noise))
    }
    track.times = (0..<Int.random(in: 0...6, using: &noise)).map { _ in
      let delta = noise.once(in: 8) ? Int32.random(in: -50 ... -1, using: &noise) : .random(in: 0...50, using: &noise)
      return Times(UInt32.random(in: 0...15, using: &noise), UInt32(bitPattern: delta))
    }
    if noise.once(in: 20) { track.times = nil }
    if noise.once(in: 2) {
      track.offsetsVersion = noise.once(in: 2) ? 1 : 0
      track.offsets = (0..<Int.random(in: 0...6, using: &noise)).map { _ in
        Offsets(UInt32.random(in: 0...15, using: &noise), Int32.random(in: -100...100, using: &noise))
      }
    }
    track.places = numbers(Int.random(in: 0...12, using: &noise), below: 2000, &noise).map { UInt64($0) }
    track.hasWidePlaces = noise.once(in: 2)
    var first: UInt32 = 1
    track.chunks = (0..<Int.random(in: 0...5, using: &noise)).map { _ in
      defer { first += UInt32.random(in: 1...4, using: &noise) }
      // Now and then out of order, at 0, or far behind the last chunk.
      let start = noise.once(in: 8) ? UInt32.random(in: 0...20, using: &noise) : first
      return Chunks(start, UInt32.random(in: 0...9, using: &noise), UInt32.random(in: 0...2, using: &noise))
    }
    if noise.once(in: 2) {
      var numbers = numbers(Int.random(in: 0...20, using: &noise), below: 45, &noise)
      if !noise.once(in: 3) { numbers.sort() }
      track.syncSamples = numbers
    }
    return track
  }

  private static func numbers(_ count: Int, below bound: UInt32, _ noise: inout Noise) -> [UInt32] {
    (0..<count).map { _ in UInt32.random(in: 0..<bound, using: &noise) }
  }
}
