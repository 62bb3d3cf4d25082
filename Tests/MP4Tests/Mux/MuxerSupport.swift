import Foundation
import MP4
import MediaCore
import Synchronization
import TestSupport

/// How a muxed file is laid out, in the words of the command.
enum MuxedLayout: String, CaseIterable, Sendable {
  case fastStart = "fast-start"
  case moovLast = "moov-last"
  case fragmented

  var options: MuxerOptions {
    var options = MuxerOptions()
    options.layout =
      switch self {
      case .fastStart: .fastStart
      case .moovLast: .moovLast
      case .fragmented: .fragmented(seconds: 0.5)
      }
    return options
  }

  var movie: MovieLayout {
    switch self {
    case .fastStart: .fastStart
    case .moovLast: .moovLast
    case .fragmented: .fragmented
    }
  }
}

/// Packets as an encoder delivers them: noise of a seeded generator, since nothing here looks into them.
struct MadeSound {
  /// Ticks that are not to be heard, a frame of the codec in ticks, and the ticks that are.
  var priming: Int64 = 2112
  var frame: Int64 = 1024
  var heard: Int64
  var timescale: UInt32 = 44100
  var id: UInt32 = 1

  static let config: [UInt8] = [0x12, 0x10]

  var track: MuxerTrack {
    MuxerTrack(
      audio: .aac(audioSpecificConfig: MadeSound.config, sampleRate: 44100, channels: 2), timescale: timescale,
      priming: priming, id: id)
  }

  /// The packets: the last one is as much shorter as the encoder had to fill up.
  var packets: [EncodedSample] {
    var noise = Noise(seed: UInt64(heard) + 7)
    var time = -priming
    var packets: [EncodedSample] = []
    while time < heard || packets.isEmpty {
      let bytes = (0..<(100 + noise.next() % 200)).map { _ in UInt8(truncatingIfNeeded: noise.next()) }
      packets.append(
        EncodedSample(
          trackID: id,
          timing: SampleTiming(
            decodeTime: time, presentationTime: time, duration: min(frame, heard - time), timescale: timescale),
          isSync: true, payload: .bytes(bytes[...])))
      time += frame
    }
    return packets
  }
}

/// Bytes of any length that are all zero, and an output that remembers only what was written in short pieces: so files
/// of gigabytes cost nothing.
final class SparseFile: ByteSink, ByteSource {
  private struct State {
    var pieces: [(place: UInt64, bytes: [UInt8])] = []
    var end: UInt64
  }

  let name = "sparse"
  private let state: Mutex<State>
  /// Longer pieces are taken for zeros.
  private static let keptSize = 1 << 20

  init(size: UInt64 = 0) { state = Mutex(State(end: size)) }

  var size: UInt64 { state.withLock { $0.end } }
  var canPatch: Bool { true }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError) {
    let piece = unsafe bytes.count <= Self.keptSize ? Array(bytes) : []
    state.withLock { state in
      state.pieces.append((state.end, piece))
      state.end += UInt64(bytes.count)
    }
  }

  func copy(from reader: SourceReader, at offset: UInt64, count: UInt64) throws(TransferError) {
    state.withLock { $0.end += count }
  }

  func patch(_ bytes: [UInt8], at offset: UInt64) throws(SinkError) {
    state.withLock { $0.pieces.append((offset, bytes)) }
  }

  func insert(_ count: UInt64, at offset: UInt64) throws(SinkError) {
    state.withLock { state in
      for index in state.pieces.indices where state.pieces[index].place >= offset {
        state.pieces[index].place += count
      }
      state.end += count
    }
  }

  func finish() throws(SinkError) {}
  func reopen() throws(SourceError) {}

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    state.withLock { state in
      let count = Int(min(UInt64(buffer.count), state.end - min(offset, state.end)))
      for index in 0..<count { unsafe buffer[index] = 0 }
      for (place, bytes) in state.pieces {
        let (first, last) = (max(place, offset), min(place + UInt64(bytes.count), offset + UInt64(count)))
        guard first < last else { continue }
        for at in first..<last { unsafe buffer[Int(at - offset)] = bytes[Int(at - place)] }
      }
      return count
    }
  }
}

/// An output that can only be written on, as a pipe.
final class PipeSink: ByteSink {
  private(set) var bytes: [UInt8] = []
  func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError) { unsafe self.bytes.append(contentsOf: bytes) }
  func finish() throws(SinkError) {}
}

/// Samples of pictures made to order.
struct MadePictures {
  var id: UInt32 = 1
  var timescale: UInt32 = 25
  /// For each picture when it is decoded and shown.
  var times: [(decode: Int64, shown: Int64)]
  var size = 100

  var track: MuxerTrack {
    MuxerTrack(
      video: .h264(configuration: [1, 66, 0, 30, 255, 224, 0], width: 64, height: 48), timescale: timescale, id: id)
  }

  var samples: [EncodedSample] {
    times.enumerated().map { index, time in
      EncodedSample(
        trackID: id,
        timing: SampleTiming(decodeTime: time.decode, presentationTime: time.shown, duration: 1, timescale: timescale),
        isSync: index % 10 == 0, payload: .bytes(Array(repeating: UInt8(truncatingIfNeeded: index), count: size)[...]))
    }
  }
}
