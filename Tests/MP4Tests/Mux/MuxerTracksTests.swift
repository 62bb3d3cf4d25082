import Foundation
import ISOBMFF
import MP4
import MediaCore
import TestSupport
import Testing

/// Several tracks in one file: their order, their times, and what is bounded.
@Suite(.inTurn) struct MuxerTracksTests {
  private let pictures = MadePictures(times: (0..<200).map { ($0, $0 + 2) })
  private let sound = MadeSound(heard: 352_800, id: 2)

  /// A movie of pictures and sound, its tracks appended in an order that a seed decides; one after the other without.
  private func muxed(
    to sink: any ByteSink, options: MuxerOptions, seed: UInt64? = nil,
    each: (MP4Muxer) throws -> Void = { _ in }
  ) throws {
    let muxer = try MP4Muxer(to: sink, tracks: [pictures.track, sound.track], options: options)
    var rest = [pictures.samples[...], sound.packets[...]]
    var noise = Noise(seed: seed ?? 0)
    while !rest.isEmpty {
      let track = seed == nil ? 0 : Int.random(in: rest.indices, using: &noise)
      if let sample = rest[track].popFirst() { try muxer.append(sample) } else { rest.remove(at: track) }
      try each(muxer)
    }
    try muxer.finish()
  }

  @Test("whatever order the tracks come in, samples lie in the order of their decoding, to the last one")
  func interleaves() throws {
    for layout in [MuxedLayout.fastStart, .moovLast] {
      let memory = MemorySink()
      try muxed(to: memory, options: layout.options)
      for seed in 0..<5 {
        let other = MemorySink()
        try muxed(to: other, options: layout.options, seed: UInt64(seed))
        #expect(other.bytes == memory.bytes)
      }
      let movie = try opened(memory.bytes)
      var samples: [(place: UInt64, time: MediaTime)] = []
      for (track, start) in zip(movie.tracks, [0, -sound.priming]) {
        for record in Delivery(movie.samples(of: track)).records {
          samples.append((record.offset, MediaTime(value: record.decodeTime + start, timescale: track.timescale)))
        }
      }
      samples.sort { $0.place < $1.place }
      #expect(samples.count == 200 + sound.packets.count)
      #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.time <= $1.time })
    }
  }

  @Test(
    "the header reserves the identifier after the highest one, and all ones if there is none", arguments: [7, .max])
  func nextTrackID(highest: UInt32) throws {
    let memory = MemorySink()
    let sound = MadeSound(heard: 4096, id: highest)
    let muxer = try MP4Muxer(to: memory, tracks: [sound.track], options: MuxedLayout.fastStart.options)
    for packet in sound.packets { try muxer.append(packet) }
    try muxer.finish()
    // The last four bytes of `mvhd`, 100 bytes after its version.
    let start = try #require(memory.bytes.firstRange(of: Array("mvhd".utf8))).upperBound
    let stated = memory.bytes[start + 96..<start + 100].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    #expect(stated == (highest == 7 ? 8 : .max))
  }

  @Test("tracks that lie as far apart as times can are written so that they can be read", arguments: [0.5, 3600])
  func distantTracks(seconds: Double) throws {
    let memory = MemorySink()
    var options = MuxerOptions()
    options.layout = .fragmented(seconds: seconds)
    let tracks = [sound.track, sound.track].map { track in
      var track = track
      track.track.id = 0
      return track
    }
    let muxer = try MP4Muxer(to: memory, tracks: tracks, options: options)
    for (track, time) in zip(muxer.tracks, [-1 << 62, 1 << 62] as [Int64]) {
      for number in 0..<3 {
        let start = time + Int64(number) * 1024
        let timing = SampleTiming(decodeTime: start, presentationTime: start, duration: 1024, timescale: 44_100)
        try muxer.append(
          EncodedSample(trackID: track.track.id, timing: timing, isSync: true, payload: .bytes([1, 2, 3, 4])))
      }
    }
    #expect(try muxer.finish().samples == 6)
    let movie = try opened(memory.bytes)
    #expect(movie.tracks.map { Delivery(movie.samples(of: $0)).records.count } == [3, 3])
  }

