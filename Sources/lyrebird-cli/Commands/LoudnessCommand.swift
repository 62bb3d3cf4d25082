internal import ArgumentParser
internal import Lyrebird

struct LoudnessCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "loudness",
    abstract: "Measure how loud sound is, and how high its peaks are.",
    discussion: """
      Reads the sound of movies, streams of AAC, and PCM. Prints for each file the integrated loudness in \
      LUFS, its range in LU, the loudest 400 ms and 3 s, and the true peak in dBTP, as ITU-R BS.1770-5 and EBU R 128 \
      define them. Streaming services want -14 to -16 LUFS, broadcasters -23.

      EXAMPLES:
        lyrebird loudness song.m4a
        lyrebird loudness *.wav --json | jq '.integrated'
      """)

  @Argument(help: "The files to read; - for standard input.", completion: .file())
  var files: [String]

  @Flag(help: "Print one JSON object per line, one for each file.")
  var json = false

  @OptionGroup var soundOptions: SoundOptions

  @OptionGroup var messages: MessageOptions

  func run() throws {
    let output = Output()
    var first: Failure?
    for file in files {
      // Of each file anew: only a pipe is ended by a signal, and results of other files may have been printed.
      Interrupt.endInputOnly(false)
      Interrupt.note(leftBehind: "not all was measured")
      let measured: LoudnessMeter
      do {
        measured = try measure(file)
      } catch  where files.count > 1 && !Interrupt.endsWork {
        // One bad file does not keep the others from being measured; the status tells.
        let failure = error as? Failure ?? (error as? any MediaError).map { Failure($0, file: file) }
        guard let failure else { throw error }
        Messages.error(failure.description)
        first = first ?? failure
        continue
      }
      if json {
        try output.line(LoudnessCommand.object(measured, file: file).text)
      } else {
        try output.line(Text.printable("\(file): \(LoudnessCommand.text(measured))", onOneLine: true))
      }
      StatusLine.clear()
      try output.flush()
      try Interrupt.checkFinished("the result")
    }
    if let first { throw ExitCode(first.status.rawValue) }
  }

  private func measure(_ file: String) throws -> LoudnessMeter {
    do {
      return try Measuring.run(try AudioReader.open(file, soundOptions, finishesInput: true), file: file)
    } catch let error as AudioDecodingError {
      throw Failure(error, file: file)
    } catch let error as ConversionError {
      throw Failure(status: .badData, error.message(file: file))
    }
  }

  /// The highest of all channels.
  private static func highest(_ peaks: [Double?]) -> Double? { peaks.compactMap { $0 }.max() }

  static func text(_ meter: LoudnessMeter) -> String {
    func number(_ value: Double) -> String { Text.decimals(value, 1, isPadded: true) }
    var parts: [String] = []
    if let loudness = meter.integrated { parts.append("\(number(loudness)) LUFS") }
    if let range = meter.range { parts.append("range \(number(range)) LU") }
    if let loudness = meter.momentaryMaximum { parts.append("loudest 400 ms \(number(loudness)) LUFS") }
    if let loudness = meter.shortTermMaximum { parts.append("loudest 3 s \(number(loudness)) LUFS") }
    if let peak = highest(meter.truePeaks) { parts.append("true peak \(number(peak)) dBTP") }
    return parts.isEmpty ? "silent" : Text.list(parts)
  }

  static func object(_ meter: LoudnessMeter, file: String) -> JSONObject {
    var object = JSONObject()
    object.add("file", file)
    func add(_ name: String, _ value: Double?) {
      if let value { object.add(name, value) } else { object.addNull(name) }
    }
    add("integrated", meter.integrated)
    add("range", meter.range)
    add("momentary_maximum", meter.momentaryMaximum)
    add("short_term_maximum", meter.shortTermMaximum)
    add("true_peak", highest(meter.truePeaks))
    add("sample_peak", highest(meter.samplePeaks))
    return object
  }
}
