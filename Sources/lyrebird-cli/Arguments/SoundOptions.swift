internal import ArgumentParser
internal import Lyrebird

/// Which sound of a file is read, and how: options of all verbs that decode.
struct SoundOptions: ParsableArguments {
  @Option(help: "Number of the track. (default: the first audio track)")
  var track: UInt32?

  @Option(
    help: ArgumentHelp(
      "Read samples without a header: encoding, rate and channels, such as s16le:44100:2.", valueName: "format"),
    transform: RawPCMFormat.init(parsing:))
  var raw: RawPCMFormat?

  @Flag(help: "Decode only the AAC-LC core of HE-AAC: no upper frequencies, and mono with PS.")
  var coreOnly = false

  func validate() throws {
    if track != nil, raw != nil {
      throw ValidationError("--track and --raw exclude each other: samples have no tracks.")
    }
  }
}
