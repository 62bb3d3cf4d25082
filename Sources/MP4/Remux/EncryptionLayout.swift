internal import ISOBMFF
internal import MediaCore

/// How a track's sample descriptions lay out its encryption data.
struct EncryptionLayout {
  /// The `tenc` box of each sample entry, if it has one.
  private let boxes: [TrackEncryptionBox?]
  /// Whether each block of the cipher depends on the one before.
  let isChained: Bool

  init(_ track: MovieTrack) {
    boxes = (track.sampleTable?.first("stsd")?.children ?? []).map { entry in
      entry.first("sinf")?.first("schi")?.child("tenc", as: TrackEncryptionBox.self)
    }
    isChained = track.description.descriptions.contains { ["cbc1", "cbcs"].contains($0.protection?.scheme) }
  }

  /// Whether samples are encrypted unless a group says otherwise.
  var isProtectedByDefault: Bool { boxes.contains { $0?.isProtected == 1 } }

  /// Bytes of the initialization vector of each sample of a description, counted from 0. Where that description has no
  /// vectors, because its samples are not encrypted, the first one that does counts: all samples share one table.
  func vectorSize(of description: Int) -> Int {
    let own = boxes.indices.contains(description) ? boxes[description] : nil
    return Int((own ?? boxes.lazy.compactMap { $0 }.first)?.perSampleIVSize ?? 8)
  }
}
