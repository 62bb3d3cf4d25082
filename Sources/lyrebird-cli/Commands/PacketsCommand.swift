internal import ArgumentParser
internal import Lyrebird

struct PacketsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "packets",
    abstract: "List every sample of a file: times, size, offset.",
    discussion: """
      Times are in ticks of the track's media timescale, without edit lists; offsets count from the start of the \
      file. Samples are listed track by track, in decoding order; QuickTime's PCM is listed in pieces of up to a \
      chunk. Packets in LOAS may begin in the middle of a byte: the offset is that of the frame around them. Reads \
      MP4, MOV, M4A, 3GP, ADTS (.aac) and LOAS.

      EXAMPLES:
        lyrebird packets movie.mp4 | head
        lyrebird packets movie.mp4 --track 2 --json | jq .size
      """)

  @Argument(help: "The file to read; - for standard input.", completion: .file())
  var file: String

  @Option(help: ArgumentHelp("Only the track with this number.", valueName: "n"))
  var track: UInt32?

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var messages: MessageOptions

  func run() throws {
    var list = PacketList(isJSON: json)
    switch try MediaInput(try InputFile.reader(file, finishesInput: true)) {
    case .movie(let movie): try list.print(movie, only: track, file: file)
    case .stream(let reader): try list.print(reader, only: track, file: file)
    case .pcm: throw Failure.hasNoPackets(file)
    }
    try Interrupt.checkFinished("standard output")
  }
}

/// Prints samples, one per line.
private struct PacketList {
  private let output = Output()
  private let isJSON: Bool
  private var printed: UInt64 = 0

  init(isJSON: Bool) {
    self.isJSON = isJSON
  }

  /// All tracks, or one. Intact samples are printed, whatever is wrong with the rest.
  mutating func print(_ movie: MP4Demuxer, only id: UInt32?, file: String) throws {
    movie.reportIssues(file: file)
    let tracks = try id.map { [try movie.requiredTrack($0, file: file)] } ?? movie.tracks
    try printHeading()
    var failure: MP4Error?
    for track in tracks {
      if movie.isExternal(track) {
        Messages.warning("\(file): track \(track.id): its samples are in another file, where its offsets count")
      }
      var samples = movie.samples(of: track)
      while let record = try next(&samples, &failure) { try print(record, track: track.id) }
    }
    try output.flush()
    if let failure { throw failure }
  }

  private func next(_ samples: inout SampleReader, _ failure: inout MP4Error?) throws -> SampleRecord? {
    do throws(MP4Error) {
      return try samples.nextRecord()
    } catch {
      failure = failure ?? error
      return nil
    }
  }

  mutating func print(_ stream: AACStream, only id: UInt32?, file: String) throws {
    guard id ?? 1 == 1 else {
      throw Failure(status: .badData, "\(InputFile.name(file)): no track \(id ?? 0); an AAC stream has only track 1")
    }
    try printHeading()
    var stream = stream
    var number: UInt64 = 0
    while let sample = try stream.next() {
      var offset = stream.loas?.frameOffset ?? 0
      if case .range(_, let place, _) = sample.payload { offset = place }
      let record = SampleRecord(
        number: number, offset: offset, size: sample.payload.count, decodeTime: sample.timing.decodeTime,
        presentationTime: sample.timing.presentationTime, duration: sample.timing.duration, isSync: sample.isSync,
        descriptionIndex: sample.descriptionIndex)
      number += 1
      try print(record, track: 1)
    }
    try output.flush()
    stream.warn(file: file)
  }

  private func printHeading() throws {
    if !isJSON { try output.line("track         dts         pts  duration      size        offset  sync") }
  }

  private mutating func print(_ record: SampleRecord, track: UInt32) throws {
    printed += 1
    if printed.isMultiple(of: 4096) { try Interrupt.check() }
    try output.line { line in
      if isJSON {
        PacketList.appendJSON(record, track, to: &line)
      } else {
        PacketList.appendText(record, track, to: &line)
      }
    }
  }

  private static func appendText(_ record: SampleRecord, _ track: UInt32, to line: inout [UInt8]) {
    line.appendDecimal(Int64(track), width: 5)
    line.appendDecimal(record.decodeTime, width: 12)
    line.appendDecimal(record.presentationTime, width: 12)
    line.appendDecimal(record.duration, width: 10)
    line.appendDecimal(Int64(record.size), width: 10)
    line.appendDecimal(Int64(clamping: record.offset), width: 14)
    if record.isSync { line.append(contentsOf: "  sync".utf8) }
  }

  private static func appendJSON(_ record: SampleRecord, _ track: UInt32, to line: inout [UInt8]) {
    line.append("{\"track\":", Int64(track))
    line.append(",\"dts\":", record.decodeTime)
    line.append(",\"pts\":", record.presentationTime)
    line.append(",\"duration\":", record.duration)
    line.append(",\"size\":", Int64(record.size))
    line.append(",\"offset\":", Int64(clamping: record.offset))
    line.append(contentsOf: (record.isSync ? ",\"sync\":true}" : ",\"sync\":false}").utf8)
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ name: StaticString, _ value: Int64) {
    // A literal lives as long as the program, and has as many bytes as it claims.
    unsafe append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    appendDecimal(value)
  }
}
