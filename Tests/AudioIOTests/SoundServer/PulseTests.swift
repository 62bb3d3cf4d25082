import AudioIO
import Foundation
import MediaCore
import TestSupport
import Testing

/// A real sound server, started for each test.
@Suite(.alone, .needs(.soundServer))
struct PulseTests {
  let server: PulseServer
  let options: AudioOptions
  let format = AudioFormat(sampleRate: 48_000, layout: .stereo)
  let sink = DeviceName("lyre")
  let monitor = DeviceName("lyre.monitor")

  init() throws {
    server = try PulseServer()
    options = AudioOptions(server: server.address)
  }

  @Test("devices are listed as the server has them, the default ones marked")
  func devices() throws {
    _ = try server.addSink("other", rate: 32_000)
    try server.tell("set-default-source", "other.monitor")
    let devices = try AudioDevice.all(server: server.address)
    #expect(devices.count == 4)
    let other = devices.first { $0.id == "other.monitor" }
    #expect(other?.direction == .capture && other?.isDefault == true && other?.isMonitor == true)
    let format = AudioFormat(sampleRate: 32_000, sampleFormat: server.kind.sampleFormat, layout: .stereo)
    #expect(other?.format == format)
    let lyre = devices.first { $0.id == "lyre" }
    #expect(lyre?.direction == .playback && lyre?.isMonitor == false)
    let names = try server.tell("get-default-sink")
    #expect(devices.filter { $0.direction == .playback && $0.isDefault }.map { $0.id + "\n" } == [names])
  }

  /// libpulse has a map of its own for up to six channels, and for eight.
  @Test("sound of any number of channels is played and captured", arguments: [7, 9, 10, 16])
  func channels(count: Int) throws {
    _ = try server.addSink("many", channels: count)
    let layout = ChannelLayout(channels: count, mask: 0)
    let format = AudioFormat(sampleRate: 48_000, layout: layout)
    let renderer = try unsafe AudioRenderer(device: DeviceName("many"), format: format, options: options) { memory in
      var bytes = unsafe memory.mutableBytes
      // Each channel has a level of its own.
      for place in 0..<(memory.count / 2) {
        bytes.storeBytes(of: Int16(1000 * (place % count + 1)), toByteOffset: 2 * place, as: Int16.self)
      }
      return Rendered(frames: memory.count / (2 * count))
    }
    try renderer.start()
    defer { renderer.stop() }
    let capture = try AudioCapture(device: DeviceName("many.monitor"), format: format, options: options)
    try capture.start()
    defer { capture.stop() }
    // The first of it may be silence. What becomes of channels for no loudspeaker at a sink whose channels are for some is
    // the server's decision: PulseAudio mixes them, PipeWire leaves them out.
    let frame = try #require(capture.collect(frames: 24_000).last).payload.int16s.suffix(count)
    #expect(frame.count == count && frame.prefix(2).allSatisfy { $0 >= 1000 }, "\(Array(frame))")
  }

  @Test("what is played is captured from the monitor, bit for bit, without a gap")
  func exact() throws {
    var noise = Noise(seed: 4)
    let samples = (0..<(48_000 * 2 * 2)).map { _ in Int16(truncatingIfNeeded: noise.next()) }
    let (passage, verdict) = try RealTime.measure(
      "from a sink to its monitor", { try played(samples) }, isGood: \.isExact)
    #expect(passage.foreign == nil && passage.lost < samples.count / 2, "\(passage)")
    #expect(verdict != .bad, "\(passage)")
  }

  /// Plays samples into a sink, captures its monitor, and compares.
  private func played(_ samples: [Int16]) throws -> Passage {
    let feed = RenderFeed(format: format, capacity: .seconds(3))
    let capture = try AudioCapture(device: monitor, options: options)
    #expect(capture.format == AudioFormat(sampleRate: 48_000, sampleFormat: server.kind.sampleFormat, layout: .stereo))
    let renderer = try AudioRenderer(device: sink, feed: feed, options: options)
    #expect(try feed.write(PCMBuffer(samples, sampleRate: 48_000, layout: .stereo)) == .written)
    feed.finish()
    try capture.start()
    // An idle sink has already made up its mind about the next seconds: only when it moves does it keep to our latency.
    _ = try capture.collect(frames: 9600)
    try renderer.start()
    var (captured, hostTimes): ([PCMSample], [Int64]) = ([], [])
    while !renderer.isOver, captured.count < 10_000 {
      guard case .sample(let sample, let hostTime) = try capture.next(within: .seconds(3)) else { break }
      captured.append(sample)
      hostTimes.append(hostTime)
    }
    #expect(waitUntil { renderer.isOver })
    #expect(renderer.position == samples.count / 2)
    #expect(renderer.underruns == 0)
    // Over is what was heard, not what has come from the monitor by then.
    captured += try capture.collect(frames: 12_000)
    renderer.stop()
    capture.stop()
    #expect(zip(hostTimes, hostTimes.dropFirst()).allSatisfy { $0 < $1 })
    #expect(gaps(in: captured).allSatisfy { $0 >= 0 })
    return Passage(sent: samples, heard: captured.flatMap(\.payload.int16s))
  }

