internal import MediaCore

/// Common names of the tags that files abbreviate.
enum TagNames {
  /// The common name of an identifier; the identifier itself if it has none.
  static func name(_ identifier: String) -> String {
    if let type = FourCC(identifier), let name = names[type] { return name }
    // Where it was filmed, as phones write it: whoever removes `location` means this form, too.
    if identifier == "com.apple.quicktime.location.ISO6709" { return "location" }
    let prefixes = ["com.apple.quicktime.", "com.apple.iTunes:"]
    for prefix in prefixes where identifier.hasPrefix(prefix) { return String(identifier.dropFirst(prefix.count)) }
    return identifier
  }

  /// The iTunes identifier of a tag with a common name; any other name is returned unchanged.
  static func identifier(_ name: String) -> String {
    identifiers[name] ?? name
  }

  /// The iTunes identifier for what the user data of 3GPP and ISO files stores under another identifier; all others are
  /// returned unchanged.
  ///
  /// Source: 3GPP TS 26.244, 8 (Asset information).
  static func writable(_ identifier: String) -> String { itemsByAsset[identifier] ?? identifier }

  private static let itemsByAsset = [
    "titl": "©nam", "perf": "©prf", "auth": "©aut", "dscp": "desc", "albm": "©alb", "yrrc": "©day",
  ]

  /// The common name that was meant, whatever its case, and with `-` or `_` in place of spaces; `nil` for others.
  static func common(_ typed: String) -> String? {
    let plain = String(typed.lowercased().map { $0 == "-" || $0 == "_" ? " " : $0 })
    return common.first { $0.name.lowercased() == plain }?.name
  }

  /// Whether some program is known to write items of this type.
  static func isKnown(_ type: FourCC) -> Bool {
    names[type] != nil || MetadataBuilder.numberWidths[type] != nil || type.rawValue >> 24 == 0xA9 || type == "xid "
  }

  /// What can be written: the common name, and the item that has it in iTunes.
  static let common: [(name: String, identifier: String)] = [
    ("title", "©nam"), ("artist", "©ART"), ("album artist", "aART"), ("album", "©alb"), ("composer", "©wrt"),
    ("genre", "©gen"), ("date", "©day"), ("track", "trkn"), ("disc", "disk"), ("comment", "©cmt"),
    ("description", "desc"), ("long description", "ldes"), ("lyrics", "©lyr"), ("grouping", "©grp"),
    ("copyright", "cprt"), ("encoder", "©too"), ("encoded by", "©enc"), ("tempo", "tmpo"), ("compilation", "cpil"),
    ("gapless", "pgap"), ("media kind", "stik"), ("rating", "rtng"), ("show", "tvsh"), ("season", "tvsn"),
    ("episode", "tves"), ("episode ID", "tven"), ("network", "tvnn"), ("sort title", "sonm"),
    ("sort artist", "soar"), ("sort album", "soal"), ("sort album artist", "soaa"), ("sort composer", "soco"),
    ("sort show", "sosn"), ("podcast", "pcst"), ("podcast URL", "purl"), ("episode global ID", "egid"),
    ("category", "catg"), ("keywords", "keyw"), ("purchase date", "purd"), ("HD video", "hdvd"),
    ("narrator", "©nrt"), ("publisher", "©pub"), ("author", "©aut"), ("director", "©dir"), ("producer", "©prd"),
    ("performer", "©prf"), ("conductor", "©con"), ("work", "©wrk"), ("movement", "©mvn"),
    ("movement number", "©mvi"), ("movement count", "©mvc"), ("show movement", "shwm"), ("location", "©xyz"),
    ("make", "©mak"), ("model", "©mod"), ("owner", "ownr"), ("account", "apID"),
  ]

  private static let identifiers = Dictionary(uniqueKeysWithValues: common.map { ($0.name, $0.identifier) })

  private static let names: [FourCC: String] = {
    var names: [FourCC: String] = [:]
    for (name, identifier) in common {
      if let type = FourCC(identifier) { names[type] = name }
    }
    return names.merging(others) { common, _ in common }
  }()

  /// What is read only: there is another item for it above.
  private static let others: [FourCC: String] = [
    "gnre": "genre", "©swr": "encoder", "©com": "composer", "©cpy": "copyright", "©des": "description",
    "loci": "location", "©inf": "information", "akID": "account kind", "cnID": "catalogue ID", "titl": "title",
    "auth": "author", "perf": "performer", "dscp": "description", "albm": "album", "yrrc": "year",
  ]
}

extension MovieMetadata.Tag {
  /// The common names that can be written, each with its identifier in iTunes: `title`, `©nam`.
  public static var commonNames: [(name: String, identifier: String)] { TagNames.common }
}