  @Test("samples near the end of time keep their times when they are remuxed")
  func remuxedAtTheEndOfTime() throws {
    let memory = MemorySink()
    var options = MuxerOptions()
    options.layout = .fragmented(seconds: 3600)
    let muxer = try MP4Muxer(to: memory, tracks: [sound.track], options: options)
    for number in 0..<3 {
      let start = 1024 * Int64(number)
      let timing = SampleTiming(decodeTime: start, presentationTime: start, duration: 1024, timescale: 44_100)
      try muxer.append(
        EncodedSample(trackID: muxer.tracks[0].track.id, timing: timing, isSync: true, payload: .bytes([1, 2, 3, 4])))
    }
    _ = try muxer.finish()
    // The muxer takes no such times, but files have them: type, version and flags, then 64 bits.
    var bytes = memory.bytes
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("tfdt".utf8)) }) + 8
    let start = Int64.max - 3 * 1024
    for byte in 0..<8 { bytes[place + byte] = UInt8(truncatingIfNeeded: start >> Int64(56 - 8 * byte)) }
    let movie = try opened(bytes)
    let output = MemorySink()
    var remux = Remuxer.Options()
    (remux.layout, remux.fragmentDuration) = (.fragmented, 1)
    try Remuxer(from: movie, to: output, options: remux).run()
    let copy = try opened(output.bytes)
    let times = Delivery(copy.samples(of: copy.tracks[0])).records.map(\.decodeTime)
    #expect(times == (0..<3).map { start + 1024 * $0 })
  }

  @Test("fragments open on sync samples of the pictures, and hold the sound of the same time")
  func fragments() throws {
    let memory = MemorySink()
    try muxed(to: memory, options: MuxedLayout.fragmented.options, seed: 3)
    let movie = try opened(memory.bytes)
    var parser = BoxParser(movie.reader)
    let fragments = try parser.nodes(from: 0, to: movie.reader.size).nodes.filter { $0.type == "moof" }
    // 200 pictures of 1/25 s with a sync sample every 0.4 s: fragments of 0.8 s, since 0.5 s are asked for.
    #expect(fragments.count == 10)
    let records = Delivery(movie.samples(of: movie.tracks[0])).records
    for (number, fragment) in fragments.enumerated() {
      let tracks = fragment.all("traf")
      #expect(tracks.count == 2)
      for track in tracks {
        let header = try #require(track.child("tfhd", as: TrackFragmentHeaderBox.self))
        #expect(header.has(TrackFragmentHeaderBox.Flag.defaultBaseIsMoof))
        #expect(!header.has(TrackFragmentHeaderBox.Flag.baseDataOffset))
        let time = try #require(track.child("tfdt", as: TrackFragmentBaseMediaDecodeTimeBox.self)).baseMediaDecodeTime
        if header.trackID == 1 {
          // The clock begins with the sound's run-up, 2112/44100 s before: a tick of the pictures and a part.
          #expect(time == UInt64(number * 20 + 2))
          #expect(records[number * 20].isSync)
          #expect(try #require(track.child("trun", as: TrackRunBox.self)).sampleCount == 20)
        } else {
          let seconds = Double(time) / 44100 - 2112.0 / 44100
          #expect(number == 0 || (seconds - Double(number) * 0.8) < 1024.0 / 44100)
        }
      }
    }
  }

  @Test("each track is shown when its samples say, whichever begins earlier", arguments: MuxedLayout.allCases)
  func places(layout: MuxedLayout) throws {
    let late = MadePictures(id: 1, times: (0..<50).map { ($0 + 100, $0 + 101) })
    let early = MadeSound(priming: 0, heard: 441_000, id: 2)
    for isMoved in [false, true] {
      // A clock that began a day before: nothing changes.
      let shift: Int64 = isMoved ? 86_400 : -86_400
      let memory = MemorySink()
      let muxer = try MP4Muxer(to: memory, tracks: [late.track, early.track], options: layout.options)
      for var sample in late.samples + early.packets {
        sample.timing.decodeTime += shift * Int64(sample.timing.timescale)
        sample.timing.presentationTime += shift * Int64(sample.timing.timescale)
        try muxer.append(sample)
      }
      #expect(try muxer.finish().duration == MediaTime(value: 10, timescale: 1))
      let movie = try opened(memory.bytes)
      let track = movie.tracks[0]
      let first = try #require(Delivery(movie.samples(of: track)).records.first)
      // Shown 101/25 s after the sound begins: the empty edit, the place in the media, or both say so.
      let empty = track.edits.first { $0.mediaTime == nil }?.duration ?? .zero
      let begin = track.edits.first { $0.mediaTime != nil }?.mediaTime?.value ?? 0
      let shown = MediaTime(value: first.presentationTime - begin, timescale: 25).seconds + empty.seconds
      #expect(abs(shown - 4.04) < 1e-9)
      #expect(movie.tracks[1].edits.isEmpty)
    }
  }

  @Test("pictures shown before they are decoded keep their places", arguments: MuxedLayout.allCases)
  func negativeOffsets(layout: MuxedLayout) throws {
    let shown: [Int64] = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8]
    let pictures = MadePictures(times: shown.enumerated().map { (Int64($0.offset), $0.element) })
    let memory = MemorySink()
    let muxer = try MP4Muxer(to: memory, tracks: [pictures.track], options: layout.options)
    for sample in pictures.samples { try muxer.append(sample) }
    try muxer.finish()
    let movie = try opened(memory.bytes)
    #expect(Delivery(movie.samples(of: movie.tracks[0])).records.map(\.presentationTime) == shown)
    guard layout != .fragmented else { return }
    let table = try #require(movie.moov.first("trak", "mdia", "minf", "stbl"))
    #expect(table.child("ctts", as: CompositionOffsetBox.self) == nil)
    let bounds = try #require(table.child("cslg", as: CompositionToDecodeBox.self))
    #expect(bounds.compositionToDTSShift == 1 && bounds.leastDecodeToDisplayDelta == -1)
    #expect(bounds.greatestDecodeToDisplayDelta == 2 && bounds.compositionEndTime == 10)
  }

  @Test("a track that stays empty is written as such, and nobody waits for it", arguments: MuxedLayout.allCases)
  func emptyTrack(layout: MuxedLayout) throws {
    let memory = MemorySink()
    let muxer = try MP4Muxer(to: memory, tracks: [pictures.track, sound.track], options: layout.options)
    try muxer.finish(track: 2)
    for sample in pictures.samples { try muxer.append(sample) }
    #expect(muxer.wantsMore(of: 1) && !muxer.wantsMore(of: 2))
    let refused = MP4Error(.refusedSample(.trackFinished), file: "output", trackID: 2)
    #expect(throws: refused) { try muxer.append(sound.packets[0]) }
    #expect(try muxer.finish().duration == MediaTime(value: 8, timescale: 1))
    let movie = try opened(memory.bytes)
    #expect(movie.tracks.map(\.sampleCount) == [200, 0])
    #expect(movie.issues.isEmpty)
  }

  @Test("memory is bounded: what exceeds the limit waits in a file, and the output is the same")
  func bounded() throws {
    for layout in MuxedLayout.allCases {
      let memory = MemorySink()
      try muxed(to: memory, options: layout.options)
      var options = layout.options
      options.memoryLimit = 2000
      let bounded = MemorySink()
      var wanted: Set<Bool> = []
      try muxed(to: bounded, options: options) { wanted.insert($0.wantsMore(of: 1)) }
      #expect(bounded.bytes == memory.bytes)
      #expect(wanted == [true, false])
    }
  }

  @Test("a pipe gets every layout too", arguments: MuxedLayout.allCases, [100, 20_000])
  func pipes(layout: MuxedLayout, size: Int) throws {
    var pictures = pictures
    pictures.size = size
    let pipe = PipeSink()
    let muxer = try MP4Muxer(to: pipe, tracks: [pictures.track], options: layout.options)
    for sample in pictures.samples { try muxer.append(sample) }
    #expect(try muxer.finish().bytes == UInt64(pipe.bytes.count))
    let movie = try opened(pipe.bytes)
    #expect(movie.layout == layout.movie)
    let found = Delivery(movie.samples(of: movie.tracks[0]))
    #expect(found.error == nil && found.records.count == 200)
    for (index, record) in found.records.enumerated() {
      let bytes = pipe.bytes[Int(record.offset)..<(Int(record.offset) + record.size)]
      #expect(bytes.count == size && bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: index) })
    }
  }

  @Test("places beyond 4 GiB take 64 bits", arguments: MuxedLayout.allCases)
  func large(layout: MuxedLayout) throws {
    let zeros = SourceReader(SparseFile(size: 1 << 33))
    let sink = SparseFile()
    let marks = MadeSound(priming: 0, heard: 20_480, id: 2)
    var pictures = pictures
    pictures.times = (0..<20).map { ($0, $0) }
    let muxer = try MP4Muxer(to: sink, tracks: [pictures.track, marks.track], options: layout.options)
    for (index, var sample) in pictures.samples.enumerated() {
      sample.payload = .range(zeros, offset: UInt64(index) << 28, count: 300 << 20)
      try muxer.append(sample)
    }
    for packet in marks.packets { try muxer.append(packet) }
    let summary = try muxer.finish()
    #expect(summary.bytes == sink.size && sink.size > 6_000_000_000)
    let movie = try MP4Demuxer(source: sink)
    #expect(movie.layout == layout.movie)
    #expect(movie.issues.isEmpty)
    let found = Delivery(movie.samples(of: movie.tracks[0]))
    #expect(found.error == nil && found.records.count == 20)
    var reader = movie.samples(of: movie.tracks[1])
    for packet in marks.packets { #expect(try reader.next()?.payload.load() == packet.payload.load()) }
    #expect(try reader.next() == nil)
  }

  @Test("a sample that does not fit is refused, and everything goes on as if it had not come")
  func refuses() throws {
    let memory = MemorySink()
    let muxer = try MP4Muxer(to: memory, tracks: [pictures.track], options: MuxedLayout.fastStart.options)
    let good = pictures.samples
    func refused(_ code: MP4Error.SampleRefusal, _ change: (inout EncodedSample) -> Void) {
      var sample = good[0]
      change(&sample)
      #expect(throws: MP4Error(.refusedSample(code), file: "output", trackID: 1)) { try muxer.append(sample) }
    }
    refused(.otherTimescale(24)) { $0.timing.timescale = 24 }
    refused(.tooLong) { $0.timing.duration = 1 << 31 }
    refused(.shownTooFarAway) { $0.timing.presentationTime = 1 << 32 }
    refused(.shownTooFarAway) { ($0.timing.decodeTime, $0.timing.presentationTime) = (.min, .max) }
    refused(.noSuchDescription(1)) { $0.descriptionIndex = 1 }
    refused(.noSuchDescription(-1)) { $0.descriptionIndex = -1 }
    var stranger = good[0]
    stranger.trackID = 9
    #expect(throws: MP4Error(.noSuchTrack, file: "output", trackID: 9)) { try muxer.append(stranger) }
    #expect(muxer.state == .unknown)
    for sample in good { try muxer.append(sample) }
    try muxer.finish()
    #expect(Delivery(try opened(memory.bytes).samples(of: try opened(memory.bytes).tracks[0])).records.count == 200)
    #expect(throws: MP4Error(.nothingToWrite, file: "output")) { try MP4Muxer(to: memory, tracks: []) }
    let silent = MuxerTrack(Track(id: 3, kind: .audio, timescale: 8000))
    #expect(throws: MP4Error(.noDescription, file: "output", trackID: 3)) {
      try MP4Muxer(to: memory, tracks: [silent])
    }
  }

  @Test("what comes before the beginning that a flushed header tells is refused")
  func beforeTheBeginning() throws {
    let memory = MemorySink()
    let muxer = try MP4Muxer(
      to: memory, tracks: [pictures.track, sound.track], options: MuxedLayout.fragmented.options)
    for sample in pictures.samples { try muxer.append(sample) }
    try muxer.flush()
    let refused = MP4Error(.refusedSample(.decodedBeforeStart), file: "output", trackID: 2)
    let packets = sound.packets
    #expect(throws: refused) { try muxer.append(packets[0]) }
    for packet in packets where packet.timing.decodeTime >= 0 { try muxer.append(packet) }
    try muxer.finish()
    let movie = try opened(memory.bytes)
    #expect(movie.tracks.map(\.sampleCount) == [200, UInt64(packets.count - 3)])
    let first = Delivery(movie.samples(of: movie.tracks[1])).records.first
    #expect(first?.decodeTime == packets[3].timing.decodeTime)
  }

  @Test("numbers are given where they are missing or taken, and references lead to what is there")
  func numbers() throws {
    var tracks = [pictures.track, pictures.track, sound.track]
    tracks[0].track.id = 0
    tracks[2].track.id = 1
    tracks[2].track.references = ["chap": [7], "sync": [1, 7]]
    let muxer = try MP4Muxer(to: MemorySink(), tracks: tracks)
    #expect(muxer.tracks.map(\.track.id) == [2, 1, 3])
    #expect(muxer.tracks[2].track.references == ["sync": [1]])
  }

  @Test("times at the ends of what 64 bits hold are survived", arguments: MuxedLayout.allCases)
  func extremes(layout: MuxedLayout) throws {
    let memory = MemorySink()
    var options = layout.options
    options.chapters = [Chapter(start: MediaTime(value: .max, timescale: 1), title: "Never")]
    let muxer = try MP4Muxer(to: memory, tracks: [pictures.track, sound.track], options: options)
    for time in [0, Int64.min, Int64.max, 7, Int64.max - 1] {
      for var sample in [pictures.samples[0], sound.packets[0]] {
        sample.timing.decodeTime = time
        sample.timing.presentationTime = time
        try? muxer.append(sample)
      }
    }
    try muxer.finish()
    let movie = try opened(memory.bytes)
    #expect(movie.tracks.prefix(2).allSatisfy { $0.sampleCount > 0 })
  }

  @Test("a full disk ends it: the error is told again, and no state is left that pretends otherwise")
  func fullDisk() throws {
    for layout in MuxedLayout.allCases {
      let muxer = try MP4Muxer(path: "/dev/full", tracks: [pictures.track], options: layout.options)
      #expect(throws: MP4Error.self) {
        for sample in pictures.samples { try muxer.append(sample) }
        try muxer.finish()
      }
      #expect(muxer.state == .failed)
      let error = #expect(throws: MP4Error.self) { try muxer.finish() }
      #expect(error.map { if case .sink = $0.code { true } else { false } } == true)
      #expect(error?.description.contains("No space left on device") == true)
    }
  }
}
