internal import ISOBMFF
internal import MediaCore

/// States that a decoder of AAC has to begin a packet before the one it wants to hear: each packet overlaps with the
/// one before.
///
/// Source: ISO/IEC 14496-12, 10.1 (`roll`); ISO/IEC 14496-14, annex on AAC.
enum RollGroup {
  /// Whether the samples of a track get this group.
  static func isWanted(_ track: MuxerTrack) -> Bool {
    track.priming > 0 && track.track.descriptions.contains { $0.codec == "mp4a" }
  }

  /// The description of the group.
  static var description: BoxNode {
    var box = SampleGroupDescriptionBox()
    box.defaultLength = 2
    let distance: Int16 = -1
    var bytes: [UInt8] = []
    bytes.appendBigEndian(distance)
    box.descriptions = [bytes]
    return BoxNode("sgpd", box)
  }

  /// The group of this many samples.
  static func members(_ count: Int) -> BoxNode {
    var box = SampleToGroupBox()
    box.runs = PackedTable([SampleToGroupEntry(sampleCount: UInt32(clamping: count), groupDescriptionIndex: 1)])
    return BoxNode("sbgp", box)
  }
}
