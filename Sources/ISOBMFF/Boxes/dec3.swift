/// Properties of an Enhanced AC-3 stream.
///
/// Source: ETSI TS 102 366, F.6.
public struct EC3SpecificBox: Box {
  /// Kilobits per second.
  public var dataRate: UInt16 = 0
  /// The independent substreams, each with its dependent ones; 1 to 8.
  public var substreams: [EC3Substream] = [EC3Substream()]

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.bits("data_rate", &dataRate, 13)
    var last = UInt8(clamping: min(max(substreams.count, 1), 8) - 1)
    try coder.bits("num_ind_sub", &last, 3)
    try coder.list("substreams", &substreams, count: Int(last) + 1, minimumSize: 3, make: EC3Substream.init) {
      (coder, substream) throws(BoxError) in try substream.code(with: &coder)
    }
  }

  /// Number of channels of the first programme, low frequencies included.
  public var channelCount: Int { substreams.first?.channelCount ?? 0 }

  /// Sampling rate in Hz of the first programme; `nil` for the reserved code, which means half of another rate.
  public var sampleRate: UInt32? { substreams.first.flatMap { AC3Channels.sampleRate($0.sampleRateCode) } }
}

/// One independent substream of Enhanced AC-3.
public struct EC3Substream: Sendable, Hashable {
  /// Rate: 0 is 48 kHz, 1 44.1 kHz, 2 32 kHz.
  public var sampleRateCode: UInt8 = 0
  /// Version of the bit stream: 16.
  public var bitStreamID: UInt8 = 16
  /// Kept as is.
  public var reserved1: UInt8 = 0
  /// Whether it belongs to a main programme rather than being one.
  public var isAssociated = false
  /// The kind of service: 0 is the complete main programme.
  public var bitStreamMode: UInt8 = 0
  /// Which channels: 2 is stereo, 7 is five channels.
  public var audioCodingMode: UInt8 = 2
  /// Whether there is a low-frequency channel.
  public var hasLowFrequency = false
  /// Kept as is.
  public var reserved2: UInt8 = 0
  /// Number of dependent substreams, which add channels.
  public var dependentCount: UInt8 = 0
  /// Which channels those add, one flag each, if there are any; ETSI TS 102 366, table F.6.1.
  public var channelLocations: UInt16 = 0

  /// A stereo substream.
  public init() {}

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.bits("fscod", &sampleRateCode, 2)
    try coder.bits("bsid", &bitStreamID, 5)
    try coder.reservedBits(&reserved1, 1)
    try coder.flag("asvc", &isAssociated)
    try coder.bits("bsmod", &bitStreamMode, 3)
    try coder.bits("acmod", &audioCodingMode, 3)
    try coder.flag("lfeon", &hasLowFrequency)
    try coder.reservedBits(&reserved2, 3)
    try coder.bits("num_dep_sub", &dependentCount, 4)
    // One reserved bit if there are no dependent substreams.
    try coder.bits("chan_loc", &channelLocations, dependentCount > 0 ? 9 : 1)
  }

  /// Number of channels, including low frequencies and dependent substreams.
  public var channelCount: Int {
    // Flags for pairs of channels: Lc/Rc, Lrs/Rrs, Lsd/Rsd, Lw/Rw, Lvh/Rvh; the others are single. Bit 0 is Lc/Rc.
    let pairs: UInt16 = 0b0_0111_0011
    let added = dependentCount > 0 ? channelLocations.nonzeroBitCount + (channelLocations & pairs).nonzeroBitCount : 0
    return AC3Channels.count(audioCodingMode, hasLowFrequency) + added
  }
}
