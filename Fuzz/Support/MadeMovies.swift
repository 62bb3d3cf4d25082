// Movies whose parts fit together, unlike those that grow out of changed bytes: every input is one. Tracks, times,
// edits, encryption with a clear lead, fragments of tracks that nobody described, boxes in odd places: what real files
// have, in combinations that they seldom have.

/// A movie that was made, and what is known of it.
struct MadeMovie {
  var bytes: [UInt8] = []
  /// What is said of each sample's encryption, by track; tracks that are not encrypted have none.
  var encryption: [UInt32: [[UInt8]]] = [:]

  init(_ choices: inout Choices) {
    var ids = Array(1...UInt32(1 + choices.number(0...2)))
    let isFragmented = choices.once(in: 2)
    let encrypted = ids.filter { _ in choices.once(in: 4) }
    // Two tracks with one number. Not where any is encrypted: `encryption` tells tracks apart by their numbers.
    if encrypted.isEmpty, choices.once(in: 8) { ids[ids.count - 1] = 1 }
    let timescale = choices.pick([600, 1000, 1, 90_000, .max]) as UInt32
    let front = MovieMaker.fileType + extra(&choices)
    if isFragmented {
      let defaults = ids.map {
        MovieMaker.Defaults($0, duration: choices.ticks(), size: UInt32(choices.number(0...20)))
      }
      let tracks = ids.map { id in
        var track = MadeTrack(id: id)
        describe(&track, isEncrypted: encrypted.contains(id), &choices)
        return track
      }
      bytes = front + MovieMaker.moov(tracks, timescale: timescale, defaults: defaults, more: trackBoxes(&choices))
      // A fragment of a track that the movie does not describe is an orphan.
      let known = ids + (choices.once(in: 3) ? [99] : [])
      for number in 0..<choices.number(0...5) { addFragment(UInt32(number + 1), of: known, encrypted, &choices) }
    } else {
      addProgressive(ids, encrypted, timescale: timescale, front: front, &choices)
    }
    bytes += extra(&choices)
  }

  // MARK: Progressive

  private mutating func addProgressive(
    _ ids: [UInt32], _ encrypted: [UInt32], timescale: UInt32, front: [UInt8], _ choices: inout Choices
  ) {
    var media: [UInt8] = []
    let start = UInt64(front.count + 8)
    let tracks = ids.map { id in
      var track = progressiveTrack(id, &media, at: start, &choices)
      describe(&track, isEncrypted: encrypted.contains(id), &choices)
      if encrypted.contains(id), case .each(let sizes) = track.sizes {
        let entries = auxiliary(sizes.count, &choices)
        encryption[id] = entries
        let place = start + UInt64(media.count)
        media += entries.flatMap { $0 }
        track.more += Plain.fullBox(
          "saiz", [0], Plain.u32(UInt32(entries.count)), entries.map { UInt8($0.count) })
        track.more += Plain.fullBox("saio", Plain.u32(1), Plain.u32(UInt32(place)))
      }
      return track
    }
    let index = MovieMaker.moov(tracks, timescale: timescale, more: trackBoxes(&choices))
    // Sometimes samples reach into the index after the media.
    bytes = front + Plain.box("mdat", media) + index
  }

  private func progressiveTrack(
    _ id: UInt32, _ media: inout [UInt8], at start: UInt64, _ choices: inout Choices
  ) -> MadeTrack {
    var track = MadeTrack(id: id)
    let count = choices.number(0...24)
    let sizes = (0..<count).map { _ in UInt32(choices.number(0...40)) }
    track.sizes = .each(sizes)
    track.times = []
    while let times = track.times, times.reduce(0, { $0 + Int($1.count) }) < count {
      track.times?.append(.init(UInt32(choices.number(1...count)), choices.ticks()))
    }
    if choices.once(in: 2) {
      track.offsets = (0..<count).map { _ in .init(1, Int32(bitPattern: choices.ticks())) }
      track.offsetsVersion = choices.byte() & 1
    }
    if choices.once(in: 2) {
      track.syncSamples = (0..<count).filter { _ in choices.once(in: 2) }.map { UInt32($0 + 1) }
    }
    let perChunk = choices.number(1...5)
    track.chunks = [.init(1, UInt32(perChunk))]
    for first in stride(from: 0, to: count, by: perChunk) {
      let reach = choices.once(in: 16) ? UInt64(choices.number(0...60)) : 0
      track.places.append(start + UInt64(media.count) + reach)
      for index in first..<min(first + perChunk, count) {
        media += (0..<sizes[index]).map { UInt8(truncatingIfNeeded: UInt32(index) &* 31 &+ $0 &+ id &* 7) }
      }
    }
    track.hasWidePlaces = choices.once(in: 3)
    return track
  }

  // MARK: Fragments

