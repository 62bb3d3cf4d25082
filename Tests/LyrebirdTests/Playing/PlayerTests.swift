import Foundation
import TestSupport
import Testing

@testable import Lyrebird

/// Players on virtual devices.
@Suite(.inTurn) struct PlayerTests {
  private let folder: TemporaryFolder
  private let song: String

  init() throws {
    folder = try TemporaryFolder()
    song = folder.path("song.m4a")
    let writer = try RecordingWriter(path: song, format: AudioFormat())
    var noise = Noise(seed: 11)
    var level = 0
    let samples = (0..<120_000).map { _ in
      level = (level * 7 + Int.random(in: -9000...9000, using: &noise)) / 8
      return Int16(clamping: level)
    }
    try writer.append(PCMBuffer(samples, sampleRate: 44_100, layout: .stereo))
    try writer.finish()
  }

  private func reader() throws -> AudioReader { try AudioReader(path: song) }

  /// All that is to be heard, as 16-bit samples.
  private func decoded() throws -> [Int16] {
    let decoder = try reader()
    var samples: [Int16] = []
    while let sound = try decoder.next() { samples += sound.payload.int16s }
    return samples
  }

  /// Frames that the device takes at once: half of its buffer of 100 ms.
  private let period = 2205

  /// Lets time pass until a player has ended, and never faster than it decodes: what is heard has no gaps.
  private func drive(_ player: Player, _ clock: ManualClock) async throws {
    while player.status.state == .running {
      if player.holds(frames: period) { clock.advance(by: .milliseconds(50)) }
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(player.status.underruns == 0)
  }

  private func heard(_ path: String) throws -> [Int16] {
    var reader = try PCMFileReader(path: path)
    return try reader.next(frames: 1 << 20)?.payload.int16s ?? []
  }

  @Test("of a WAVE file every frame is heard, from the one on that was sought")
  func playsWAVE() async throws {
    let (input, output) = (folder.path("in.wav"), folder.path("heard.wav"))
    let samples = try decoded()
    var writer = try WAVWriter(path: input, format: AudioFormat())
    try writer.append(PCMBuffer(samples, sampleRate: 44_100, layout: .stereo))
    _ = try writer.finish()
    let clock = ManualClock()
    let player = try Player(path: input, device: DeviceName("file:" + output), clock: clock)
    #expect(player.frameCount == 60_000)
    player.seek(to: 25_000)
    try player.play()
    try await drive(player, clock)
    try await player.finished()
    #expect(player.status.state == .completed)
    #expect(player.status.position == 60_000)
    let isSame = try heard(output) == Array(samples[50_000...])
    #expect(isSame)
  }

  @Test("what is heard is what is decoded, every frame of it, and nothing else")
  func playsAll() async throws {
    let output = folder.path("heard.wav")
    let clock = ManualClock()
    let player = try Player(try reader(), device: DeviceName("file:" + output), clock: clock)
    #expect(player.frameCount == 60_000)
    try player.play()
    try await drive(player, clock)
    try await player.finished()
    #expect(player.status.state == .completed)
    #expect(player.status.position == 60_000)
    let isSame = try heard(output) == decoded()
    #expect(isSame)
  }

  @Test("a seek goes on from that very frame")
  func seeks() async throws {
    let output = folder.path("heard.wav")
    let clock = ManualClock()
    let player = try Player(try reader(), device: DeviceName("file:" + output), clock: clock)
    player.seek(to: 40_000)
    try player.play()
    try await drive(player, clock)
    try await player.finished()
    #expect(player.status.position == 60_000)
    let isSame = try heard(output) == Array(decoded()[80_000...])
    #expect(isSame)
  }

  @Test("a device that is a file keeps all that was heard, from seek to seek")
  func keepsOnWriting() async throws {
    let output = folder.path("heard.wav")
    let clock = ManualClock()
    let player = try Player(try reader(), device: DeviceName("file:" + output), clock: clock)
    try player.play()
    for target: Int64 in [40_000, 20_000] {
      let start = player.status.position
      while player.status.position < start + 5000 {
        if player.holds(frames: period) { clock.advance(by: .milliseconds(50)) }
        try await Task.sleep(for: .milliseconds(1))
      }
      player.seek(to: target)
    }
    try await drive(player, clock)
    let (samples, heard) = (try decoded(), try heard(output))
    // What was heard before a seek is as many whole periods as the device took.
    let ends = stride(from: 2 * period, to: heard.count - 100, by: 2 * period)
    let first = try #require(ends.first { heard[$0..<($0 + 100)] == samples[80_000..<80_100] })
    #expect(Array(heard[..<first]) == Array(samples[..<first]))
    let second = heard.count - first - 80_000
    #expect(second > 0 && Array(heard[first..<(first + second)]) == Array(samples[80_000...].prefix(second)))
    #expect(Array(heard[(first + second)...]) == Array(samples[40_000...]))
  }

  @Test("seeks by the arrow keys add up, before playing and while it is held, and end at the first and the last frame")
  func seeksRelatively() async throws {
    let output = folder.path("heard.wav")
    let clock = ManualClock()
    let player = try Player(try reader(), device: DeviceName("file:" + output), clock: clock)
    player.seek(by: -5)
    #expect(player.status.position == 0)
    player.seek(by: 20_000)
    player.seek(by: 20_000)
    #expect(player.status.position == 40_000)
    player.setPaused(true)
    try player.play()
    for _ in 0..<3 { player.seek(by: .max) }
    #expect(player.status.position == 60_000)
    for _ in 0..<3 { player.seek(by: -5000) }
    #expect(player.status.position == 45_000)
    player.setPaused(false)
    try await drive(player, clock)
    #expect(player.status.position == 60_000)
    let isSame = try heard(output) == Array(decoded()[90_000...])
    #expect(isSame)
  }

  @Test("what was held when a seek left it is not heard, though playing goes on at once", arguments: 0..<8)
  func heldAndLeftBehind(round: Int) async throws {
    let output = folder.path("heard.wav")
    let clock = ManualClock()
    let player = try Player(try reader(), device: DeviceName("file:" + output), clock: clock)
    player.setPaused(true)
    try player.play()
    while !player.holds(frames: period) { try await Task.sleep(for: .milliseconds(1)) }
    // The segment that is left has sound to give, and its thread no time to end before the device asks.
    player.seek(to: 40_000)
    player.setPaused(false)
    clock.advance(by: .milliseconds(50))
    while player.status.state == .running {
      if player.holds(frames: period) { clock.advance(by: .milliseconds(50)) }
      try await Task.sleep(for: .milliseconds(1))
    }
    try await player.finished()
    // The device may have asked before the new segment had sound to give: then it begins with silence.
    let sound = try heard(output)
    #expect(Array(sound.drop { $0 == 0 }) == Array(try decoded()[80_000...].drop { $0 == 0 }))
  }

  @Test("the volume holds from the first frame on, whatever it is set to before, and from seek to seek")
  func volume() async throws {
    let output = folder.path("heard.wav")
    let clock = ManualClock()
    let player = try Player(try reader(), device: DeviceName("file:" + output), clock: clock)
    #expect(player.volume == 1)
    player.volume = -1
    #expect(player.volume == 0)
    player.volume = .nan
    #expect(player.volume == 0)
    player.volume = 7
    #expect(player.volume == 1)
    player.volume = 0.25
    player.seek(to: 50_000)
    try player.play()
    try await drive(player, clock)
    #expect(player.volume == 0.25)
    let quiet = try decoded()[100_000...].map { Int16((Float($0) / 4).rounded(.toNearestOrEven)) }
    let isSame = try heard(output) == quiet
    #expect(isSame)
  }

  @Test("a player that is stopped is over at once, and its position stays")
  func stops() async throws {
    let clock = ManualClock()
    let player = try Player(try reader(), device: DeviceName("null"), clock: clock)
    try player.play()
    while player.status.position < 4410 {
      clock.advance(by: .milliseconds(20))
      try await Task.sleep(for: .milliseconds(1))
    }
    player.stop()
    try await player.finished()
    #expect(player.status.state == .cancelled)
    #expect((4410..<60_000).contains(player.status.position))
    player.stop()
  }

  /// A file in memory that does something at its next read, and counts the reads from then on.
  private final class WatchedSource: ByteSource {
    private let memory: MemorySource
    let atRead = Lock<(@Sendable () -> Void)?>(nil)
    let reads = Lock(0)

    init(_ bytes: [UInt8]) { memory = MemorySource(bytes) }

    var size: UInt64 { memory.size }
    var name: String { "song.m4a" }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
      if let body = atRead.withLock({ $0 }) {
        body()
        reads.withLock { $0 += 1 }
      }
      return try unsafe memory.read(at: offset, into: buffer)
    }

    func reopen() throws(SourceError) {}
  }

