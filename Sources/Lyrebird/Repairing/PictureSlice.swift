/// What the header of a slice says of its picture: the same in all its slices. Kept for each picture, so small.
struct PictureSlice: Equatable {
  /// Whether it is the first slice of its picture.
  var isFirst = false
  /// Whether decoding can begin with it.
  var isSync = false
  /// Whether the order count starts over with it: IDR pictures, and those that break a link.
  var startsOver = false
  /// Whether other pictures refer to it, and so the next order count to its own.
  var anchorsOrder = false
  /// `nal_ref_idc` is not 0.
  var isReference = false
  /// The lowest bits of the order in which pictures are shown, if the stream has them.
  var orderLow: UInt16?
  /// `delta_pic_order_cnt_bottom`.
  var orderDelta: Int32 = 0
  /// `frame_num`.
  var frameNumber: UInt16 = 0
  /// `idr_pic_id`.
  var number: UInt16 = 0
  /// The picture parameter set.
  var set: UInt8 = 0
  /// Whether it is a field, and which of the two.
  var isField = false
  var isBottom = false
  /// Whether it is a frame of AV1 that is only referred to: the one that is shown belongs to the same sample.
  var isHidden = false
  /// Whether something may be missing before it. Noted when all is found; a header does not say so.
  var followsGap = false

  /// Whether the number of its frame says that none is missing after another one: ITU-T H.264, 7.4.3 (frame_num).
  func continues(_ last: PictureSlice) -> Bool {
    guard last.isReference else { return frameNumber == last.frameNumber }
    let next = last.frameNumber &+ 1
    // After the highest number, all of whose bits are ones, comes 0.
    return frameNumber == next || frameNumber == 0 && last.frameNumber & next == 0
  }

  /// Whether it is the second field of a frame whose first field is another slice's: both are one sample.
  func isOtherField(of last: PictureSlice) -> Bool {
    isField && last.isField && isBottom != last.isBottom && frameNumber == last.frameNumber
      && !(startsOver && !last.startsOver)
  }
}

/// What a unit is to the picture before and after it.
enum PictureUnit {
  /// Part of a picture; of AV1, a whole frame.
  case slice(PictureSlice)
  /// It belongs to the picture after it: parameter sets, delimiters.
  case before
  /// It belongs to the picture before it: fillers, ends of sequences.
  case after
}

/// How pictures are coded, and what is needed of the pattern to read their units: in H.264 and H.265, the parameter
/// sets, and the size of the length before each NAL unit.
enum PictureCoding {
  case h264(H264Sets, lengthSize: Int)
  case h265(H265Sets, lengthSize: Int)
  case av1

  /// The most bytes of a unit that are looked at, with the length before it.
  static let header = 68

  /// Whether a unit can begin with eight bytes, of which nothing but its length or its type is looked at.
  ///
  /// - Parameters:
  ///   - head: the bytes, as a big-endian number.
  ///   - available: bytes up to the end of the media.
  func canBegin(with head: UInt64, available: UInt64) -> Bool {
    switch self {
    case .h264(_, let size), .h265(_, let size):
      let length = head >> UInt64(64 - 8 * size)
      return length > 0 && length < available
    case .av1: return AV1Units.canBegin(with: UInt8(head >> 56))
    }
  }

  /// The unit that begins with these bytes, and how many it has.
  ///
  /// - Parameter bytes: up to `header` bytes of the unit, with its length.
  /// - Returns: `nil` if it cannot be one.
  func unit(_ bytes: ArraySlice<UInt8>) -> (unit: PictureUnit, bytes: UInt64)? {
    switch self {
    case .h264(let sets, let lengthSize):
      return PictureCoding.unit(bytes, lengthSize: lengthSize) { try? sets.unit($0, length: $1) }
    case .h265(let sets, let lengthSize):
      return PictureCoding.unit(bytes, lengthSize: lengthSize) { try? sets.unit($0, length: $1) }
    case .av1: return try? AV1Units.unit(bytes)
    }
  }

  /// A NAL unit with its length before it.
  private static func unit(
    _ bytes: ArraySlice<UInt8>, lengthSize: Int, _ read: (ArraySlice<UInt8>, Int) -> PictureUnit?
  ) -> (unit: PictureUnit, bytes: UInt64)? {
    guard bytes.count > lengthSize else { return nil }
    let length = bytes.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
    guard length > 0, let unit = read(bytes.dropFirst(lengthSize).prefix(length), length) else { return nil }
    return (unit, UInt64(lengthSize + length))
  }

  /// Whether a slice is of another picture than the one before it.
  ///
  /// Source: ITU-T H.264, 7.4.1.2.4; ITU-T H.265, 7.4.2.4.5.
  func isNewPicture(_ slice: PictureSlice, after last: PictureSlice) -> Bool {
    if last.isHidden { return false }
    if slice.isFirst { return true }
    guard case .h264 = self else { return false }
    var other = last
    other.isFirst = false
    return slice != other
  }

  /// Bits of `PictureSlice.orderLow`; `nil` if pictures are shown as they are decoded, or in an order that is not
  /// followed.
  var orderBits: Int? {
    switch self {
    case .h264(let sets, _): sets.orderBits
    case .h265(let sets, _): sets.orderBits
    case .av1: nil
    }
  }

  /// Whether slices have numbers of frames.
  var hasFrameNumbers: Bool {
    switch self {
    case .h264: true
    case .h265, .av1: false
    }
  }

  /// Whether pictures are certain to be shown in the order in which they are decoded.
  var hasNoReordering: Bool {
    switch self {
    case .h264(let sets, _): sets.hasNoReordering
    case .h265: false
    case .av1: true
    }
  }
}