  private mutating func addFragment(
    _ number: UInt32, of ids: [UInt32], _ encrypted: [UInt32], _ choices: inout Choices
  ) {
    var media: [UInt8] = []
    var fragments = ids.filter { _ in !choices.once(in: 4) }.map { id in
      var fragment = MadeFragment(id: id, time: choices.once(in: 5) ? nil : choices.time())
      if choices.once(in: 4), let time = fragment.time { fragment.time = (time.value, false) }
      fragment.isBaseMoof = true
      let samples = (0..<choices.number(0...10)).map { _ in
        MadeRun.Sample(
          duration: choices.ticks(), size: UInt32(choices.number(0...40)),
          flags: choices.once(in: 2) ? 0x200_0000 : 0x101_0000, offset: Int32(bitPattern: choices.ticks()))
      }
      let fields: UInt32 = 0x200 | choices.pick([0x100, 0x500, 0xD00, 0x900])
      fragment.runs = [MadeRun(dataOffset: Int32(media.count), fields: fields, samples: samples)]
      for (index, sample) in samples.enumerated() {
        media += (0..<sample.size).map { UInt8(truncatingIfNeeded: UInt32(index) &* 13 &+ $0 &+ id &* 5 &+ number) }
      }
      // A clear lead: fragments without a word of encryption come first.
      let isClear = !encrypted.contains(id) || choices.once(in: 3)
      if encrypted.contains(id) {
        let entries = isClear ? samples.map { _ in [] } : auxiliary(samples.count, &choices)
        encryption[id, default: []] += entries
        if !isClear { fragment.more = encryptionBox(entries) }
      }
      return fragment
    }
    let head = MadeFragment.moof(fragments, number: number).count
    for index in fragments.indices { fragments[index].runs[0].dataOffset? += Int32(head + 8) }
    if choices.once(in: 8) { bytes += extra(&choices) }
    bytes += MadeFragment.moof(fragments, number: number) + Plain.box("mdat", media)
  }

  private func encryptionBox(_ entries: [[UInt8]]) -> [UInt8] {
    let hasParts: UInt32 = entries.contains { $0.count > 8 } ? 2 : 0
    return Plain.fullBox("senc", flags: hasParts, Plain.u32(UInt32(entries.count)), entries.flatMap { $0 })
  }

  // MARK: Both

  /// For each sample an initialization vector of eight bytes, and in some tracks two parts.
  private func auxiliary(_ count: Int, _ choices: inout Choices) -> [[UInt8]] {
    let hasParts = choices.once(in: 2)
    return (0..<count).map { index in
      [UInt8](repeating: UInt8(truncatingIfNeeded: index + 1), count: 8)
        + (hasParts ? Plain.u16(1) + Plain.u16(0) + Plain.u32(1) : [])
    }
  }

  private func describe(_ track: inout MadeTrack, isEncrypted: Bool, _ choices: inout Choices) {
    track.timescale = choices.pick([1000, 600, 90_000, 48_000, 1, .max])
    track.duration = choices.ticks()
    let isSound = choices.once(in: 2)
    track.handler = isSound ? "soun" : choices.pick(["vide", "vide", "vide", "text", "meta"])
    let scheme = Plain.box(
      "sinf", Plain.box("frma", Plain.type(isSound ? "mp4a" : "avc1")),
      Plain.fullBox("schm", Plain.type("cenc"), Plain.u32(0x10000)),
      Plain.box("schi", Plain.fullBox("tenc", [0, 0, 1, 8], [UInt8](repeating: 3, count: 16))))
    let boxes = isEncrypted ? scheme : []
    track.entries = [
      isSound
        ? MadeEntry.audio(isEncrypted ? "enca" : choices.pick(["mp4a", "sowt", "Opus"]), boxes)
        : MadeEntry.video(isEncrypted ? "encv" : "avc1", boxes)
    ]
    guard choices.once(in: 2) else { return }
    track.edits = (0..<choices.number(1...3)).map { _ in
      let start = choices.once(in: 3) ? -1 : Int64(bitPattern: choices.time())
      return .init(choices.once(in: 4) ? 0 : choices.time(), start, rate: choices.pick([0x10000, 0x10000, 0, 0x8000]))
    }
  }

  /// What may stand beside the tracks: places in the file that a `meta` box names.
  private func trackBoxes(_ choices: inout Choices) -> [UInt8] {
    choices.once(in: 6) ? locations(&choices) : []
  }

  /// Boxes between the others: nothing, mostly.
  private func extra(_ choices: inout Choices) -> [UInt8] {
    switch choices.byte() % 12 {
    case 7: Plain.box("free", [UInt8](repeating: 0, count: choices.number(0...50)))
    case 8: Plain.box("sefd", Plain.type("SEFH"), Plain.u32(UInt32(choices.byte())), Plain.type("SEFT"))
    case 9: locations(&choices)
    case 10: Plain.box("uuid", [UInt8](repeating: 0xA5, count: 16), [1, 2, 3])
    case 11: Plain.header("mdat", claiming: choices.pick([0, 1, 8, 100, .max]))
    default: []
    }
  }

  /// An item that lies somewhere in the file.
  private func locations(_ choices: inout Choices) -> [UInt8] {
    let place = Plain.u32(UInt32(choices.number(0...2000))) + Plain.u32(UInt32(choices.number(0...40)))
    return Plain.fullBox(
      "meta", Plain.fullBox("hdlr", Plain.u32(0), Plain.type("pict"), [UInt8](repeating: 0, count: 13)),
      Plain.fullBox("pitm", Plain.u16(1)),
      Plain.fullBox("iloc", [0x44, 0], Plain.u16(1), Plain.u16(1), Plain.u16(0), Plain.u16(1), place))
  }
}
