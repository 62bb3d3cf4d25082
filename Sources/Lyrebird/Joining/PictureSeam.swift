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

  /// The most bytes of a sample that are looked at: more than any picture has.
  private static let mostBytes = 1 << 28

  /// Looks at the first sample of a track.
  ///
  /// - Throws: `MP4Error` if it cannot be read.
  init(_ movie: MP4Demuxer, _ track: Track) throws(MP4Error) {
    self = .closed
    guard let lengthSize = PictureSeam.lengthSize(track) else { return }
    var samples = movie.samples(of: track)
    guard let sample = try samples.next() else { return }
    var rest: ArraySlice<UInt8>
    do throws(SourceError) { rest = try sample.payload.prefix(PictureSeam.mostBytes).load() } catch {
      throw MP4Error(.source(error), file: movie.reader.source.name)
    }
    while rest.count > lengthSize {
      let length = rest.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(lengthSize)
      guard let header = rest.first else { return }
      switch track.descriptions.first?.codec {
      case "avc1", "avc3":
        // Slices are of type 1 to 5, the last of which is that of IDR pictures.
        if (1...5).contains(header & 31) {
          self = header & 31 == 5 ? .closed : .open
          return
        }
      default:
        // Slices are of the types below 32.
        if header >> 1 & 63 < 32 {
          self = header >> 1 & 63 == PictureSeam.cleanRandomAccess ? .brokenLink : .closed
          return
        }
      }
      rest = rest.dropFirst(length)
    }
  }

  /// Turns a sample with a CRA picture into one with a BLA picture: only the type of the NAL units differs.
  ///
  /// - Throws: `SourceError` if it cannot be read.
  static func withBrokenLink(_ payload: MediaData, _ track: Track) throws(SourceError) -> MediaData {
    guard let lengthSize = lengthSize(track), payload.count <= mostBytes else { return payload }
    var bytes = Array(try payload.load())
    var position = 0
    while position + lengthSize < bytes.count {
      let length = bytes[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      position += lengthSize
      if bytes[position] >> 1 & 63 == cleanRandomAccess {
        bytes[position] = bytes[position] & 0x81 | brokenLinkPicture << 1
      }
      position += length
    }
    return .bytes(bytes[...])
  }

  /// Bytes of the length before each NAL unit; `nil` for tracks without NAL units.
  private static func lengthSize(_ track: Track) -> Int? {
    guard let description = track.descriptions.first, case .video(let format) = description.format else { return nil }
    let configuration = format.decoderConfiguration[...]
    switch description.codec {
    case "avc1", "avc3":
      return (try? AVCConfigurationBox.read(configuration)).map { Int($0.0.lengthSizeMinusOne & 3) + 1 }
    case "hvc1", "hev1", "dvh1", "dvhe":
      return (try? HEVCConfigurationBox.read(configuration)).map { Int($0.0.lengthSizeMinusOne & 3) + 1 }
    default: return nil
    }
  }
}
