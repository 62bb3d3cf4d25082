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
      let schi = entry.first("sinf")?.first("schi")
      return schi?.child("tenc", as: TrackEncryptionBox.self) ?? schi.flatMap(EncryptionLayout.piffBox)
    }
    isChained = track.description.descriptions.contains { ["cbc1", "cbcs"].contains($0.protection?.scheme) }
  }

  /// What PIFF has in place of `tenc`: a box of its own, whose fields are in the same places.
  private static func piffBox(in schi: BoxNode) -> TrackEncryptionBox? {
    let box = schi.children.first { $0.header.userType == piffType }
    return box.flatMap { try? TrackEncryptionBox.read($0.payload[...]).0 }
  }

  /// Adds `tenc` to the sample entries of PIFF, which lack it. `senc` cannot be read without it: ffmpeg gives up.
  static func completeEntries(of stbl: inout BoxNode) {
    stbl.change("stsd") { stsd in
      for index in stsd.children.indices {
        stsd.children[index].change("sinf") { sinf in
          sinf.change("schi") { schi in
            guard schi.first("tenc") == nil, let box = piffBox(in: schi) else { return }
            schi.children.append(BoxNode("tenc", box))
          }
        }
      }
    }
  }

  /// Source: Protected Interoperable File Format 1.1, 5.3.3.1.
  private static let piffType: [UInt8] = [
    0x89, 0x74, 0xDB, 0xCE, 0x7B, 0xE7, 0x4C, 0x51, 0x84, 0xF9, 0x71, 0x48, 0xF9, 0x88, 0x25, 0x54,
  ]

  /// Whether samples are encrypted unless a group says otherwise.
  var isProtectedByDefault: Bool { boxes.contains { $0?.isProtected == 1 } }

  /// Bytes of the initialization vector of each sample of a description, counted from 0. Where that description has no
  /// vectors, because its samples are not encrypted, the first one that does counts: all samples share one table.
  func vectorSize(of description: Int) -> Int {
    let own = boxes.indices.contains(description) ? boxes[description] : nil
    return Int((own ?? boxes.lazy.compactMap { $0 }.first)?.perSampleIVSize ?? 8)
  }
}
