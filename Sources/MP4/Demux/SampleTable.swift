internal import ISOBMFF
internal import MediaCore

/// The locations of everything known about a track's samples: the boxes inside `stbl`.
///
/// None of it is in memory: a cursor reads the tables through windows. Opening a movie costs the same whether it has a
/// thousand samples or a hundred million.
struct SampleTable: Sendable {
  var timeToSample: TableLocation?
  var compositionOffsets: TableLocation?
  var sampleToChunk: TableLocation?
  var chunkOffsets: ChunkOffsets?
  var syncSamples: TableLocation?
  /// One byte per sample.
  var dependencies: TableLocation?
  var sizes = Sizes.constant(0)
  var sampleCount: UInt64 = 0
  /// How audio of constant rate is packed, where sample counts mean frames of PCM instead of access units.
  var packing: Packing?

  /// How sizes are stored.
  enum Sizes: Sendable {
    case constant(UInt32)
    case table(TableLocation)
    /// Each size takes 4, 8 or 16 bits; the location counts bytes.
    case compact(TableLocation, bits: Int)

    /// Whether all samples have one size, which takes no table.
    var isConstant: Bool { if case .constant = self { true } else { false } }
  }

  /// Audio of constant rate: `frames` frames take `bytes` bytes.
  ///
  /// QuickTime counts each frame of PCM as a sample of its own, one byte long or as long as a frame; ADPCM has packets
  /// of several frames. Delivering single frames would drown everyone in samples of four bytes: so each sample
  /// delivered is as much of a chunk as is practical.
  struct Packing: Sendable, Equatable {
    var frames: UInt32
    var bytes: UInt32

    /// The most bytes delivered at once: a third of a second of 48 kHz stereo.
    static let deliveredBytes = 64 << 10

    /// Frames delivered at once: whole packets.
    var deliveredFrames: UInt64 {
      let packets = max(1, UInt64(Packing.deliveredBytes) / UInt64(max(bytes, 1)))
      return packets * UInt64(max(frames, 1))
    }

    func byteCount(frames count: UInt64) -> UInt64 {
      count / UInt64(max(frames, 1)) * UInt64(bytes)
    }
  }
}
