/// The kinds of files that a verb writes, recognized by their names.
struct OutputKinds {
  /// The verb.
  let verb: String
  /// File extensions of what the verb writes.
  private let endings: [String]
  /// Whether the verb writes several kinds, so that a name has to select one.
  private var needsEnding = false
  /// The extensions in words, for messages.
  private let description: String

  static let extract = OutputKinds(verb: "extract", endings: adts, description: ".aac or .adts (a stream of AAC)")
  static let encode = OutputKinds(
    verb: "encode", endings: adts + movieOfSound, needsEnding: true,
    description: ".m4a, .m4b, .mp4 or .mov (a movie), or .aac (a stream)")
  static let decode = OutputKinds(verb: "decode", endings: wave, description: ".wav")
  static let decodeSamples = OutputKinds(
    verb: "decode --no-header", endings: ["raw", "pcm", "s16", "f32"], description: ".raw or .pcm (samples only)")
  static let remux = movies("remux")
  static let cut = movies("cut")
  static let join = movies("join")
  static let split = movies("split")

  private static func movies(_ verb: String) -> OutputKinds {
    OutputKinds(
      verb: verb, endings: movieOfSound + movie, description: ".mp4, .m4a, .m4v, .mov, .3gp or another name of a movie")
  }

  static let repair = OutputKinds(
    verb: "repair", endings: movieOfSound + movie, description: ".mp4, .m4a, .mov or another name of a movie")

  static let chapters = OutputKinds(
    verb: "chapters --export", endings: ["txt", "chapters", "ffmetadata", "ffmeta", "ini", "vtt", "json"],
    description: ".txt, .ffmetadata, .vtt or .json")

  static let waveform = OutputKinds(
    verb: "waveform", endings: waveforms, needsEnding: true,
    description: ".json or .dat (data), or .svg or .png (a picture)")
  /// Where an option says which of them it is.
  static let namedWaveform = OutputKinds(
    verb: "waveform", endings: waveforms, description: ".json or .dat (data), or .svg or .png (a picture)")
  private static let waveforms = ["json", "dat", "png", "svg"]

  private static let adts = ["aac", "adts"]
  private static let movieOfSound = ["m4a", "m4b", "mp4", "mov"]
  /// Files built of boxes as MP4 is.
  private static let movie = [
    "m4v", "m4r", "m4p", "m4s", "mp4a", "mp4v", "qt", "3gp", "3gpp", "3g2", "3gp2", "f4v", "f4a", "f4b", "f4p", "ismv",
    "isma", "cmfv", "cmfa", "cmft", "cmfm", "dash", "mj2", "mjp2", "heic", "heics", "heif", "heifs", "avif", "avifs",
    "hif", "insv", "lrv", "mqv", "aax", "aaxc", "uvu", "dcf",
  ]
  /// Extensions of files that none of the verbs write. An extension in no list means nothing.
  private static let others = [
    "mp3", "mp2", "mp1", "mpa", "ogg", "oga", "ogv", "ogx", "opus", "spx", "flac", "fla", "wma", "wmv", "asf", "webm",
    "weba", "mkv", "mka", "mks", "mk3d", "avi", "divx", "flv", "ts", "mts", "m2ts", "m2t", "mpg", "mpeg", "mpe", "m1v",
    "m2v", "vob", "evo", "ps", "ac3", "eac3", "ec3", "ac4", "dts", "dtshd", "thd", "truehd", "mlp", "loas", "latm",
    "xhe", "usac", "aif", "aiff", "aifc", "caf", "au", "snd", "raw", "pcm", "s16", "f32", "w64", "sf", "voc", "amr",
    "awb", "gsm", "ape", "wv", "tta", "tak", "shn", "mpc", "mp+", "ra", "rm", "rmvb", "mid", "midi", "kar", "mxf",
    "gxf",
    "lxf", "nut", "ivf", "obu", "h264", "264", "avc", "h265", "265", "hevc", "vvc", "266", "y4m", "yuv", "dv", "dif",
    "swf", "gif", "apng", "png", "jpg", "jpeg", "jxl", "webp", "bmp", "tif", "tiff", "svg", "ico", "pdf", "txt", "md",
    "html", "htm", "xml", "json", "csv", "srt", "vtt", "ass", "ssa", "ttml", "m3u", "m3u8", "mpd", "pls", "cue", "zip",
    "gz", "bz2", "xz", "zst", "7z", "rar", "tar", "tgz",
  ]

  /// - Throws: `Failure` if the name means another kind of file.
  func check(_ path: String) throws(Failure) {
    let ending = OutputKinds.ending(of: path)
    let known = OutputKinds.others + OutputKinds.adts + OutputKinds.movieOfSound + OutputKinds.movie + OutputKinds.wave
    guard !endings.contains(ending) else { return }
    if known.contains(ending) {
      throw Failure(
        status: .usage,
        "\(path): \(verb) does not write .\(ending) files; give the output a name that ends in \(description)")
    }
    // The name of a pipe or a device means nothing, and it takes a stream.
    if needsEnding, FileIdentity(path: path)?.isRegular ?? true {
      throw Failure(
        status: .usage,
        "\(path): the name does not say what to write; give the output a name that ends in \(description)")
    }
  }

  private static let wave = ["wav", "wave", "rf64", "bwf"]

  /// What follows the last dot of a name, in lower case; empty if there is none.
  static func ending(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let point = name.lastIndex(of: "."), point != name.startIndex else { return "" }
    return name[name.index(after: point)...].lowercased()
  }
}
