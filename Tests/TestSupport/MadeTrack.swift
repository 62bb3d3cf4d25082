/// A track made to order: every table as the test says, true or not.
public struct MadeTrack: Sendable {
  /// How sizes are written.
  public enum Sizes: Sendable {
    /// `stsz` with a size for each sample.
    case each([UInt32])
    /// `stsz` with one size for all.
    case constant(UInt32, count: UInt32)
    /// `stz2`, in 4, 8 or 16 bits.
    case compact([UInt32], bits: UInt8)
    /// No table at all.
    case missing
  }

  /// A run of `stts`.
  public struct Times: Sendable {
    public var count: UInt32
    public var delta: UInt32
    public init(_ count: UInt32, _ delta: UInt32) { (self.count, self.delta) = (count, delta) }
  }

  /// A run of `ctts`.
  public struct Offsets: Sendable {
    public var count: UInt32
    public var offset: Int32
    public init(_ count: UInt32, _ offset: Int32) { (self.count, self.offset) = (count, offset) }
  }

  /// A run of `stsc`.
  public struct Chunks: Sendable {
    public var first: UInt32
    public var samples: UInt32
    public var description: UInt32
    public init(_ first: UInt32, _ samples: UInt32, _ description: UInt32 = 1) {
      (self.first, self.samples, self.description) = (first, samples, description)
    }
  }

  /// An entry of `elst`.
  public struct Edit: Sendable {
    public var duration: UInt64
    public var mediaTime: Int64
    public var rate: UInt32
    public init(_ duration: UInt64, _ mediaTime: Int64, rate: UInt32 = 0x10000) {
      (self.duration, self.mediaTime, self.rate) = (duration, mediaTime, rate)
    }
  }

  public var id: UInt32
  public var handler = "vide"
  public var timescale: UInt32 = 1000
  /// What `mdhd` says.
  public var duration: UInt32 = 0
  /// Sample entries, whole boxes.
  public var entries: [[UInt8]] = [MadeEntry.video("avc1")]
  public var times: [Times]? = []
  public var offsets: [Offsets]?
  public var offsetsVersion: UInt8 = 0
  public var chunks: [Chunks]? = []
  public var sizes = Sizes.each([])
  public var places: [UInt64] = []
  /// Whether places are written as `co64`.
  public var hasWidePlaces = false
  public var syncSamples: [UInt32]?
  public var edits: [Edit]?
  /// Flags of the data reference: 1 says that the samples are in this file; otherwise another one is named.
  public var dataReferenceFlags: UInt32 = 1
  public var references: [(type: String, tracks: [UInt32])] = []
  /// Counts to be claimed instead of the true ones, by the table's type.
  public var claims: [String: UInt32] = [:]
  /// Boxes after the tables.
  public var more: [UInt8] = []

  public init(id: UInt32 = 1) {
    self.id = id
  }

  /// A track of samples of the same length, lying one after another.
  public init(id: UInt32 = 1, samples: [UInt32], at place: UInt64, delta: UInt32 = 40) {
    self.id = id
    times = [Times(UInt32(samples.count), delta)]
    chunks = [Chunks(1, UInt32(samples.count))]
    sizes = .each(samples)
    places = [place]
  }

  private func count(_ type: String, _ count: Int) -> [UInt8] {
    Plain.u32(claims[type] ?? UInt32(count))
  }

  private func table(_ type: String, version: UInt8 = 0, _ entries: [[UInt8]]?) -> [UInt8] {
    guard let entries else { return [] }
    return Plain.fullBox(type, version: version, count(type, entries.count), entries.flatMap { $0 })
  }

  private var sizeBox: [UInt8] {
    switch sizes {
    case .each(let sizes):
      return Plain.fullBox("stsz", Plain.u32(0), count("stsz", sizes.count), sizes.flatMap(Plain.u32))
    case .constant(let size, let number):
      return Plain.fullBox("stsz", Plain.u32(size), count("stsz", Int(number)))
    case .compact(let sizes, let bits):
      var packed: [UInt8] = []
      for (index, size) in sizes.enumerated() {
        switch bits {
        case 4 where index % 2 == 0: packed.append(UInt8(size << 4))
        case 4: packed[packed.count - 1] |= UInt8(size)
        case 8: packed.append(UInt8(size))
        default: packed += Plain.u16(UInt16(size))
        }
      }
      return Plain.fullBox("stz2", [0, 0, 0, bits], count("stz2", sizes.count), packed)
    case .missing:
      return []
    }
  }

