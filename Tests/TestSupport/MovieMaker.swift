/// Movies made box by box, out of plain bytes.
public enum MovieMaker {
  /// What `trex` says of a track.
  public struct Defaults: Sendable {
    public var id: UInt32
    public var description: UInt32
    public var duration: UInt32
    public var size: UInt32
    public var flags: UInt32
    public init(_ id: UInt32, description: UInt32 = 1, duration: UInt32 = 0, size: UInt32 = 0, flags: UInt32 = 0) {
      self.id = id
      self.description = description
      self.duration = duration
      self.size = size
      self.flags = flags
    }
  }

  /// A `ftyp` box.
  public static let fileType = Plain.box("ftyp", Plain.type("isom"), Plain.u32(0), Plain.type("isom"))

  /// A `moov` box.
  public static func moov(
    _ tracks: [MadeTrack], timescale: UInt32 = 600, defaults: [Defaults]? = nil, more: [UInt8] = []
  ) -> [UInt8] {
    let header = Plain.fullBox(
      "mvhd", Plain.u32(0), Plain.u32(0), Plain.u32(timescale), Plain.u32(0), Plain.u32(0x10000), Plain.u16(0x100),
      [UInt8](repeating: 0, count: 10), Plain.matrix, [UInt8](repeating: 0, count: 24), Plain.u32(0xFFFF))
    let extends = defaults?.map {
      Plain.fullBox(
        "trex", Plain.u32($0.id), Plain.u32($0.description), Plain.u32($0.duration), Plain.u32($0.size),
        Plain.u32($0.flags))
    }
    return Plain.box(
      "moov", header, tracks.flatMap(\.bytes), extends.map { Plain.box("mvex", $0.flatMap { $0 }) } ?? [], more)
  }

  /// Where the media begins in a `progressive` file.
  public static let mediaStart = UInt64(fileType.count + 8)

  /// A file with its media in front, so that places in it do not depend on the size of the index.
  public static func progressive(
    _ tracks: [MadeTrack], media: [UInt8], timescale: UInt32 = 600, defaults: [Defaults]? = nil, more: [UInt8] = []
  ) -> [UInt8] {
    fileType + Plain.box("mdat", media) + moov(tracks, timescale: timescale, defaults: defaults, more: more)
  }
}

/// A `trun` box made to order.
public struct MadeRun: Sendable {
  /// A sample's fields; which of them are written, the run's flags say.
  public struct Sample: Sendable {
    public var duration: UInt32
    public var size: UInt32
    public var flags: UInt32
    public var offset: Int32
    public init(duration: UInt32 = 0, size: UInt32 = 0, flags: UInt32 = 0, offset: Int32 = 0) {
      self.duration = duration
      self.size = size
      self.flags = flags
      self.offset = offset
    }
  }

  public var version: UInt8 = 0
  public var dataOffset: Int32?
  public var firstFlags: UInt32?
  /// Any of 0x100 duration, 0x200 size, 0x400 flags, 0x800 composition offset.
  public var fields: UInt32
  public var samples: [Sample]
  /// A count to be claimed instead of the true one.
  public var claim: UInt32?

  public init(
    dataOffset: Int32? = nil, firstFlags: UInt32? = nil, fields: UInt32 = 0x300, samples: [Sample],
    claim: UInt32? = nil
  ) {
    self.dataOffset = dataOffset
    self.firstFlags = firstFlags
    self.fields = fields
    self.samples = samples
    self.claim = claim
  }

  /// The `trun` box.
  public var bytes: [UInt8] {
    let flags = fields | (dataOffset == nil ? 0 : 1) | (firstFlags == nil ? 0 : 4)
    return Plain.fullBox(
      "trun", version: version, flags: flags, Plain.u32(claim ?? UInt32(samples.count)),
      dataOffset.map(Plain.i32) ?? [], firstFlags.map(Plain.u32) ?? [],
      samples.flatMap { sample in
        (fields & 0x100 == 0 ? [] : Plain.u32(sample.duration)) + (fields & 0x200 == 0 ? [] : Plain.u32(sample.size))
          + (fields & 0x400 == 0 ? [] : Plain.u32(sample.flags)) + (fields & 0x800 == 0 ? [] : Plain.i32(sample.offset))
      })
  }
}

/// A `traf` box made to order.
public struct MadeFragment: Sendable {
  public var id: UInt32
  public var base: UInt64?
  public var isBaseMoof = false
  public var description: UInt32?
  public var duration: UInt32?
  public var size: UInt32?
  public var flags: UInt32?
  /// `tfdt`, and whether in 64 bits.
  public var time: (value: UInt64, isWide: Bool)?
  public var runs: [MadeRun]
  /// Boxes after the runs.
  public var more: [UInt8] = []

  public init(id: UInt32 = 1, time: UInt64? = nil, runs: [MadeRun] = []) {
    self.id = id
    self.time = time.map { ($0, true) }
    self.runs = runs
  }

  /// The `traf` box.
  public var bytes: [UInt8] {
    let present: UInt32 =
      (base == nil ? 0 : 1) | (description == nil ? 0 : 2) | (duration == nil ? 0 : 8) | (size == nil ? 0 : 0x10)
      | (flags == nil ? 0 : 0x20) | (isBaseMoof ? 0x2_0000 : 0)
    let header = Plain.fullBox(
      "tfhd", flags: present, Plain.u32(id), base.map(Plain.u64) ?? [], description.map(Plain.u32) ?? [],
      duration.map(Plain.u32) ?? [], size.map(Plain.u32) ?? [], flags.map(Plain.u32) ?? [])
    let time = time.map { time in
      Plain.fullBox(
        "tfdt", version: time.isWide ? 1 : 0,
        time.isWide ? Plain.u64(time.value) : Plain.u32(UInt32(truncatingIfNeeded: time.value)))
    }
    return Plain.box("traf", header, time ?? [], runs.flatMap(\.bytes), more)
  }

  /// A `moof` box.
  public static func moof(_ fragments: [MadeFragment], number: UInt32 = 1) -> [UInt8] {
    Plain.box("moof", Plain.fullBox("mfhd", Plain.u32(number)), fragments.flatMap(\.bytes))
  }
}
