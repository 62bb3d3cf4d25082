internal import ArgumentParser
internal import Lyrebird

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "See it all work in ten seconds, without files, microphone or loudspeaker.",
    discussion: """
      Opens a built-in movie, four seconds of H.264 and AAC, lists and extracts its packets, and remuxes it. Then records \
      from a virtual microphone, plays to a virtual loudspeaker, and encodes and decodes synthetic music. Each result is \
      checked.

      The files go into a new folder in $TMPDIR, or /tmp, and stay there. The last lines say where they are and how to \
      remove them.

      EXAMPLES:
        lyrebird demo
        lyrebird demo --folder here
      """)

  @Option(help: "A new or empty folder for the files. (default: a new folder in $TMPDIR)", completion: .directory)
  var folder: String?

  @Flag(help: "Print the steps and checks as one JSON object.")
  var json = false

  @OptionGroup var messages: MessageOptions

  func run() throws {
    let clock = ContinuousClock.now
    if let folder {
      try OutputFile.checkIsNamed(folder)
      try DemoFolder.make(folder)
    }
    let folder = try folder ?? DemoFolder.makePrivate()
    let report = DemoReport(isJSON: json)
    try report.title("Lyrebird takes a movie apart, and checks each piece")
    try Demo(folder: folder, report: report).run()
    try report.title("Then it records, plays, encodes and decodes")
    try DemoSound(folder: folder, report: report).run()
    try report.end(folder: folder, seconds: (ContinuousClock.now - clock).seconds)
  }
}

/// The steps of the demo, each with what it checked.
private struct Demo {
  private let movieFile: String
  private let soundFile: String
  private let piecesFile: String
  private let wholeFile: String
  private let report: DemoReport
  private let bytes = PackageResources.demo_mp4

  init(folder: String, report: DemoReport) {
    movieFile = folder + "/demo.mp4"
    soundFile = folder + "/demo.aac"
    piecesFile = folder + "/fragments.mp4"
    wholeFile = folder + "/whole.mp4"
    self.report = report
  }

  func run() throws {
    let sink = try FileSink(path: movieFile)
    try sink.write(bytes)
    try sink.finish()
    let movie = try open()
    try walk(movie)
    try rebuildBoxes()
    try extract(movie)
    try remux(movie)
  }

  private func open() throws -> MP4Demuxer {
    let movie = try MP4Demuxer(path: movieFile)
    try report.step("open", "\(Text.bytes(movie.reader.size)), \(movie.layout.rawValue), \(Text.clock(movie.duration))")
    for track in movie.tracks {
      let codec = track.descriptions.first
      try report.detail(
        "track \(track.id): \(track.kind.word), \(codec?.codecName ?? "?") (\(codec?.codecString ?? "?"))")
    }
    for chapter in try movie.chapters() {
      try report.detail("chapter at \(Text.clock(chapter.start)): \(chapter.title)")
    }
    try report.check(movie.hasVideo && movie.hasAudio, "there are pictures and sound")
    return movie
  }

  /// Checks what must be true of every sample of every movie.
  private func walk(_ movie: MP4Demuxer) throws {
    var (count, bytes): (UInt64, UInt64) = (0, 0)
    var isContinuous = true
    for track in movie.tracks {
      var samples = movie.samples(of: track)
      var expected: Int64 = 0
      while let sample = try samples.nextRecord() {
        isContinuous = isContinuous && sample.decodeTime == expected
        expected = sample.decodeTime + sample.duration
        count += 1
        bytes += UInt64(sample.size)
      }
      isContinuous = isContinuous && expected == track.mediaDuration.value
    }
    try report.step("demux", "\(count) samples, \(Text.bytes(bytes))")
    try report.check(count == movie.tracks.reduce(0) { $0 + $1.sampleCount }, "each is inside the file")
    try report.check(isContinuous, "each begins when the one before it ends, and the last when its track does")
  }

  private func rebuildBoxes() throws {
    var parser = BoxParser(SourceReader(MemorySource(bytes)))
    let tree = try parser.nodes(from: 0, to: UInt64(bytes.count))
    var rebuilt: [UInt8] = []
    for node in tree.nodes { node.write(to: &rebuilt) }
    try report.step("boxes", "\(tree.nodes.reduce(0) { $0 + $1.count }) boxes read and written back")
    try report.check(rebuilt == bytes, "the result is the movie, byte for byte")
  }

  /// The ADTS file, read on its own, must hold what the movie holds.
  private func extract(_ movie: MP4Demuxer) throws {
    guard let track = movie.audioTrack else { return }
    let summary = try Extraction(movie, track: track, file: movieFile).run(to: try FileSink(path: soundFile))
    try report.step(
      "extract", "\(summary.packets) packets of AAC, \(Text.bytes(summary.bytes)) with their ADTS headers")
    var packets = movie.samples(of: track)
    var frames = try ADTSReader(SourceReader(try FileSource(path: soundFile)))
    var equal: UInt64 = 0
    while let packet = try packets.next(), let frame = try frames.next() {
      if try packet.payload.load() == frame.payload.load() { equal += 1 }
    }
    try report.check(equal == track.sampleCount, "each frame of the new file is its packet of the movie, byte for byte")
    let config = frames.track.audioFormat.flatMap { try? AudioSpecificConfig($0.decoderConfiguration) }
    let original = track.audioFormat.flatMap { try? AudioSpecificConfig($0.decoderConfiguration) }
    try report.check(
      config?.sampleRate == original?.sampleRate && config?.channels == original?.channels
        && config?.objectType == original?.objectType, "its headers say the same codec, rate and channels")
  }
}

extension Demo {
  /// Cut into fragments and put back together, the movie must be what it was.
  fileprivate func remux(_ movie: MP4Demuxer) throws {
    var options = Remuxer.Options()
    options.layout = .fragmented
    options.fragmentDuration = 1
    let pieces = try Remuxer(from: movie, to: piecesFile, options: options).run()
    options = Remuxer.Options()
    let whole = try Remuxer(from: try MP4Demuxer(path: piecesFile), to: wholeFile, options: options).run()
    try report.step("remux", "\(Text.bytes(pieces.bytes)) in fragments, \(Text.bytes(whole.bytes)) whole again")
    let again = try MP4Demuxer(path: wholeFile)
    var isSame = again.tracks.count == movie.tracks.count
    for (old, new) in zip(movie.tracks, again.tracks) {
      isSame = try isSame && old.edits == new.edits && same(movie.samples(of: old), again.samples(of: new))
    }
    try report.check(isSame, "every sample, time and edit is what it was")
  }
}

/// Whether two readers deliver the same samples: times, flags and data.
private func same(_ first: SampleReader, _ second: SampleReader) throws -> Bool {
  var (first, second) = (first, second)
  while let sample = try first.next() {
    guard let other = try second.next(), sample.timing == other.timing, sample.isSync == other.isSync,
      try sample.payload.load() == other.payload.load()
    else { return false }
  }
  return try second.nextRecord() == nil
}

extension BoxNode {
  /// Boxes in this one, itself included.
  fileprivate var count: Int { children.reduce(1) { $0 + $1.count } }
}
