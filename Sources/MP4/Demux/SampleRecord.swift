internal import MediaCore

/// A sample as the index describes it: file offset, size, times and flags.
///
/// It holds numbers only, so millions of them are read without touching a reference count; an `EncodedSample` also
/// refers to its data, and is what is passed around.
public struct SampleRecord: Sendable, Hashable {
  /// Number within the track, counted from 0 in decoding order.
  public var number: UInt64
  /// Where its data begins in the file.
  public var offset: UInt64
  /// Size in bytes.
  public var size: Int
  /// When it is decoded, in ticks of the track.
  public var decodeTime: Int64
  /// When it is shown, in ticks of the track, edit lists not applied.
  public var presentationTime: Int64
  /// Ticks until the next one is decoded.
  public var duration: Int64
  /// Whether decoding can begin here.
  public var isSync: Bool
  /// From the highest bits down, two bits each: whether it is leading, depends on others, is depended on, has redundant
  /// coding; 0 where that is not known. Source: ISO/IEC 14496-12, 8.6.4.
  public var dependencies: UInt8
  /// Which sample entry applies, counted from 0.
  public var descriptionIndex: Int

  /// A record from its parts.
  public init(
    number: UInt64, offset: UInt64, size: Int, decodeTime: Int64, presentationTime: Int64, duration: Int64,
    isSync: Bool, dependencies: UInt8 = 0, descriptionIndex: Int
  ) {
    self.number = number
    self.offset = offset
    self.size = size
    self.decodeTime = decodeTime
    self.presentationTime = presentationTime
    self.duration = duration
    self.isSync = isSync
    self.dependencies = dependencies
    self.descriptionIndex = descriptionIndex
  }
}

extension SampleRecord {
  /// The index entry of a sample to be written.
  ///
  /// - Parameters:
  ///   - number: number within the track, from 0.
  ///   - offset: where its data begins, relative to whatever the caller chooses.
  init(_ sample: EncodedSample, number: UInt64, offset: UInt64) {
    self.init(
      number: number, offset: offset, size: sample.payload.count, decodeTime: sample.timing.decodeTime,
      presentationTime: sample.timing.presentationTime, duration: sample.timing.duration, isSync: sample.isSync,
      descriptionIndex: sample.descriptionIndex)
  }
}
