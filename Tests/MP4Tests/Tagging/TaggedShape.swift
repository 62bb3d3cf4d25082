import ISOBMFF
import MediaCore
import TestSupport
import Testing

@testable import MP4

/// Movies whose index lies at all the places that make a difference to changing it in place.
enum TaggedShape: String, CaseIterable, CustomTestStringConvertible {
  /// In front, with a block's end in it, or too short for that.
  case front, frontShort
  /// In front, with free space after it.
  case padded
  /// At the end, alone, or with boxes after it.
  case last, lastWithBoxes
  /// Between two media boxes, with boxes after them.
  case middle
  /// The media box reaches to the end of the file.
  case toEnd
  /// In fragments, with free space after the index, or before it.
  case fragments, fragmentsLater

  var testDescription: String { rawValue }

  /// How the tags get into it when they grow by 50 kB on a file system that inserts blocks of 4 KiB.
  var method: Tagger.Method {
    switch self {
    case .padded, .fragments, .fragmentsLater: .inPadding
    case .last, .lastWithBoxes: .atEnd
    default: .inserted(bytes: 57_344)
    }
  }

  private static let behind =
    Plain.box("uuid", [UInt8](repeating: 0xAB, count: 16), Array("precious".utf8)) + Plain.box("free", [1, 2, 3])
    + Plain.box("abcd", [4, 5])

  /// The bytes of the movie.
  var bytes: [UInt8] {
    var noise = Noise(seed: 11)
    let media = noise.bytes(30_000)
    let mdat = Plain.box("mdat", media)
    let start = MovieMaker.fileType.count
    let size = Self.moov(mediaAt: 0, isLong: self != .frontShort).count
    let moov = { (place: Int) in Self.moov(mediaAt: UInt64(place), isLong: self != .frontShort) }
    let space = Plain.box("free", [UInt8](repeating: 0, count: 120_000))
    switch self {
    case .front, .frontShort: return MovieMaker.fileType + moov(start + size + 8) + mdat
    case .toEnd:
      return MovieMaker.fileType + moov(start + size + 8) + Plain.u32(0) + Plain.type("mdat") + media
    case .padded: return MovieMaker.fileType + moov(start + size + space.count + 8) + space + mdat
    case .last: return MovieMaker.fileType + mdat + moov(start + 8)
    case .lastWithBoxes: return MovieMaker.fileType + mdat + moov(start + 8) + Self.behind
    case .middle:
      let other = Plain.box("mdat", noise.bytes(5000))
      return MovieMaker.fileType + other + moov(start + other.count + size + 8) + mdat + Self.behind
    case .fragments: return MovieMaker.fileType + Self.fragmented + space + Self.fragment(media)
    case .fragmentsLater: return MovieMaker.fileType + space + Self.fragmented + Self.fragment(media)
    }
  }

  /// An index of two tracks with chunks of 1500 bytes in turn, so that some chunk lies across the first block's end.
  private static func moov(mediaAt start: UInt64, isLong: Bool) -> [UInt8] {
    let tracks = (0..<2).map { number in
      var track = MadeTrack(id: UInt32(number + 1), samples: [UInt32](repeating: 300, count: 50), at: 0)
      track.chunks = [.init(1, 5)]
      track.places = (0..<10).map { start + UInt64($0 * 3000 + number * 1500) }
      track.hasWidePlaces = number == 1
      return track
    }
    return MovieMaker.moov(tracks, more: isLong ? Plain.box("wxyz", [UInt8](repeating: 9, count: 6000)) : [])
  }

  private static let fragmented: [UInt8] = {
    var track = MadeTrack(id: 1)
    track.times = []
    return MovieMaker.moov([track], defaults: [.init(1, duration: 40, size: 300)])
  }()

  private static func fragment(_ media: [UInt8]) -> [UInt8] {
    func moof(_ offset: Int32) -> [UInt8] {
      let samples = [MadeRun.Sample](repeating: .init(duration: 40, size: 300), count: 100)
      var fragment = MadeFragment(time: 0, runs: [MadeRun(dataOffset: offset, samples: samples)])
      fragment.isBaseMoof = true
      return MadeFragment.moof([fragment])
    }
    return moof(Int32(moof(0).count + 8)) + Plain.box("mdat", media)
  }
}
