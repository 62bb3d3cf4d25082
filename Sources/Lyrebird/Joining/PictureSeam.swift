internal import ISOBMFF
internal import MP4
internal import MediaCore

/// What a decoder makes of the first picture of a part, when it has decoded another part before.
///
/// Groups of pictures are closed or open: in an open one, pictures that are shown before the key frame refer to the
/// group before it. At the beginning of a file a decoder leaves these out. After another part it would decode them from
/// pictures of that part, and take the counts of pictures for a continuation of that part's.
enum PictureSeam {
  /// The group is closed, or the codec does not have open ones.
  case closed
  /// A CRA picture of H.265. Marked as a BLA picture instead, which is meant for such joins, it makes a decoder begin
  /// anew, as at the beginning of a file.
  ///
  /// Source: ITU-T H.265, 7.4.2.2 (BLA_W_LP) and 8.1.3 (NoRaslOutputFlag).
  case brokenLink
  /// A key frame of H.264 that is not an IDR picture. Nothing tells a decoder to begin anew.
  case open

  /// Types of NAL units of H.265: CRA_NUT, and BLA_W_LP.
  private static let cleanRandomAccess: UInt8 = 21
  private static let brokenLinkPicture: UInt8 = 16

  /// Bytes of a sample in which its first slice begins: parameter sets and messages come before it.
  private static let mostBytesBefore = 1 << 20
  /// More than any picture has.
  private static let mostBytes = 1 << 28

  /// Looks at the first sample of a track.
  ///
  /// - Throws: `MP4Error` if it cannot be read.
  init(_ movie: MP4Demuxer, _ track: Track) throws(MP4Error) {
    self = .closed
    guard let lengthSize = PictureSeam.lengthSize(track) else { return }
    var samples = movie.samples(of: track)
    guard let sample = try samples.next() else { return }
    let bytes: [UInt8]
    do throws(SourceError) { bytes = Array(try sample.payload.prefix(PictureSeam.mostBytesBefore).load()) } catch {
      throw MP4Error(.source(error), file: movie.reader.source.name)
    }
    let headers = PictureSeam.units(in: bytes, lengthSize: lengthSize).map { bytes[$0] }
    if track.descriptions.first?.codec.isH264 == true {
      // Slices are of type 1 to 5, the last of which is that of IDR pictures.
      let slice = headers.lazy.map { $0 & 31 }.first { (1...5).contains($0) }
      if let slice, slice != 5 { self = .open }
    } else {
      // Slices are of the types below 32.
      let slice = headers.lazy.map { $0 >> 1 & 63 }.first { $0 < 32 }
      if slice == PictureSeam.cleanRandomAccess { self = .brokenLink }
    }
  }

  /// Turns a sample with a CRA picture into one with a BLA picture: only the type of the NAL units differs.
  ///
  /// - Throws: `SourceError` if it cannot be read.
  static func withBrokenLink(_ payload: MediaData, _ track: Track) throws(SourceError) -> MediaData {
    guard let lengthSize = lengthSize(track), payload.count <= mostBytes else { return payload }
    var bytes = Array(try payload.load())
    for header in units(in: bytes, lengthSize: lengthSize) where bytes[header] >> 1 & 63 == cleanRandomAccess {
      bytes[header] = bytes[header] & 0x81 | brokenLinkPicture << 1
    }
    return .bytes(bytes[...])
  }

  /// Where the NAL units of a sample begin, after the length before each.
  private static func units(in bytes: [UInt8], lengthSize: Int) -> [Int] {
    var (starts, position): ([Int], Int) = ([], 0)
    while position + lengthSize < bytes.count {
      let length = bytes[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      starts.append(position + lengthSize)
      position += lengthSize + length
    }
    return starts
  }

  /// Bytes of the length before each NAL unit; `nil` for tracks without NAL units.
  private static func lengthSize(_ track: Track) -> Int? {
    guard let description = track.descriptions.first, case .video(let format) = description.format else { return nil }
    let configuration = format.decoderConfiguration[...]
    if description.codec.isH264 { return (try? AVCConfigurationBox.read(configuration))?.0.lengthSize }
    if description.codec.isH265 { return (try? HEVCConfigurationBox.read(configuration))?.0.lengthSize }
    return nil
  }
}

extension FourCC {
  /// Whether samples of a description with this code are of H.264.
  var isH264: Bool { ["avc1", "avc3"].contains(self) }

  /// Whether samples of a description with this code are of H.265; `dvh1` and `dvhe` are that with Dolby Vision.
  var isH265: Bool { ["hvc1", "hev1", "dvh1", "dvhe"].contains(self) }
}
