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
  /// Whether something may be missing before it. Noted when all is found; a header does not say so.
  var followsGap = false

  /// Whether the number of its frame says that none is missing behind another one: ITU-T H.264, 7.4.3 (frame_num).
  func continues(_ last: PictureSlice) -> Bool {
    guard last.isReference else { return frameNumber == last.frameNumber }
    let next = last.frameNumber &+ 1
    // Behind the highest number, all of whose bits are ones, comes 0.
    return frameNumber == next || frameNumber == 0 && last.frameNumber & next == 0
  }

  /// Whether it is the second field of a frame whose first field is another slice's: both are one sample.
  func isOtherField(of last: PictureSlice) -> Bool {
    isField && last.isField && isBottom != last.isBottom && frameNumber == last.frameNumber
      && !(startsOver && !last.startsOver)
  }
}

/// What a NAL unit is to the picture before and after it.
enum PictureUnit {
  /// Part of a picture.
  case slice(PictureSlice)
  /// It belongs to the picture after it: parameter sets, delimiters.
  case before
  /// It belongs to the picture before it: fillers, ends of sequences.
  case after
}

/// How pictures are coded: the parameter sets of a pattern, by which slices are read.
enum PictureCoding {
  case h264(H264Sets)
  case h265(H265Sets)

  /// The most bytes of a unit that are looked at.
  static let header = 64

  /// The unit that begins with these bytes.
  ///
  /// - Parameters:
  ///   - bytes: the unit without the length before it, up to `header` bytes of it.
  ///   - length: how long all of it is.
  /// - Returns: `nil` if it cannot be one.
  func unit(_ bytes: ArraySlice<UInt8>, length: Int) -> PictureUnit? {
    switch self {
    case .h264(let sets): try? sets.unit(bytes, length: length)
    case .h265(let sets): try? sets.unit(bytes, length: length)
    }
  }

  /// Whether a slice is of another picture than the one before it.
  ///
  /// Source: ITU-T H.264, 7.4.1.2.4; ITU-T H.265, 7.4.2.4.5.
  func isNewPicture(_ slice: PictureSlice, after last: PictureSlice) -> Bool {
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
    case .h264(let sets): sets.orderBits
    case .h265(let sets): sets.orderBits
    }
  }

  /// Whether slices have numbers of frames.
  var hasFrameNumbers: Bool {
    switch self {
    case .h264: true
    case .h265: false
    }
  }

  /// Whether pictures are certain to be shown in the order in which they are decoded.
  var hasNoReordering: Bool {
    switch self {
    case .h264(let sets): sets.hasNoReordering
    case .h265: false
    }
  }
}