  /// The `stbl` box.
  public var sampleTable: [UInt8] {
    Plain.box(
      "stbl",
      Plain.fullBox("stsd", count("stsd", entries.count), entries.flatMap { $0 }),
      table("stts", times?.map { Plain.u32($0.count) + Plain.u32($0.delta) }),
      table("ctts", version: offsetsVersion, offsets?.map { Plain.u32($0.count) + Plain.i32($0.offset) }),
      table("stsc", chunks?.map { Plain.u32($0.first) + Plain.u32($0.samples) + Plain.u32($0.description) }),
      sizeBox,
      hasWidePlaces
        ? table("co64", places.map(Plain.u64))
        : table("stco", places.map { Plain.u32(UInt32(truncatingIfNeeded: $0)) }),
      table("stss", syncSamples?.map(Plain.u32)),
      more)
  }

  /// The `trak` box.
  public var bytes: [UInt8] {
    let header = Plain.fullBox(
      "tkhd", flags: 7, Plain.u32(0), Plain.u32(0), Plain.u32(id), Plain.u32(0), Plain.u32(0),
      [UInt8](repeating: 0, count: 16), Plain.matrix, Plain.u32(640 << 16), Plain.u32(480 << 16))
    let location = dataReferenceFlags & 1 == 0 ? "file:///elsewhere.mov\0" : ""
    let media = Plain.box(
      "mdia",
      Plain.fullBox(
        "mdhd", Plain.u32(0), Plain.u32(0), Plain.u32(timescale), Plain.u32(duration), Plain.u16(0x55C4), Plain.u16(0)),
      Plain.fullBox("hdlr", Plain.u32(0), Plain.type(handler), [UInt8](repeating: 0, count: 13)),
      Plain.box(
        "minf",
        Plain.box(
          "dinf",
          Plain.fullBox(
            "dref", count("dref", 1), Plain.fullBox("url ", flags: dataReferenceFlags, Array(location.utf8)))),
        sampleTable))
    let references = references.map { Plain.box($0.type, $0.tracks.flatMap(Plain.u32)) }
    return Plain.box(
      "trak", header,
      edits == nil
        ? []
        : Plain.box(
          "edts",
          table(
            "elst", version: 1,
            edits?.map { Plain.u64($0.duration) + Plain.u64(UInt64(bitPattern: $0.mediaTime)) + Plain.u32($0.rate) })),
      references.isEmpty ? [] : Plain.box("tref", references.flatMap { $0 }), media)
  }
}

/// Sample entries made to order.
public enum MadeEntry {
  /// A picture's entry: 640 by 480.
  public static func video(_ type: String, _ boxes: [UInt8] = []) -> [UInt8] {
    Plain.box(
      type, [0, 0, 0, 0, 0, 0], Plain.u16(1), [UInt8](repeating: 0, count: 16), Plain.u16(640), Plain.u16(480),
      Plain.u32(72 << 16), Plain.u32(72 << 16), Plain.u32(0), Plain.u16(1), [UInt8](repeating: 0, count: 32),
      Plain.u16(24), Plain.u16(0xFFFF), boxes)
  }

  /// An entry for sound; `more` is what versions 1 and 2 add, and boxes.
  public static func audio(
    _ type: String, version: UInt16 = 0, channels: UInt16 = 2, bits: UInt16 = 16, rate: UInt32 = 48000,
    _ more: [UInt8] = []
  ) -> [UInt8] {
    Plain.box(
      type, [0, 0, 0, 0, 0, 0], Plain.u16(1), Plain.u16(version), Plain.u16(0), Plain.u32(0), Plain.u16(channels),
      Plain.u16(bits), Plain.u32(0), Plain.u32(rate << 16), more)
  }

  /// QuickTime's version 1: samples and bytes in packets and frames.
  public static func audio1(
    _ type: String, channels: UInt16, samplesPerPacket: UInt32, bytesPerPacket: UInt32, bytesPerFrame: UInt32,
    bytesPerSample: UInt32
  ) -> [UInt8] {
    audio(
      type, version: 1, channels: channels,
      [samplesPerPacket, bytesPerPacket, bytesPerFrame, bytesPerSample].flatMap(Plain.u32))
  }

  /// QuickTime's version 2: everything again, wider.
  public static func audio2(
    _ type: String, rate: Double, channels: UInt32, bits: UInt32, flags: UInt32, bytesPerPacket: UInt32,
    framesPerPacket: UInt32
  ) -> [UInt8] {
    audio(
      type, version: 2, channels: 3, rate: 1,
      Plain.u32(72) + Plain.u64(rate.bitPattern) + Plain.u32(channels) + Plain.u32(0x7F00_0000) + Plain.u32(bits)
        + Plain.u32(flags) + Plain.u32(bytesPerPacket) + Plain.u32(framesPerPacket))
  }
}
