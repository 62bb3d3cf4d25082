internal import ISOBMFF
internal import MediaCore

/// What a track's descriptions say of how encryption data is laid out.
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

  /// Whether samples are encrypted where no group says that they are not.
  var isProtectedByDefault: Bool { boxes.contains { $0?.isProtected == 1 } }

  /// Bytes of the vector that goes with each sample of a description, counted from 0. Where that one says nothing, as
  /// samples of it are not encrypted, the first that does counts: one table is for all.
  func vectorSize(of description: Int) -> Int {
    let own = boxes.indices.contains(description) ? boxes[description] : nil
    return Int((own ?? boxes.lazy.compactMap { $0 }.first)?.perSampleIVSize ?? 8)
  }
}
