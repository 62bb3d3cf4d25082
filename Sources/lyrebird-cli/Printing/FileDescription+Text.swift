internal import Lyrebird

extension FileDescription {
  /// The description in lines for people.
  var text: [String] {
    var lines = [Terminal.bold(file)]
    lines.append("  " + headline)
    if !brands.isEmpty { lines.append(labelled("brands", Text.list(brands.map(\.description), " "))) }
    if let creationTime { lines.append(labelled("created", Text.date(creationTime))) }
    for tag in metadata.tags where tag.name != "lyrics" {
      lines.append(labelled(Text.printable(tag.name), FileDescription.shortened(tag.value)))
    }
    for picture in metadata.artwork {
      lines.append(labelled("cover", "\(picture.format), \(Text.bytes(UInt64(picture.data.count)))"))
    }
    for track in tracks {
      lines.append("")
      lines += track.text
    }
    if !chapters.isEmpty {
      lines.append("")
      lines.append(Terminal.bold("chapters"))
      lines += chapters.map { "  \(Text.padded(Text.clock($0.start), 12))  \(FileDescription.shortened($0.title))" }
    }
    return lines
  }

  private var headline: String {
    var parts = [containerName]
    if let layout, layout != .unknown { parts.append(layout.rawValue) }
    parts.append(Text.clock(duration))
    parts.append(Text.bytes(size))
    if duration.value > 0 { parts.append(Text.bitRate(Double(size) * 8 / duration.seconds)) }
    return Text.list(parts)
  }

  private var containerName: String {
    switch container {
    case "mov": "QuickTime"
    case "m4b": "M4B (audio book)"
    case "3g2": "3GP2"
    case "wav": "WAVE"
    case "aifc": "AIFF-C"
    case "adts": "ADTS stream"
    case "loas": "LOAS stream"
    default: container.uppercased()
    }
  }

  private func labelled(_ name: String, _ value: String) -> String {
    "  " + Terminal.dim(name) + String(repeating: " ", count: max(1, 14 - name.count)) + value
  }

  /// Text from the file on one line.
  static func shortened(_ text: String) -> String {
    let line = Text.printable(text, onOneLine: true)
    return line.count <= 100 ? line : String(line.prefix(99)) + "…"
  }
}

extension FileDescription.TrackDescription {
  /// The track in lines for people.
  var text: [String] {
    var heading = "track \(track.id)  \(track.kind.word)"
    if let description = track.descriptions.first { heading += "  \(aac?.name ?? description.codecName)" }
    heading = Terminal.bold(heading)
    if let profile = track.descriptions.first?.codecString { heading += Terminal.dim("  \(profile)") }
    var lines = [heading]
    let details = [formatText, lengthText, languageText].filter { !$0.isEmpty }
    lines += details.map { "  " + $0 }
    if track.descriptions.count > 1 {
      let names = Text.list(track.descriptions.map { Text.printable($0.codecString) })
      lines.append("  \(track.descriptions.count) sample descriptions: \(names)")
    }
    if let protection = track.descriptions.first?.protection {
      let key = protection.defaultKeyID.isEmpty ? "" : ", key \(hexadecimal(protection.defaultKeyID))"
      lines.append("  encrypted: \(protection.scheme)\(key)")
    }
    lines += track.edits.isEmpty ? [] : ["  edits: " + Text.list(track.edits.prefix(8).map(\.text), "; ")]
    if let trim, let encoder = trim.encoder {
      let priming = trim.pieces.first?.lowerBound ?? 0
      lines.append("  encoder: \(Text.printable(encoder)), \(priming) frames of priming left out")
    }
    for (type, ids) in track.references.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      lines.append("  refers to track \(Text.list(ids.map { "\($0)" })) (\(type))")
    }
    return lines
  }

  private var formatText: String {
    if let video = track.videoFormat { return videoText(video) }
    guard let audio = track.audioFormat else { return "" }
    let rate = aac.map { Double($0.outputSampleRate) } ?? audio.sampleRate
    let channels = aac.map(\.outputChannels) ?? audio.channels
    var parts = ["\(Text.decimals(rate / 1000, 3)) kHz", Text.channels(channels)]
    if track.descriptions.first?.codec.isUncompressed == true { parts.append("\(audio.bitsPerSample) bit") }
    return Text.list(parts)
  }

  private func videoText(_ video: VideoTrackFormat) -> String {
    var parts = ["\(video.width)×\(video.height)"]
    if video.pixelAspect[0] != video.pixelAspect[1] {
      parts.append("pixels \(video.pixelAspect[0]):\(video.pixelAspect[1])")
    }
    let shown = track.displaySize
    if shown.width > 0, shown != Track.Size(width: Double(video.width), height: Double(video.height)) {
      parts.append("displayed \(Text.decimals(shown.width, 1))×\(Text.decimals(shown.height, 1))")
    }
    if track.transform.rotation != 0 {
      parts.append(track.transform.rotation.map { "rotated \($0)°" } ?? "transformed")
    }
    if let rate = frameRate { parts.append("\(Text.decimals(rate, 3)) fps") }
    if let colour = video.colour {
      parts.append(
        "colour \(colour.primaries)/\(colour.transfer)/\(colour.matrix)\(colour.isFullRange ? " full range" : "")")
      if let name = [16: "HDR (PQ)", 18: "HDR (HLG)"][colour.transfer] { parts.append(name) }
    }
    if let vision = video.dolbyVision { parts.append("Dolby Vision \(vision.profile).\(vision.level)") }
    return Text.list(parts)
  }

  private var lengthText: String {
    var parts = [Text.clock(track.duration), Text.count(track.sampleCount, "sample")]
    if let bitRate { parts.append(Text.bitRate(bitRate)) }
    parts.append("timescale \(track.timescale)")
    return Text.list(parts)
  }

  private var languageText: String {
    var parts: [String] = []
    if track.language != "und" { parts.append(Text.printable(track.language)) }
    if let name = track.name { parts.append("“\(FileDescription.shortened(name))”") }
    if !track.isEnabled { parts.append("disabled") }
    return Text.list(parts)
  }
}

extension Edit {
  /// `0:10.000 from 1024/44100`, `empty for 0:00.500`.
  fileprivate var text: String {
    guard let mediaTime else { return "empty for \(Text.clock(duration))" }
    let length = duration.value == 0 ? "all" : Text.clock(duration)
    return "\(length) from \(mediaTime)" + (rate == 1 ? "" : " at rate \(Text.decimals(rate, 3))")
  }
}

extension Track.Kind {
  /// The kind as a word, for both text and JSON.
  var word: String {
    switch self {
    case .audio: "audio"
    case .video: "video"
    case .text: "text"
    case .timecode: "timecode"
    case .metadata: "metadata"
    case .hint: "hint"
    case .other(let handler): handler.description
    }
  }
}

extension Text {
  /// Channels as people count them.
  static func channels(_ count: Int) -> String {
    switch count {
    case 0: "channels unknown"
    case 1: "mono"
    case 2: "stereo"
    case 6: "5.1"
    case 8: "7.1"
    default: "\(count) channels"
    }
  }
}

extension FourCC {
  /// Whether the sample size in bits says something about the sound.
  fileprivate var isUncompressed: Bool {
    switch self {
    case "twos", "sowt", "lpcm", "ipcm", "fpcm", "raw ", "in16", "in24", "in32", "fl32", "fl64", "alac", "fLaC": true
    default: false
    }
  }
}
