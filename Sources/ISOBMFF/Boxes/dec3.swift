/// Properties of an Enhanced AC-3 stream.
///
/// Source: ETSI TS 102 366, F.6.
package struct EC3SpecificBox: Box {
  /// Kilobits per second.
  package var dataRate: UInt16 = 0
  /// The independent substreams, each with its dependent ones; 1 to 8.
  package var substreams: [EC3Substream] = [EC3Substream()]

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.bits("data_rate", &dataRate, 13)
    var last = UInt8(clamping: min(max(substreams.count, 1), 8) - 1)
    try coder.bits("num_ind_sub", &last, 3)
    try coder.list("substreams", &substreams, count: Int(last) + 1, minimumSize: 3, make: EC3Substream.init) {
      (coder, substream) throws(BoxError) in try substream.code(with: &coder)
    }
  }

  /// Number of channels of the first programme, low frequencies included.
  package var channelCount: Int { substreams.first?.channelCount ?? 0 }

  /// Sampling rate in Hz of the first programme; `nil` for the reserved code, which means half of another rate.
  package var sampleRate: UInt32? { substreams.first.flatMap { AC3Channels.sampleRate($0.sampleRateCode) } }
}

/// One independent substream of Enhanced AC-3.
package struct EC3Substream: Sendable, Hashable {
  /// Rate: 0 is 48 kHz, 1 44.1 kHz, 2 32 kHz.
  package var sampleRateCode: UInt8 = 0
  /// Version of the bit stream: 16.
  package var bitStreamID: UInt8 = 16
  /// Kept as is.
  package var reserved1: UInt8 = 0
  /// Whether it belongs to a main programme rather than being one.
  package var isAssociated = false
  /// The kind of service: 0 is the complete main programme.
  package var bitStreamMode: UInt8 = 0
  /// Which channels: 2 is stereo, 7 is five channels.
  package var audioCodingMode: UInt8 = 2
  /// Whether there is a low-frequency channel.
  package var hasLowFrequency = false
  /// Kept as is.
  package var reserved2: UInt8 = 0
  /// Number of dependent substreams, which add channels.
  package var dependentCount: UInt8 = 0
  /// Which channels those add, one flag each, if there are any; ETSI TS 102 366, table F.6.1.
  package var channelLocations: UInt16 = 0

  /// A stereo substream.
  package init() {}

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
  package var channelCount: Int {
    // Flags for pairs of channels: Lc/Rc, Lrs/Rrs, Lsd/Rsd, Lw/Rw, Lvh/Rvh; the others are single. Bit 0 is Lc/Rc.
    let pairs: UInt16 = 0b0_0111_0011
    let added = dependentCount > 0 ? channelLocations.nonzeroBitCount + (channelLocations & pairs).nonzeroBitCount : 0
    return AC3Channels.count(audioCodingMode, hasLowFrequency) + added
  }
}
