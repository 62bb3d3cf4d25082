import MediaCore
import TestSupport
import PCM

/// WAVE files put together plainly, to be read by the package.
enum PlainWAV {
  static func u16(_ number: UInt16) -> [UInt8] { Plain.u16(number).reversed() }
  static func u32(_ number: UInt32) -> [UInt8] { Plain.u32(number).reversed() }
  static func u64(_ number: UInt64) -> [UInt8] { Plain.u64(number).reversed() }

  /// A chunk, padded after an odd size. `claiming` is a size that is not the content's.
  static func chunk(_ type: String, _ content: [UInt8], claiming size: UInt32? = nil) -> [UInt8] {
    Plain.type(type) + u32(size ?? UInt32(content.count)) + content + (content.count % 2 == 1 ? [0] : [])
  }

  /// The six numbers.
  static func fmt(tag: UInt16 = 1, channels: UInt16 = 1, rate: UInt32 = 8000, bits: UInt16 = 16, align: UInt16? = nil)
    -> [UInt8]
  {
    let bytes = UInt16((Int(bits) + 7) / 8)
    let align = align ?? channels &* bytes
    return u16(tag) + u16(channels) + u32(rate) + u32(rate &* UInt32(align)) + u16(align) + u16(bits)
  }

  /// A whole file of these chunks. `claiming` is a size that is not the content's.
  static func file(_ chunks: [UInt8]..., claiming size: UInt32? = nil, type: String = "RIFF") -> [UInt8] {
    let content = Plain.type("WAVE") + chunks.flatMap { $0 }
    return Plain.type(type) + u32(size ?? UInt32(content.count)) + content
  }

  /// 16-bit samples as bytes.
  static func bytes(_ samples: [Int16]) -> [UInt8] {
    samples.flatMap { u16(UInt16(bitPattern: $0)) }
  }
}

extension PCMFileReader {
  init(_ bytes: [UInt8]) throws(PCMFileError) {
    try self.init(SourceReader(MemorySource(bytes)))
  }

  /// All that is left, in pieces of so many frames.
  mutating func all(by frames: Int = PCMFileReader.defaultFrames) throws(PCMFileError) -> [PCMBuffer] {
    var buffers: [PCMBuffer] = []
    while let sound = try next(frames: frames) { buffers.append(sound.payload) }
    return buffers
  }
}

extension [PCMBuffer] {
  var int16s: [Int16] { flatMap(\.int16s) }
  var floats: [Float] { flatMap(\.floats) }
}

/// What a closure throws, if it is one of ours.
func fileError(_ body: () throws -> Void) -> PCMFileError? {
  do {
    try body()
    return nil
  } catch {
    return error as? PCMFileError
  }
}
