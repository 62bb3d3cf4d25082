internal import ArgumentParser
internal import Lyrebird

/// Which sound of a file is read, and how: options of all verbs that decode.
struct SoundOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Number of the track. (default: the first audio track)", valueName: "n"))
  var track: UInt32?

  @Option(
    help: ArgumentHelp(
      """
      Read samples without a header: ENCODING:RATE:CHANNELS, such as s16le:44100:2. Encodings: u8, s8, ulaw, alaw, and \
      s16, s24, s32, f32, f64 with le or be.
      """, valueName: "format"),
    transform: RawPCMFormat.init(parsing:))
  var raw: RawPCMFormat?

  @Flag(help: "Decode only the AAC-LC core of HE-AAC: no high frequencies, and mono instead of parametric stereo.")
  var coreOnly = false

  func validate() throws {
    if track != nil, raw != nil {
      throw ValidationError("--track and --raw cannot be combined: samples have no tracks.")
    }
  }
}