  @Test("a player that is stopped while it looks for a frame in the tables of a movie looks no further")
  func stopsSeek() async throws {
    let source = WatchedSource(Array(try Data(contentsOf: URL(fileURLWithPath: song))))
    let movie = try MP4Demuxer(source: source)
    let reader = try AudioReader(movie, track: #require(movie.audioTrack))
    let player = try Player(reader, device: DeviceName("null"), clock: ManualClock())
    player.seek(to: 50_000)
    source.atRead.withLock { $0 = { player.stop() } }
    try player.play()
    #expect(try await player.finished().state == .cancelled)
    #expect(source.reads.withLock { $0 } == 1)
  }

  @Test("of a file that is cut short all that is there is heard, and then the player has failed")
  func cutShort() async throws {
    let (input, output) = (folder.path("in.m4a"), folder.path("heard.wav"))
    let samples = try decoded()
    var options = AudioWriter.Options()
    options.codec = .appleLossless
    let writer = try AudioWriter(path: input, format: AudioFormat(), options: options)
    try writer.append(PCMSample(PCMBuffer(samples, sampleRate: 44_100, layout: .stereo)))
    try writer.finish()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: input))
    try bytes.prefix(bytes.count * 3 / 4).write(to: URL(fileURLWithPath: input))
    let clock = ManualClock()
    let player = try Player(path: input, device: DeviceName("file:" + output), clock: clock)
    try player.play()
    try await drive(player, clock)
    await #expect(throws: AudioDecodingError.self) { try await player.finished() }
    #expect(player.status.state == .failed)
    let heard = try heard(output)
    #expect((80_000..<100_000).contains(heard.count), "\(heard.count)")
    #expect(player.status.position == Int64(heard.count / 2))
    let isSame = heard == Array(samples.prefix(heard.count))
    #expect(isSame)
  }

  @Test("a device that is not there is an error, and the player has failed")
  func noDevice() async throws {
    let player = try Player(try reader(), device: DeviceName("tone:440"))
    try player.play()
    await #expect(throws: AudioIOError.self) { try await player.finished() }
    #expect(player.status.state == .failed)
  }
}
