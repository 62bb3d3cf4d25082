import AudioIO
import Foundation
import MediaCore
import TestSupport
import Testing

/// What the owner of a device gets to know, and asks for, at its beginning and its end.
extension PulseTests {
  /// A feed that holds three seconds, none of them silent.
  private func sound() throws -> RenderFeed {
    let feed = RenderFeed(format: format, capacity: .seconds(3))
    let sound = PCMBuffer([Int16](repeating: 1, count: 288_000), sampleRate: 48_000, layout: .stereo)
    #expect(try feed.write(sound) == .written)
    return feed
  }

  @Test("a renderer whose server dies, or that is stopped, is over, and what was heard last stays known")
  func overAtTheEnd() throws {
    let stopped = try AudioRenderer(device: sink, feed: sound(), options: options)
    let renderer = try AudioRenderer(device: sink, feed: sound(), options: options)
    for each in [stopped, renderer] { try each.start() }
    #expect(waitUntil { stopped.position >= 9600 && renderer.position >= 9600 })
    #expect(!stopped.isOver && !renderer.isOver)
    stopped.stop()
    #expect(stopped.isOver && stopped.failure == nil)
    #expect((9600..<144_000).contains(stopped.position))
    server.kill()
    #expect(waitUntil { renderer.failure != nil })
    #expect(renderer.isOver)
    #expect((9600..<144_000).contains(renderer.position))
    renderer.stop()
    #expect((9600..<144_000).contains(renderer.position))
  }

  @Test("a renderer that is paused before it starts holds its sound until it is resumed")
  func pausedBefore() throws {
    let renderer = try AudioRenderer(device: sink, feed: sound(), options: options)
    renderer.setPaused(true)
    try renderer.start()
    usleep(500_000)
    #expect(renderer.position == 0)
    renderer.setPaused(false)
    #expect(waitUntil { renderer.position >= 9600 })
    renderer.stop()
  }

  @Test("a loudspeaker as a microphone, and a microphone as a loudspeaker, are errors that say so")
  func wrongDirection() throws {
    let noMicrophone = AudioIOError(.wrongDirection(.playback), device: "lyre")
    #expect(audioError { _ = try AudioCapture(device: sink, options: options) } == noMicrophone)
    #expect(noMicrophone.description.contains("cannot record"))
    let noLoudspeaker = AudioIOError(.wrongDirection(.capture), device: "lyre.monitor")
    let renderer = try AudioRenderer(device: monitor, feed: RenderFeed(format: format), options: options)
    #expect(audioError { try renderer.start() } == noLoudspeaker)
    #expect(noLoudspeaker.description.contains("cannot play"))
  }

  @Test("the server knows the program by its own name")
  func programName() throws {
    let capture = try AudioCapture(device: monitor, options: options)
    try capture.start()
    let words = try #require(try Data(contentsOf: URL(fileURLWithPath: "/proc/self/cmdline")).split(separator: 0).first)
    let name = URL(fileURLWithPath: String(decoding: words, as: UTF8.self)).lastPathComponent
    let clients = try server.tell("list", "clients")
    #expect(clients.contains("application.name = \"\(name)\""), "\(clients)")
    capture.stop()
  }
}
