import MediaCore
import TestSupport

/// AIFF files put together plainly, to be read by the package.
enum PlainAIFF {
  /// A chunk, padded after an odd size. `claiming` is a size that is not the content's.
  static func chunk(_ type: String, _ content: [UInt8], claiming size: UInt32? = nil) -> [UInt8] {
    Plain.type(type) + Plain.u32(size ?? UInt32(content.count)) + content + (content.count % 2 == 1 ? [0] : [])
  }

  /// 44 100, as a float of 80 bits.
  static let rate: [UInt8] = [0x40, 0x0E, 0xAC, 0x44, 0, 0, 0, 0, 0, 0]

  /// The common chunk. With a compression type it is that of AIFF-C.
  static func comm(
    channels: UInt16 = 1, frames: UInt32, bits: UInt16 = 16, rate: [UInt8] = PlainAIFF.rate, type: String? = nil
  ) -> [UInt8] {
    let fields = Plain.u16(channels) + Plain.u32(frames) + Plain.u16(bits) + rate
    return chunk("COMM", fields + (type.map { Plain.type($0) + [0, 0] } ?? []))
  }

  /// The samples, some bytes after the chunk's own two numbers. `claiming` is a size that is not the content's.
  static func ssnd(_ samples: [UInt8], offset: UInt32 = 0, claiming size: UInt32? = nil) -> [UInt8] {
    let gap = [UInt8](repeating: 0xEE, count: Int(offset))
    return chunk("SSND", Plain.u32(offset) + Plain.u32(0) + gap + samples, claiming: size)
  }

  /// A whole file.
  static func file(_ chunks: [UInt8]..., claiming size: UInt32? = nil, type: String = "AIFF") -> [UInt8] {
    let content = Plain.type(type) + chunks.flatMap { $0 }
    return Plain.type("FORM") + Plain.u32(size ?? UInt32(content.count)) + content
  }
}

/// CAF files put together plainly.
enum PlainCAF {
  static func chunk(_ type: String, _ content: [UInt8], claiming size: Int64? = nil) -> [UInt8] {
    Plain.type(type) + Plain.u64(UInt64(bitPattern: size ?? Int64(content.count))) + content
  }

  static func desc(
    _ type: String = "lpcm", rate: Double = 44_100, flags: UInt32 = 0, bytes: UInt32 = 2, frames: UInt32 = 1,
    channels: UInt32 = 1, bits: UInt32 = 16
  ) -> [UInt8] {
    let numbers = [flags, bytes, frames, channels, bits].flatMap { Plain.u32($0) }
    return chunk("desc", Plain.u64(rate.bitPattern) + Plain.type(type) + numbers)
  }

  static func data(_ samples: [UInt8], claiming size: Int64? = nil) -> [UInt8] {
    chunk("data", Plain.u32(0) + samples, claiming: size)
  }

  static func file(_ chunks: [UInt8]..., version: UInt16 = 1) -> [UInt8] {
    Plain.type("caff") + Plain.u16(version) + Plain.u16(0) + chunks.flatMap { $0 }
  }
}