  @Test("what the device does not work in is converted by the server, at the right speed")
  func conversion() throws {
    // By tenths of a second: PipeWire drops what comes late, which is no matter of speed.
    let (frequencies, verdict) = try RealTime.measure("tenths of a tone, in Hz", { try convertedTenths() }) {
      abs($0.sorted()[5] - 1000) < 1
    }
    // The tenths without a gap have the frequency; at a wrong speed none would.
    #expect(
      verdict == .good || (verdict == .excused && frequencies.contains { abs($0 - 1000) < 1 }), "\(frequencies) Hz")
  }

  /// The frequency of each tenth of a second of a tone of 1 kHz, captured from a device of another rate and layout.
  private func convertedTenths() throws -> [Double] {
    let mono = AudioFormat(sampleRate: 16_000, sampleFormat: .float32, layout: .mono)
    let frames = Frames()
    let renderer = try unsafe AudioRenderer(device: sink, format: format, options: options) { unsafe frames.tone($0) }
    let capture = try AudioCapture(device: monitor, format: mono, options: options)
    try capture.start()
    try renderer.start()
    let buffers = try capture.collect(frames: 32_000)
    renderer.stop()
    capture.stop()
    #expect(buffers.allSatisfy { $0.payload.format == mono })
    let floats = Array(buffers.flatMap(\.payload.floats).suffix(16_000))
    try #require(floats.count == 16_000)
    return stride(from: 0, to: 16_000, by: 1600).map {
      frequency(of: Array(floats[$0..<($0 + 1600)]), rate: 16_000)
    }
  }

  /// A tone of 1 kHz at 48 kHz, made on the device's thread.
  private final class Frames: @unchecked Sendable {
    private var frame = 0
    func tone(_ memory: UnsafeMutableRawBufferPointer) -> Rendered {
      for index in 0..<(memory.count / 4) {
        let value = Int16(16_000 * sin(Double(frame % 48) / 48 * 2 * .pi))
        unsafe memory.storeBytes(of: value, toByteOffset: 4 * index, as: Int16.self)
        unsafe memory.storeBytes(of: value, toByteOffset: 4 * index + 2, as: Int16.self)
        frame += 1
      }
      return Rendered(frames: memory.count / 4)
    }
  }

  @Test("from a callback through the sink to a microphone takes 30 ms at most where 10 ms are asked for")
  func latency() throws {
    let (milliseconds, verdict) = try RealTime.measure("latencies, in ms", { try latencies() }) {
      $0.count == 9 && $0.sorted()[4] <= 30
    }
    // On a busy machine most clicks may be late, but some find their way free.
    #expect(verdict == .good || (verdict == .excused && (milliseconds.min() ?? .infinity) <= 30), "\(milliseconds) ms")
  }

  /// How long each of nine clicks takes, in milliseconds; fewer where clicks were lost.
  private func latencies() throws -> [Double] {
    let short = AudioOptions(buffer: .milliseconds(10), server: server.address)
    let click = Click()
    let capture = try AudioCapture(device: monitor, options: short)
    let renderer = try unsafe AudioRenderer(device: sink, format: format, options: short) { unsafe click.render($0) }
    try capture.start()
    try renderer.start()
    _ = try capture.collect(frames: 48_000)
    var measured: [Int64] = []
    // PipeWire drops what comes late, and a click with it: that one will never be heard, and is made again.
    for _ in 0..<18 where measured.count < 9 {
      click.arm()
      var (found, heard): (Int64?, Int) = (nil, 0)
      while found == nil, heard < 24_000, case .sample(let captured, _) = try capture.next() {
        heard += captured.payload.frameCount
        if captured.payload.int16s.contains(where: { $0 > 20_000 }) { found = RealClock().now }
      }
      if let found { measured.append(found - click.moment) }
      _ = try capture.collect(frames: 4800)
    }
    renderer.stop()
    capture.stop()
    return measured.map { Double($0) / 1e6 }
  }

  private final class Click: @unchecked Sendable {
    private let lock = NSLock()
    private var isArmed = false
    private var rendered: Int64 = 0
    func arm() { lock.withLock { isArmed = true } }
    var moment: Int64 { lock.withLock { rendered } }
    func render(_ memory: UnsafeMutableRawBufferPointer) -> Rendered {
      unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
      lock.withLock {
        if isArmed {
          unsafe memory.storeBytes(of: 30_000, as: Int16.self)
          rendered = RealClock().now
          isArmed = false
        }
      }
      return Rendered(frames: memory.count / 4)
    }
  }

  @Test("a server that dies ends capture and playback with an error, after what was captured before")
  func death() throws {
    let capture = try AudioCapture(device: monitor, options: options)
    let renderer = try AudioRenderer(device: sink, feed: RenderFeed(format: format), options: options)
    try capture.start()
    try renderer.start()
    #expect(try capture.collect(frames: 24_000).isEmpty == false)
    server.kill()
    #expect(audioError { while case .sample = try capture.next(within: .seconds(5)) {} }?.code == .serverLost)
    #expect(audioError { _ = try capture.next() } == AudioIOError(.serverLost, device: "lyre.monitor"))
    waitUntil { renderer.failure != nil }
    #expect(renderer.failure?.code == .serverLost)
    capture.stop()
    renderer.stop()
  }

  @Test("a device that goes away ends capture and playback with an error of its own")
  func unplug() throws {
    let module = try server.addSink("usb")
    let capture = try AudioCapture(device: DeviceName("usb.monitor"), options: options)
    let renderer = try AudioRenderer(device: DeviceName("usb"), feed: RenderFeed(format: format), options: options)
    try capture.start()
    try renderer.start()
    #expect(try capture.collect(frames: 24_000).isEmpty == false)
    try server.tell("unload-module", module)
    #expect(audioError { while case .sample = try capture.next(within: .seconds(5)) {} }?.code == .deviceLost)
    waitUntil { renderer.failure != nil }
    #expect(renderer.failure?.code == .deviceLost)
    capture.stop()
    renderer.stop()
  }

  @Test("a device that is not there, and a server that is not there, are errors at once")
  func missing() throws {
    let nothing = DeviceName("nothing")
    #expect(audioError { _ = try AudioCapture(device: nothing, options: options) }?.code == .noDevice)
    let renderer = try AudioRenderer(device: nothing, feed: RenderFeed(format: format), options: options)
    #expect(audioError { try renderer.start() } == AudioIOError(.noDevice, device: "nothing"))
    renderer.stop()
    let none = AudioOptions(server: "unix:/nonexistent")
    let error = audioError { _ = try AudioCapture(options: none) }
    guard case .noServer? = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("pausing holds the sound, and it goes on after")
  func pause() throws {
    let feed = RenderFeed(format: format, capacity: .seconds(3))
    let renderer = try AudioRenderer(device: sink, feed: feed, options: options)
    let sound = PCMBuffer([Int16](repeating: 1, count: 192_000), sampleRate: 48_000, layout: .stereo)
    #expect(try feed.write(sound) == .written)
    try renderer.start()
    #expect(waitUntil { renderer.position >= 9600 })
    renderer.setPaused(true)
    // The server may take a while to hear of it.
    var held = renderer.position
    #expect(
      waitUntil {
        let before = held
        usleep(100_000)
        held = renderer.position
        return held == before
      })
    usleep(200_000)
    #expect(abs(renderer.position - held) < 480)
    #expect(held < 90_000, "it was paused, not over")
    renderer.setPaused(false)
    #expect(waitUntil { renderer.position >= held + 4800 })
    renderer.stop()
  }

  /// What a process holds on to.
  private struct Holdings {
    var threads = 0
    var descriptors = 0
    /// Bytes of the heap that are in use.
    var heap = 0

    static func now() throws -> Holdings {
      func count(_ folder: String) throws -> Int { try FileManager.default.contentsOfDirectory(atPath: folder).count }
      return Holdings(threads: try count("/proc/self/task"), descriptors: try count("/proc/self/fd"), heap: Heap.inUse)
    }
  }

  private func cycle() throws {
    let capture = try AudioCapture(device: monitor, format: format, options: options)
    try capture.start()
    capture.stop()
    let renderer = try AudioRenderer(device: sink, feed: RenderFeed(format: format), options: options)
    try renderer.start()
    renderer.stop()
  }

  @Test("starting and stopping again and again leaves neither threads nor descriptors behind")
  func cycles() throws {
    let before = try Holdings.now()
    for _ in 0..<50 { try cycle() }
    let after = try Holdings.now()
    // Swift's own threads come and go.
    #expect(after.threads < before.threads + 10)
    #expect(after.descriptors < before.descriptors + 10)
  }

  /// Exact, so it has to run by itself:
  ///
  ///     LYREBIRD_EXHAUSTIVE=1 swift test --filter PulseTests.thousandCycles
  @Test(
    "starting and stopping a thousand times leaks no thread, no descriptor and no memory",
    .needs(.patience))
  func thousandCycles() throws {
    for _ in 0..<50 { try cycle() }
    let before = try Holdings.now()
    for _ in 0..<1000 { try cycle() }
    let after = try Holdings.now()
    print("before \(before), after \(after)")
    #expect(after.threads <= before.threads)
    #expect(after.descriptors <= before.descriptors)
    // Less than 10 bytes a cycle: not one object.
    #expect(after.heap - before.heap < 20_000)
  }

  @Test("a stop that comes while a device is being started neither crashes nor leaves it running")
  func stopWhileStarting() async throws {
    func clients() throws -> Int { try server.tell("list", "short", "clients").split(separator: "\n").count }
    let before = try clients()
    for delay in 0..<20 {
      let capture = try AudioCapture(device: monitor, format: format, options: options)
      let renderer = try AudioRenderer(device: sink, feed: RenderFeed(format: format), options: options)
      let starting = Task.detached {
        try capture.start()
        try renderer.start()
      }
      usleep(UInt32(delay * 300))
      renderer.stop()
      capture.stop()
      // Whoever came first: it is stopped.
      _ = await starting.result
    }
    waitUntil { (try? clients()) == before }
    #expect(try clients() == before)
  }
}
