internal import ISOBMFF
internal import MediaCore

extension MP4Demuxer {
  /// The file type of a movie of only some tracks of this one.
  ///
  /// If all of them are sound, and this one has pictures, it becomes that of a file of sound, by which players sort
  /// music from films. QuickTime has one brand for both.
  func fileType(keeping tracks: [MovieTrack]) -> FileTypeBox? {
    guard var box = fileType, box.majorBrand != "qt  ",
      describedTracks.contains(where: { $0.description.kind == .video }),
      !tracks.isEmpty, tracks.allSatisfy({ $0.description.kind == .audio })
    else { return fileType }
    let sound: [FourCC] = ["M4A ", "mp42", "isom"]
    // What the ISO versions require holds for any of the tracks.
    let kept = box.brands.filter { !sound.contains($0) && ($0.description.hasPrefix("iso") || $0 == "mp41") }
    (box.majorBrand, box.minorVersion) = (sound[0], 0)
    box.compatibleBrands = PackedTable((sound + kept).map { BrandEntry($0) })
    return box
  }
}
