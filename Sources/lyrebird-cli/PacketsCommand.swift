internal import ArgumentParser
internal import Lyrebird

struct PacketsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "packets",
    abstract: "List every sample of a file: times, size, place.",
    discussion: """
      Times are in ticks of the track's media timescale, edit lists not applied; offsets count from the start of the \
      file. Samples come track by track, in decoding order. Works on MP4 and its kin, and on ADTS (.aac).

      EXAMPLES:
        lyrebird packets movie.mp4 | head
        lyrebird packets movie.mp4 --track 2 --json | jq .size
      """)

  @Argument(help: "The file to read.", completion: .file())
  var file: String

  @Option(help: "Only the track with this number.")
  var track: UInt32?

  @Flag(help: "One JSON object a line.")
  var json = false

  func run() throws {
    let movie = try MP4Demuxer(path: file)
    let output = Output()
    var firstFailure: MP4Error?
    for track in movie.tracks {
      var samples = movie.samples(of: track)
      do throws(MP4Error) {
        while let record = try samples.nextRecord() {
          try! output.line { PacketsCommand.appendJSON(record, track: track.id, to: &$0) }
        }
      } catch {
        firstFailure = firstFailure ?? error
      }
    }
    try output.flush()
    if let firstFailure { throw firstFailure }
  }

  private static func appendJSON(_ record: SampleRecord, track: UInt32, to line: inout [UInt8]) {
    func add(_ name: StaticString, _ value: Int64) {
      line.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
      line.appendDecimal(value)
    }
    add("{\"track\":", Int64(track))
    add(",\"dts\":", record.decodeTime)
    add(",\"pts\":", record.presentationTime)
    add(",\"duration\":", record.duration)
    add(",\"size\":", Int64(record.size))
    add(",\"offset\":", Int64(clamping: record.offset))
    line.append(contentsOf: (record.isSync ? ",\"sync\":true}" : ",\"sync\":false}").utf8)
  }
}
