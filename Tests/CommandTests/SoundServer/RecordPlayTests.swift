import Foundation
import MediaCore
import TestSupport
import Testing

/// `record` and `play` as a person uses them: with a sound server that may die, signals, and a disk that is full.
@Suite(.alone) struct RecordPlayTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func start(_ arguments: String..., server: PulseServer? = nil) throws -> BackgroundProcess {
    var environment = ProcessInfo.processInfo.environment
    environment["PULSE_SERVER"] = server?.address ?? "unix:/nonexistent"
    return try BackgroundProcess(Command.path, arguments, environment: environment)
  }

  private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder.path(name)) }

  /// The samples of a file as ffmpeg decodes it, interleaved; fails the test where ffmpeg finds anything wrong.
  private func decoded(_ path: String, channels: Int = 2) throws -> [Int16] {
    let result = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-f", "s16le", "-ac", "\(channels)", "-"])
    #expect(result.errors.isEmpty, "\(result.errors)")
    return unsafe result.output.withUnsafeBytes { unsafe Array($0.bindMemory(to: Int16.self)) }
  }

  private func size(_ name: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: folder.path(name))[.size] as? Int) ?? 0
  }

  @Test(
    "what is played into a sink and recorded from its monitor is what decode gives, bit for bit",
    .needs(.soundServer, .ffmpeg))
  func exact() throws { try checkExact(seconds: 2) }

  @Test(
    "so it is of a minute, without a gap",
    .needs(.patience, .soundServer))
  func exactMinute() throws { try checkExact(seconds: 60) }

  private func checkExact(seconds: Int) throws {
    let song = folder.path("song.m4a")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "anoisesrc=d=\(seconds):seed=3:a=0.3:r=48000", "-ac", "2", "-c:a", "aac", "-b:a", "128k",
      song,
    ])
    #expect(try Command.run("decode", song, folder.path("song.wav")).status == 0)
    let expected = try decoded(folder.path("song.wav"))
    #expect(expected.count > seconds * 95_000)
    let (passage, verdict) = try RealTime.measure(
      "from play to record", { Passage(sent: expected, heard: try heard(song, seconds: seconds)) }, isGood: \.isExact)
    #expect(passage.foreign == nil && passage.lost < expected.count / 2, "\(passage)")
    #expect(verdict != .bad, "\(passage)")
  }

  /// What is recorded while a song is played.
  private func heard(_ song: String, seconds: Int) throws -> [Int16] {
    let server = try PulseServer()
    _ = try server.addSink("usual")
    try? FileManager.default.removeItem(atPath: folder.path("heard.wav"))
    let recording = try start("record", folder.path("heard.wav"), "--device", "usual.monitor", server: server)
    #expect(waitUntil(seconds: 30) { size("heard.recording.wav") > 100_000 }, "\(recording.errors)")
    let playing = try start("play", song, "--device", "usual", server: server)
    #expect(playing.wait(seconds: Double(seconds) + 60) == 0, "\(playing.errors)")
    #expect(
      playing.errors.contains(String(format: "played up to %d:%02d.000", seconds / 60, seconds % 60)),
      "\(playing.errors)")
    // What was heard last is on its way to the file.
    let soFar = size("heard.recording.wav")
    waitUntil { size("heard.recording.wav") > soFar + 100_000 }
    recording.send(SIGINT)
    #expect(recording.wait() == 0, "\(recording.errors)")
    return try decoded(folder.path("heard.wav"))
  }

  @Test(
    "a server that dies in the middle of a recording leaves a whole file, and status 69",
    .needs(.soundServer), arguments: ["m4a", "wav"])
  func serverDies(ending: String) throws {
    let server = try PulseServer()
    let recording = try start("record", folder.path("a." + ending), "--device", "lyre.monitor", server: server)
    #expect(waitUntil(seconds: 30) { size("a.recording." + ending) > (ending == "wav" ? 300_000 : 203_000) })
    server.kill()
    #expect(recording.wait() == 69)
    #expect(recording.errors.contains("the sound server went away"))
    #expect(try decoded(folder.path("a." + ending)).count > 2 * 24_000)
    #expect(!exists("a.recording." + ending))
  }

  @Test(
    "a sink that goes away ends recording and playing with status 69, and the recording is whole",
    .needs(.soundServer))
  func sinkDies() throws {
    let server = try PulseServer()
    let module = try server.addSink("usb")
    try MadeMedia.make(["-f", "lavfi", "-i", "sine=440:d=20", folder.path("song.m4a")])
    let recording = try start("record", folder.path("a.wav"), "--device", "usb.monitor", server: server)
    let playing = try start("play", folder.path("song.m4a"), "--device", "usb", server: server)
    #expect(waitUntil(seconds: 30) { size("a.recording.wav") > 75_000 * server.kind.sampleFormat.bitDepth / 8 })
    try server.tell("unload-module", module)
    #expect(recording.wait() == 69)
    #expect(playing.wait() == 69)
    #expect(recording.errors.contains("usb.monitor: the device went away; "), "\(recording.errors)")
    #expect(recording.errors.contains("a.wav holds what was recorded until then, 0:0"), "\(recording.errors)")
    #expect(playing.errors.contains("usb: the device went away"))
    #expect(try decoded(folder.path("a.wav")).count > 2 * 30_000)
  }

  @Test(
    "a tone that is recorded is a tone of its frequency, to the packet as long as it should be",
    .needs(.ffmpeg), arguments: ["m4a", "aac", "wav"])
  func tone(ending: String) throws {
    let path = folder.path("tone." + ending)
    let result = try Command.run("record", path, "--device", "tone:440", "--duration", "1.5", "--json")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("\"frames\":66150,"))
    let tone = try checkedTone(path, frames: 66_150, rate: 44_100)
    #expect(abs(tone.whole - 440) < 0.05, "\(tone.whole) Hz")
  }

  @Test(
    "a tone that is recorded through a sound server is as long, and of its frequency",
    .needs(.soundServer, .ffmpeg))
  func toneThroughServer() throws {
    let server = try PulseServer()
    let song = folder.path("song.m4a")
    try MadeMedia.make(["-f", "lavfi", "-i", "sine=440:d=120:r=48000", "-ac", "2", "-c:a", "aac", song])
    let playing = try start("play", song, "--device", "lyre", server: server)
    // Heard for a second: by then the sink has settled.
    #expect(waitUntil(seconds: 30) { (try? server.tell("list", "short", "sink-inputs").isEmpty) == false })
    usleep(1_000_000)
    let endings = ["m4a", "aac", "wav"]
    let (tones, verdict) = try RealTime.measure(
      "tones through a sound server",
      {
        let recordings = try endings.map { ending in
          try start(
            "record", folder.path("heard." + ending), "--device", "lyre.monitor", "--duration", "1.5", server: server)
        }
        for recording in recordings { #expect(recording.wait(seconds: 60) == 0, "\(recording.errors)") }
        return try endings.map { try checkedTone(folder.path("heard." + $0), frames: 72_000, rate: 48_000) }
      }, isGood: { $0.allSatisfy { abs($0.whole - 440) < 0.05 } })
    playing.end()
    // A server that does not get to run in time leaves gaps. The tenths without a gap have the frequency; at a wrong
    // speed none would.
    let areRight = tones.allSatisfy { $0.tenths.contains { abs($0 - 440) < 0.5 } }
    #expect(verdict == .good || (verdict == .excused && areRight), "\(tones)")
  }

  /// Frequencies in Hz: of the whole second in the middle of a recording, and of its tenths in order of size.
  private typealias Tone = (whole: Double, tenths: [Double])

  /// Checks the length of a recording, and measures the frequency of the tone in it, as ffmpeg decodes it.
  private func checkedTone(_ path: String, frames: Int, rate: Double) throws -> Tone {
    let samples = try decoded(path, channels: 1)
    // What ffmpeg gives beyond what was captured: the padding of the last packet, and of .aac, which cannot say that it
    // is none of the sound, the packet of priming in front.
    let excess = samples.count - frames - (path.hasSuffix("aac") ? 1024 : 0)
    #expect(path.hasSuffix("wav") ? excess == 0 : (0..<1024).contains(excess), "\(excess) frames too many")
    let middle = samples[10_000..<54_100].map { Double($0) }
    let tenths = (0..<10).map { frequency(Array(middle[($0 * 4410)..<(($0 + 1) * 4410)]), rate: rate) }.sorted()
    return (frequency(middle, rate: rate), tenths)
  }

  /// From the first crossing of zero upwards to the last.
  private func frequency(_ samples: [Double], rate: Double) -> Double {
    var crossings: [Double] = []
    for index in samples.indices.dropFirst() where samples[index - 1] < 0 && samples[index] >= 0 {
      crossings.append(Double(index) - samples[index] / (samples[index] - samples[index - 1]))
    }
    guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
    return Double(crossings.count - 1) / (last - first) * rate
  }

  @Test(
    "recordings that are killed play, with all that was seen of them before, and lack a second at most",
    .needs(.ffmpeg))
  func killed() throws {
    let (lacks, verdict) = try RealTime.measure(
      "seconds that a killed recording lacks", stall: .milliseconds(100), { try lacksOfKilled() },
      isGood: { $0.allSatisfy { $0 <= 1 } })
    #expect(verdict != .bad, "\(lacks) s")
    let again = try Command.run("record", folder.path("3.m4a"), "--device", "tone:440", "--duration", "0.1")
    #expect(again.status == 73)
    #expect(again.errors.contains("an interrupted recording of this name still exists"))
  }

  /// Kills four recordings, and checks that what there is of them plays.
  ///
  /// - Returns: how many seconds each lacks of those that went on for more than one.
  private func lacksOfKilled() throws -> [Double] {
    for number in 0..<4 { try? FileManager.default.removeItem(atPath: folder.path("\(number).recording.m4a")) }
    var noise = Noise(seed: 11)
    let recordings = try (0..<4).map { number in
      // Light work: unoptimised, four encoders at once may not keep up with their devices.
      let path = folder.path("\(number).m4a")
      let process = try start("record", path, "--device", "tone:440", "--rate", "22050", "--channels", "1")
      return (number: number, process: process)
    }
    for recording in recordings {
      // Room for the index in front, and then sound.
      try #require(
        waitUntil(seconds: 30) { size("\(recording.number).recording.m4a") > 18_000 }, "no recording was seen")
    }
    let begun = Date()
    var lacks: [Double] = []
    for (number, process) in recordings {
      let (path, copy) = (folder.path("\(number).recording.m4a"), folder.path("\(number).seen.m4a"))
      usleep(UInt32.random(in: 300_000...700_000, using: &noise))
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      process.send(SIGKILL)
      let elapsed = Date().timeIntervalSince(begun)
      #expect(process.wait() == 128 + SIGKILL)
      let seen = try Tool.ffmpeg.run(["-v", "quiet", "-i", copy, "-f", "s16le", "-ac", "1", "-"]).output.count / 2
      let frames = try decoded(path, channels: 1).count
      #expect(seen > 0 && frames >= seen, "\(frames) of \(seen) frames")
      if elapsed > 1 { lacks.append(elapsed - Double(frames) / 22_050) }
      let ours = try Command.run("decode", path, folder.path("\(number).wav"))
      #expect(ours.status == 0, "\(ours.errors)")
    }
    // The last two at least, whatever the noise says.
    #expect(lacks.count >= 2)
    return lacks
  }

  @Test(
    "Ctrl-C, kill and a closed terminal finish the file, and Ctrl-C is no failure",
    .needs(.ffmpeg),
    arguments: [(SIGINT, 0), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func signals(signal: Int32, status: Int32) throws {
    let recording = try start("record", folder.path("a.m4a"), "--device", "tone:440")
    #expect(waitUntil(seconds: 30) { exists("a.recording.m4a") })
    usleep(700_000)
    recording.send(signal)
    // Who closes a terminal is told of it twice, by the kernel and by the shell.
    if signal == SIGHUP { recording.send(signal) }
    #expect(recording.wait() == status)
    // On a busy machine the device may have come late.
    #expect(try decoded(folder.path("a.m4a")).count > 2 * (RealTime.isStrict ? 22_050 : 4410))
    #expect(!exists("a.recording.m4a"))
  }

  /// Starts a recording of a tone that may write so many kilobytes: a limit on the size of files says the same as a
  /// full disk does, once its signal is ignored.
  private func startLimited(_ name: String, kilobytes: Int) throws -> BackgroundProcess {
    let words = "'\(Command.path)' record '\(folder.path(name))' --device tone:440"
    return try BackgroundProcess("/bin/bash", ["-c", "trap '' XFSZ; ulimit -f \(kilobytes); exec \(words)"])
  }

  @Test(
    "when the disk is full the recording up to then gets its name, and the status is 74",
    .needs(.ffmpeg), arguments: ["m4a", "aac", "wav"])
  func diskFull(ending: String) throws {
    let recording = try startLimited("a." + ending, kilobytes: ending == "aac" ? 12 : 205)
    #expect(recording.wait() == 74, "\(recording.errors)")
    #expect(
      recording.errors.contains("a.\(ending): the recording ended early: write failed: File too large; the file holds"))
    #expect(!exists("a.recording." + ending))
    #expect(try decoded(folder.path("a." + ending)).count > 2 * 22_050)
  }

  @Test(
    "when the disk is full an older file stays, and what was recorded is where the error says",
    .needs(.ffmpeg), arguments: ["m4a", "wav"])
  func diskFullOlderFile(ending: String) throws {
    let (path, kept) = (folder.path("a." + ending), folder.path("a.recording." + ending))
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    let recording = try startLimited("a." + ending, kilobytes: 205)
    #expect(recording.wait() == 74, "\(recording.errors)")
    #expect(
      recording.errors.contains(
        "not finished, and nothing replaced: write failed: File too large; what was recorded is in \(kept)"),
      "\(recording.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("old".utf8))
    #expect(try decoded(kept).count > 2 * 22_050)
  }

  @Test("where nothing at all can be written nothing is left that would be in the way", arguments: ["m4a", "wav"])
  func diskFullAtOnce(ending: String) throws {
    try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path("a." + ending)))
    let recording = try startLimited("a." + ending, kilobytes: 1)
    #expect(recording.wait() == 74, "\(recording.errors)")
    #expect(recording.errors.contains("File too large"), "\(recording.errors)")
    #expect(!exists("a.recording." + ending))
    #expect(size("a." + ending) == 3)
    let again = try Command.run("record", folder.path("a." + ending), "--device", "tone:440", "--duration", "0.1")
    #expect(again.status == 0, "\(again.errors)")
  }

  @Test("without a sound server recording and playing say so, with status 69, and leave no file")
  func noServer() throws {
    let recording = try start("record", folder.path("a.wav"))
    #expect(recording.wait() == 69)
    #expect(recording.errors.contains("no sound server"))
    let playing = try start("play", Demo.path)
    #expect(playing.wait() == 69)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  @Test("a WAVE file is played as it is, and has no tracks")
  func playsWAVE() throws {
    let (input, output) = (folder.path("in.wav"), folder.path("out.wav"))
    #expect(try Command.run("record", input, "--device", "tone:440", "--duration", "0.3").status == 0)
    let result = try Command.run("play", input, "--device", "file:" + output)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("played up to 0:00.300"))
    // The device is there a moment before the first frame.
    #expect(Array(try bytes(output).drop { $0 == 0 }) == Array(try bytes(input).drop { $0 == 0 }))
    #expect(try Command.run("play", input, "--track", "1").status == 65)
    let cut = folder.path("cut.wav")
    try Data(contentsOf: URL(fileURLWithPath: input)).dropLast(10_000).write(to: URL(fileURLWithPath: cut))
    for words in [["play", cut, "--device", "null"], ["encode", cut, folder.path("cut.m4a")]] {
      let result = try Tool.run(Command.path, words)
      #expect(
        result.status == 0 && result.errors.contains("cut.wav: cut short: 10 kB are missing at its end"),
        "\(result.errors)")
    }
  }

  /// The samples of a WAVE file made by us, after its header of 80 bytes.
  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)).dropFirst(80) }

  @Test("devices are listed, the default ones marked", .needs(.soundServer))
  func devices() throws {
    let server = try PulseServer()
    let text = try start("devices", server: server)
    #expect(text.wait() == 0)
    #expect(text.output.contains("  * lyre.monitor\n") && text.output.contains("  * lyre\n"))
    #expect(text.output.contains("48 kHz, stereo, \(server.kind == .pipeWire ? "float" : "16 bit")"))
    let json = try start("devices", "--json", server: server)
    #expect(json.wait() == 0)
    #expect(json.output.split(separator: "\n").count == 4)
    #expect(json.output.contains(#""id":"lyre","#) && json.output.contains(#""default":true"#))
  }

  @Test("without a sound server the virtual devices are listed, and its absence is said on standard error")
  func virtualDevices() throws {
    let text = try start("devices")
    #expect(text.wait() == 0, "\(text.errors)")
    for id in ["tone:440", "file:IN.wav", "null", "file:OUT.wav"] { #expect(text.output.contains("    \(id)\n")) }
    #expect(text.errors.contains("no sound server") && text.errors.split(separator: "\n").count == 1)
    let json = try start("devices", "--json", "--quiet")
    #expect(json.wait() == 0 && json.errors.isEmpty)
    for line in json.output.split(separator: "\n") {
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(object["virtual"] as? Bool == true && object["sample_rate"] as? Int == 44_100)
      // What is listed can be used.
      let id = try #require(object["id"] as? String)
      if object["direction"] as? String == "capture" {
        #expect(try Command.run("record", folder.path("a.wav"), "--device", id, "--duration", "0.1").status == 0)
      } else {
        #expect(try Command.run("play", folder.path("a.wav"), "--device", id).status == 0)
      }
    }
  }

  @Test("--start beyond the end is told, with status 64, whether or not the file says how long it is")
  func startBeyondTheEnd() throws {
    let wav = folder.path("a.wav")
    #expect(try Command.run("record", wav, "--device", "tone:440", "--duration", "0.3").status == 0)
    for (file, start) in [(wav, "0.3"), (wav, "1:00:00"), (Demo.path, "4"), (try Demo.stream(folder), "0:05")] {
      let result = try Command.run("play", file, "--device", "null", "--start", start)
      #expect(result.status == 64, "\(file) \(start)")
      #expect(
        result.errors.contains("is at or after the end") && !result.errors.contains("played up to"), "\(result.errors)")
    }
    let result = try Command.run("play", wav, "--device", "null", "--start", "0.25")
    #expect(result.status == 0 && result.errors.contains("played up to 0:00.300"), "\(result.errors)")
  }
}
