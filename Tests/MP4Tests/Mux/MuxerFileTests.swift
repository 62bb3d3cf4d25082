import Foundation
import ISOBMFF
import MP4
import MediaCore
import TestSupport
import Testing

/// What is to be found in the folder, and in the file, at every moment of a muxer's life.
@Suite(.inTurn) struct MuxerFileTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("out.m4a")
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
  }

  private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

  @Test("cancelled, abandoned or never given a sample: no file is left", arguments: MuxedLayout.allCases)
  func leavesNothing(layout: MuxedLayout) throws {
    let sound = MadeSound(heard: 100_000)
    do {
      let muxer = try MP4Muxer(path: path, tracks: [sound.track], options: layout.options)
      for packet in sound.packets { try muxer.append(packet) }
    }
    #expect(try names == [])
    let muxer = try MP4Muxer(path: path, tracks: [sound.track], options: layout.options)
    for packet in sound.packets { try muxer.append(packet) }
    muxer.cancel()
    #expect(muxer.state == .cancelled)
    #expect(throws: MP4Error(.cancelled, file: path)) { try muxer.append(sound.packets[0]) }
    #expect(throws: MP4Error(.cancelled, file: path)) { try muxer.finish() }
    let empty = try MP4Muxer(path: path, tracks: [sound.track], options: layout.options)
    #expect(throws: MP4Error(.noSamples, file: path)) { try empty.finish() }
    #expect(throws: MP4Error(.noSamples, file: path)) { try empty.finish() }
    #expect(empty.state == .failed)
    #expect(try names == [])
  }

  @Test("finishing again says the same again, and nothing can be added any more", arguments: MuxedLayout.allCases)
  func finishesOnce(layout: MuxedLayout) throws {
    let sound = MadeSound(heard: 5000)
    let muxer = try MP4Muxer(path: path, tracks: [sound.track], options: layout.options)
    #expect(muxer.state == .unknown)
    for packet in sound.packets { try muxer.append(packet) }
    #expect(muxer.state == .running)
    let summary = try muxer.finish()
    #expect(muxer.state == .completed)
    let written = try bytes(path)
    #expect(try muxer.finish() == summary)
    #expect(throws: MP4Error(.muxerFinished, file: path)) { try muxer.append(sound.packets[0]) }
    #expect(throws: MP4Error(.muxerFinished, file: path)) { try muxer.flush() }
    muxer.cancel()
    #expect(muxer.state == .completed)
    #expect(try bytes(path) == written)
  }

  @Test("the same samples give the same bytes, in a file, in memory, and whether ranges can be inserted or not")
  func determinism() throws {
    // More than what is gathered: the media is in the file before the index is known.
    let sound = MadeSound(heard: 12_000_000)
    let packets = sound.packets
    for layout in MuxedLayout.allCases {
      var outputs: [[UInt8]] = []
      for folder in [folder.url.path, "/dev/shm"] where FileManager.default.fileExists(atPath: folder) {
        let path = "\(folder)/lyrebird-\(UUID().uuidString).m4a"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let muxer = try MP4Muxer(path: path, tracks: [sound.track], options: layout.options)
        for packet in packets { try muxer.append(packet) }
        try muxer.finish()
        outputs.append(try bytes(path))
      }
      let memory = MemorySink()
      let muxer = try MP4Muxer(to: memory, tracks: [sound.track], options: layout.options)
      for packet in packets { try muxer.append(packet) }
      try muxer.finish()
      #expect(outputs.allSatisfy { $0 == memory.bytes }, "\(layout)")
      let movie = try opened(memory.bytes)
      #expect(movie.layout == layout.movie)
      let payload = packets.reduce(0) { $0 + $1.payload.count }
      #expect(try movie.byteCount(of: movie.tracks[0]) == UInt64(payload))
      // Room in front for an index that comes later costs a block or two.
      #expect(memory.bytes.count - payload < 120_000)
    }
  }

  @Test("the size of media below 4 GiB takes 32 bits, even where it was not known beforehand: faad knows no other")
  func compactMediaSize() throws {
    // More than what is gathered.
    let sound = MadeSound(heard: 12_000_000)
    for layout in [MuxedLayout.fastStart, .moovLast] {
      let sink = MemorySink()
      let muxer = try MP4Muxer(to: sink, tracks: [sound.track], options: layout.options)
      for packet in sound.packets { try muxer.append(packet) }
      try muxer.finish()
      let reader = SourceReader(MemorySource(sink.bytes))
      var parser = BoxParser(reader)
      var boxes: [BoxHeader] = []
      while let box = try parser.header(at: boxes.last?.end ?? 0, limit: reader.size) { boxes.append(box) }
      #expect(boxes.contains { $0.type == "mdat" && $0.headerSize == 8 }, "\(layout): \(boxes.map(\.type))")
    }
  }

  @Test("a recording grows under its name and is whole after every flush")
  func growing() throws {
    let sound = MadeSound(heard: 200_000)
    var options = MuxedLayout.fragmented.options
    options.layout = .fragmented(seconds: 3600)
    options.freeSpace = 1000
    let sink = try FileSink(growingPath: path)
    let muxer = try MP4Muxer(to: sink, name: path, tracks: [sound.track], options: options)
    for (number, packet) in sound.packets.enumerated() {
      try muxer.append(packet)
      guard number % 50 == 0 else { continue }
      try muxer.flush()
      let movie = try MP4Demuxer(path: path)
      let found = Delivery(movie.samples(of: movie.tracks[0]))
      #expect(found.error == nil && found.records.count == number + 1)
      #expect(try bytes(path)[32..<40] == [0, 0, 0x0F, 0xE0, 0x66, 0x72, 0x65, 0x65])
    }
    try muxer.finish()
    let movie = try MP4Demuxer(path: path)
    #expect(Delivery(movie.samples(of: movie.tracks[0])).records.count == sound.packets.count)
    #expect(movie.moov.header.offset == 4096)
    #expect(throws: SinkError(.exists, name: path)) { try FileSink(growingPath: path) }
  }

  @Test("a recording that is abandoned stays, one that is cancelled goes")
  func abandonedRecording() throws {
    let sound = MadeSound(heard: 50_000)
    for isCancelled in [false, true] {
      let name = folder.path("\(isCancelled).m4a")
      do {
        let muxer = try MP4Muxer(
          to: try FileSink(growingPath: name), tracks: [sound.track], options: MuxedLayout.fragmented.options)
        for packet in sound.packets { try muxer.append(packet) }
        if isCancelled { muxer.cancel() }
      }
      #expect(FileManager.default.fileExists(atPath: name) == !isCancelled)
    }
    let movie = try MP4Demuxer(path: folder.path("false.m4a"))
    #expect(Delivery(movie.samples(of: movie.tracks[0])).records.count > 20)
  }

  @Test("a recording with room in front can be finished where it lies", .needs(.insertion))
  func finishesRecording() throws {
    let sound = MadeSound(heard: 100_000)
    var options = MuxedLayout.fragmented.options
    options.freeSpace = 4096
    let muxer = try MP4Muxer(to: try FileSink(growingPath: path), tracks: [sound.track], options: options)
    for packet in sound.packets { try muxer.append(packet) }
    try muxer.finish()
    try #require(try RecordingFinisher(path: path).run())
    let movie = try MP4Demuxer(path: path)
    #expect(movie.layout == .fastStart)
    #expect(movie.duration == MediaTime(value: 100_000, timescale: 44100))
    let records = Delivery(movie.samples(of: movie.tracks[0])).records
    #expect(records.map(\.duration) == sound.packets.map(\.timing.duration))
  }
}
