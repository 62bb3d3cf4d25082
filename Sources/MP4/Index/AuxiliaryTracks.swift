internal import ISOBMFF
internal import MediaCore

/// What Google's cameras record about a second movie in a box of its own (`axte`): its offset in the file.
///
/// It is metadata, a number in a list of keys and values, but works as an index: when the box moves, it has to change.
/// Source: Android's "Extended camera video" and Media3, `auxiliary.tracks.offset`.
struct AuxiliaryTracks {
  /// The file offset at which they begin.
  let offset: UInt64
  /// Whether their samples lie among those of the movie, where we cannot find them.
  let areInterleaved: Bool

  static let offsetKey = "auxiliary.tracks.offset"
  private static let interleavedKey = "auxiliary.tracks.interleaved"

  /// `nil` if the movie header does not mention them.
  init?(_ moov: BoxNode) {
    guard let meta = moov.first("meta"), let offset = meta.metadataNumber(AuxiliaryTracks.offsetKey) else { return nil }
    self.offset = offset
    areInterleaved = meta.metadataNumber(AuxiliaryTracks.interleavedKey) ?? 0 != 0
  }
}

extension BoxNode {
  /// Sets where auxiliary tracks begin in a movie header; the value keeps its width.
  mutating func setAuxiliaryTracks(at offset: UInt64) {
    change("meta") { meta in
      guard let type = meta.metadataType(of: AuxiliaryTracks.offsetKey) else { return }
      meta.change("ilst") { list in
        list.change(type) { item in
          item.change("data") { data in
            data.edit(MetadataDataBox.self) { box in
              var bytes: [UInt8] = []
              bytes.appendBigEndian(offset)
              box.value = bytes.suffix(box.value.count)
            }
          }
        }
      }
    }
  }

  /// The item type that belongs to a key: its number among the keys, from 1.
  private func metadataType(of key: String) -> FourCC? {
    guard let keys = child("keys", as: MetadataItemKeysBox.self)?.keys else { return nil }
    let index = keys.firstIndex { $0.value.elementsEqual(key.utf8) }
    return index.flatMap { UInt32(exactly: $0 + 1) }.map { FourCC($0) }
  }

  /// The value of a key, as a number of up to 8 bytes.
  fileprivate func metadataNumber(_ key: String) -> UInt64? {
    guard let type = metadataType(of: key),
      let value = first("ilst")?.first(type)?.child("data", as: MetadataDataBox.self)?.value,
      !value.isEmpty, value.count <= 8
    else { return nil }
    return value.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
