import TestSupport

/// A movie in fragments, made to order.
struct MadeFragments {
  var tracks: [MadeTrack] = []
  var defaults: [MovieMaker.Defaults] = []
  var fragments: [[MadeFragment]] = []
  /// Bytes of media after each `moof`.
  var mediaSize = 200
  /// Whether the movie header comes after so many fragments.
  var fragmentsBeforeMovie = 0

  /// The file, and where in it each `moof` begins.
  func file() -> (bytes: [UInt8], moofs: [UInt64]) {
    var bytes = MovieMaker.fileType
    var moofs: [UInt64] = []
    for (index, fragment) in fragments.enumerated() {
      if index == fragmentsBeforeMovie { bytes += MovieMaker.moov(tracks, defaults: defaults) }
      moofs.append(UInt64(bytes.count))
      bytes += MadeFragment.moof(fragment, number: UInt32(index + 1))
      bytes += Plain.box("mdat", [UInt8](repeating: 0xBB, count: mediaSize))
    }
    if fragmentsBeforeMovie >= fragments.count { bytes += MovieMaker.moov(tracks, defaults: defaults) }
    return (bytes, moofs)
  }

  /// The samples of each track by a plain reading: the logic of the corpus's oracle, over arrays.
  func plain() -> [UInt32: [PlainRecord]] {
    var records: [UInt32: [PlainRecord]] = [:]
    var ends: [UInt32: Int64] = [:]
    for track in tracks {
      let own = PlainTables(track).records
      records[track.id] = own
      ends[track.id] = own.reduce(0) { $0 + $1.duration }
    }
    for (moof, fragment) in zip(file().moofs, fragments) {
      var dataEnd = moof
      for traf in fragment {
        let trex = defaults.last { $0.id == traf.id } ?? MovieMaker.Defaults(traf.id)
        let base = traf.base ?? (traf.isBaseMoof ? moof : dataEnd)
        var position = base
        var time = traf.time.map { Int64($0.value) } ?? ends[traf.id] ?? 0
        for run in traf.runs {
          if let offset = run.dataOffset { position = UInt64(Int64(base) + Int64(offset)) }
          for (index, sample) in run.samples.enumerated() {
            let first = index == 0 ? run.firstFlags : nil
            let flags = run.fields & 0x400 != 0 ? sample.flags : first ?? traf.flags ?? trex.flags
            let size = run.fields & 0x200 != 0 ? sample.size : traf.size ?? trex.size
            let duration = run.fields & 0x100 != 0 ? sample.duration : traf.duration ?? trex.duration
            let offset = run.fields & 0x800 != 0 ? sample.offset : 0
            records[traf.id, default: []].append(
              PlainRecord(
                offset: position, size: Int(size), decodeTime: time, presentationTime: time + Int64(offset),
                duration: Int64(duration), isSync: flags & 0x1_0000 == 0,
                description0: max(Int(traf.description ?? trex.description), 1) - 1))
            position += UInt64(size)
            time += Int64(duration)
          }
        }
        records[traf.id] = records[traf.id] ?? []
        ends[traf.id] = time
        dataEnd = position
      }
    }
    return records
  }
}

extension MadeFragments {
  /// Fragments that use each way there is to say a thing, and each way to leave it to the defaults.
  static func random(using noise: inout Noise) -> MadeFragments {
    var made = MadeFragments()
    made.mediaSize = 20_000
    made.fragments = (0..<Int.random(in: 1...4, using: &noise)).map { _ in
      (0..<Int.random(in: 0...4, using: &noise)).map { _ in .random(using: &noise) }
    }
    for id in UInt32(1)...3 where !noise.once(in: 5) {
      var track = noise.once(in: 3) ? MadeTrack.random(id: id, using: &noise) : MadeTrack(id: id)
      // Times that go back are the business of the tables' own test.
      track.times = track.times?.map { .init($0.count, $0.delta & 63) }
      made.tracks.append(track)
    }
    for id in UInt32(1)...4 where !noise.once(in: 4) {
      made.defaults.append(
        .init(
          id, description: .random(in: 0...3, using: &noise), duration: .random(in: 0...50, using: &noise),
          size: .random(in: 0...40, using: &noise), flags: noise.once(in: 2) ? 0x1_0000 : 0))
    }
    made.fragmentsBeforeMovie = noise.once(in: 4) ? Int.random(in: 0...5, using: &noise) : 0
    return made
  }
}

extension MadeFragment {
  fileprivate static func random(using noise: inout Noise) -> MadeFragment {
    var fragment = MadeFragment(id: .random(in: 1...4, using: &noise))
    if noise.once(in: 2) { fragment.time = (.random(in: 0...5000, using: &noise), noise.once(in: 2)) }
    if noise.once(in: 4) { fragment.base = .random(in: 0...2000, using: &noise) }
    fragment.isBaseMoof = noise.once(in: 2)
    if noise.once(in: 3) { fragment.description = .random(in: 0...3, using: &noise) }
    if noise.once(in: 2) { fragment.duration = .random(in: 0...50, using: &noise) }
    if noise.once(in: 2) { fragment.size = .random(in: 0...40, using: &noise) }
    if noise.once(in: 2) { fragment.flags = noise.once(in: 2) ? 0x1_0000 : 0 }
    fragment.runs = (0..<Int.random(in: 0...3, using: &noise)).map { _ in
      var run = MadeRun(fields: UInt32.random(in: 0...15, using: &noise) << 8, samples: [])
      if noise.once(in: 2) { run.dataOffset = .random(in: 0...2000, using: &noise) }
      if noise.once(in: 2) { run.firstFlags = noise.once(in: 2) ? 0x1_0000 : 0 }
      run.version = noise.once(in: 2) ? 1 : 0
      run.samples = (0..<Int.random(in: 0...8, using: &noise)).map { _ in
        .init(
          duration: .random(in: 0...50, using: &noise), size: .random(in: 0...40, using: &noise),
          flags: noise.once(in: 2) ? 0x1_0000 : 0x200_0000, offset: .random(in: -100...100, using: &noise))
      }
      return run
    }
    return fragment
  }
}
