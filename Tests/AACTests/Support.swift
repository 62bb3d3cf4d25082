import AAC
import Foundation
import MediaCore
import TestSupport

/// Bytes from hexadecimal, blanks ignored.
func bytes(_ text: String) -> [UInt8] {
  let digits = text.compactMap { $0.hexDigitValue }
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// A track of one description, as a demuxer would make it.
func track(
  configuration: [UInt8], codec: FourCC = "mp4a", name: String = "", objectType: UInt8? = 0x40,
  protection: Protection? = nil, channels: Int = 2, rate: Double = 44100
) -> Track {
  var track = Track(id: 1, kind: .audio, timescale: 44100)
  let format = AudioTrackFormat(
    sampleRate: rate, channels: channels, bitsPerSample: 16, objectType: objectType,
    decoderConfiguration: configuration)
  track.descriptions = [
    SampleDescription(
      entryType: codec, codec: codec, codecName: name, codecString: "", format: .audio(format), protection: protection)
  ]
  return track
}

/// A packet whose bytes are in memory.
func packet(_ bytes: [UInt8], description: Int = 0) -> EncodedSample {
  packet(.bytes(bytes[...]), description: description)
}

/// A packet of any payload.
func packet(_ payload: MediaData, description: Int = 0) -> EncodedSample {
  let timing = SampleTiming(decodeTime: 0, presentationTime: 0, duration: 1024, timescale: 44100)
  return EncodedSample(trackID: 1, timing: timing, isSync: true, descriptionIndex: description, payload: payload)
}

/// A frame with a header made here, bit by bit, and a payload of zeros.
func frame(
  id: UInt32 = 0, profile: UInt32 = 1, rate: UInt32 = 4, channels: UInt32 = 2, payload: [UInt8], blocks: UInt32 = 1,
  errorCheck: [UInt8] = []
) -> [UInt8] {
  var writer = BitWriter()
  writer.append(0xFFF, bits: 12)
  writer.append(id, bits: 1)
  writer.append(0, bits: 2)
  writer.append(errorCheck.isEmpty)
  writer.append(profile, bits: 2)
  writer.append(rate, bits: 4)
  writer.append(0, bits: 1)
  writer.append(channels, bits: 3)
  writer.append(0, bits: 4)
  writer.append(UInt32(7 + errorCheck.count + payload.count), bits: 13)
  writer.append(0x7FF, bits: 11)
  writer.append(blocks - 1, bits: 2)
  return writer.bytes + errorCheck + payload
}

/// A generator of repeatable noise: tests that fail once fail again.
struct Noise: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
  }
}

/// Everything a reader delivers.
func readAll(_ bytes: [UInt8]) throws -> (samples: [EncodedSample], reader: ADTSReader) {
  try readAll(SourceReader(MemorySource(bytes)))
}

func readAll(_ source: SourceReader) throws -> (samples: [EncodedSample], reader: ADTSReader) {
  var reader = try ADTSReader(source)
  var samples: [EncodedSample] = []
  while let sample = try reader.next() { samples.append(sample) }
  return (samples, reader)
}

/// Where a sample lies.
func place(_ sample: EncodedSample) -> Range<Int>? {
  guard case .range(_, let offset, let count) = sample.payload else { return nil }
  return Int(offset)..<(Int(offset) + count)
}

/// The MD5 of bytes, by the system's own tool.
func md5(_ bytes: [UInt8]) throws -> String {
  let folder = try TemporaryFolder()
  let file = folder.path("data")
  try Data(bytes).write(to: URL(fileURLWithPath: file))
  let result = try Tool.run("/usr/bin/md5sum", [file])
  return String(decoding: result.output, as: UTF8.self).components(separatedBy: " ")[0]
}

/// What an independent program found in the corpus's ADTS files.
struct ADTSFacts: CustomStringConvertible, Sendable {
  let path: String
  let frames: Int
  let frameBytes: Int
  let payloadBytes: Int
  let payloadMD5: String
  let isMPEG2: Bool
  let objectType: Int
  let rate: Int
  let channelConfiguration: Int
  let junk: Int
  let id3: Int
  let tail: Int
  let headerChanges: Int

  var description: String { path }

  /// All files of the corpus that are marked as ADTS.
  static func all() -> [ADTSFacts] {
    guard let manifest = try? String(contentsOf: Shared.corpus.appendingPathComponent("manifest.tsv"), encoding: .utf8),
      let oracle = try? String(contentsOf: Shared.corpus.appendingPathComponent("oracle.jsonl"), encoding: .utf8)
    else { return [] }
    var paths: [String: String] = [:]
    for line in manifest.split(separator: "\n") {
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      if columns[3] == "adts" { paths[columns[1]] = columns[0] }
    }
    return oracle.split(separator: "\n").compactMap { line in
      guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let hash = object["sha256"] as? String, let path = paths[hash], let adts = object["adts"] as? [String: Any]
      else { return nil }
      return ADTSFacts(path: path, adts)
    }
  }

  private init(path: String, _ adts: [String: Any]) {
    func number(_ key: String) -> Int { (adts[key] as? NSNumber)?.intValue ?? -1 }
    self.path = path
    frames = number("frames")
    frameBytes = number("bytes_with_headers")
    payloadBytes = number("bytes_without_headers")
    payloadMD5 = adts["md5_without_headers"] as? String ?? ""
    isMPEG2 = number("mpeg_version") == 2
    objectType = number("profile_aot")
    rate = number("rate")
    channelConfiguration = number("channel_config")
    junk = number("junk_bytes")
    id3 = number("id3_bytes")
    tail = number("tail_bytes")
    headerChanges = number("header_changes")
  }
}
