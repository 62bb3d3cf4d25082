internal import MediaCore

/// Takes samples out of bytes: the one place that knows how each coding is read, for tracks and for files.
///
/// Samples of up to 16 bits become 16-bit integers, which loses nothing, as do those of 24 and 32; 64-bit floats are
/// rounded to 32 bits.
struct SampleUnpacker {
  let coding: PCMCoding
  /// What the samples become.
  let sampleFormat: AudioFormat.SampleFormat
  private let expansion: [Int16]
  private let order: [Int]?

  /// - Parameters:
  ///   - coding: how samples are written.
  ///   - order: where each channel is in a frame, of which there are whole ones to unpack; `nil` to leave them in their
  ///     order.
  /// - Returns: `nil` if the coding is not supported.
  init?(_ coding: PCMCoding, order: [Int]? = nil) {
    guard let sampleFormat = SampleUnpacker.sampleFormat(coding) else { return nil }
    self.coding = coding
    self.order = order
    self.sampleFormat = sampleFormat
    expansion = CompandingLaw.expansion(coding.kind)
  }

  /// The format that loses nothing; `nil` if the coding is not supported.
  static func sampleFormat(_ coding: PCMCoding) -> AudioFormat.SampleFormat? {
    switch (coding.kind, coding.byteCount) {
    case (.muLaw, 1), (.aLaw, 1), (.signed, 1...2), (.unsigned, 1...2): .int16
    case (.signed, 3), (.unsigned, 3): .int24
    case (.signed, 4), (.unsigned, 4): .int32
    case (.float, 4), (.float, 8): .float32
    default: nil
    }
  }

  /// Whether channels are left where they are.
  var isInOrder: Bool { order == nil }

  /// How many samples there are to take, and room for.
  private func count(_ bytes: RawSpan, _ room: Int) -> Int { min(bytes.byteCount / coding.byteCount, room) }

  /// Brings the channels of whole frames into their order.
  private func arrange<Sample: BitwiseCopyable & AdditiveArithmetic>(_ samples: inout MutableSpan<Sample>, _ count: Int)
  {
    guard let order else { return }
    // A frame at a time: what is in the target already is the source.
    var frame = [Sample](repeating: .zero, count: order.count)
    for start in stride(from: 0, to: count - order.count + 1, by: order.count) {
      for index in order.indices { frame[index] = samples[start + order[index]] }
      for index in order.indices { samples[start + index] = frame[index] }
    }
  }

  /// Takes integers of up to 16 bits, or samples of a companding law.
  func unpack(_ bytes: RawSpan, into samples: inout MutableSpan<Int16>) {
    let count = count(bytes, samples.count)
    defer { arrange(&samples, count) }
    let (isLittle, middle) = (coding.isLittleEndian, coding.kind == .unsigned ? Int16.min : 0)
    // Any bits are a number, and the span checks that they are inside.
    switch (coding.kind, coding.byteCount) {
    case (.muLaw, _), (.aLaw, _):
      let law = expansion
      for index in 0..<count {
        samples[index] = law[Int(unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))]
      }
    case (_, 1):
      for index in 0..<count {
        samples[index] = Int16(unsafe bytes.unsafeLoad(fromByteOffset: index, as: Int8.self)) << 8 ^ middle
      }
    default:
      for index in 0..<count {
        let bits = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 2 * index, as: Int16.self)
        samples[index] = (isLittle ? Int16(littleEndian: bits) : Int16(bigEndian: bits)) ^ middle
      }
    }
  }

  /// Takes integers of 24 or 32 bits, full scale at the ends of `Int32`.
  func unpack(_ bytes: RawSpan, into samples: inout MutableSpan<Int32>) {
    let count = count(bytes, samples.count)
    defer { arrange(&samples, count) }
    let (isLittle, middle) = (coding.isLittleEndian, coding.kind == .unsigned ? Int32.min : 0)
    guard coding.byteCount == 3 else {
      for index in 0..<count {
        let bits = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4 * index, as: Int32.self)
        samples[index] = (isLittle ? Int32(littleEndian: bits) : Int32(bigEndian: bits)) ^ middle
      }
      return
    }
    let (high, low) = isLittle ? (2, 0) : (0, 2)
    for index in 0..<count {
      func byte(_ place: Int) -> Int32 {
        Int32(unsafe bytes.unsafeLoad(fromByteOffset: 3 &* index &+ place, as: UInt8.self))
      }
      samples[index] = (byte(high) &<< 24 | byte(1) &<< 16 | byte(low) &<< 8) ^ middle
    }
  }

  /// Takes floats.
  func unpack(_ bytes: RawSpan, into samples: inout MutableSpan<Float>) {
    let count = count(bytes, samples.count)
    defer { arrange(&samples, count) }
    let isLittle = coding.isLittleEndian
    guard coding.byteCount == 8 else {
      for index in 0..<count {
        let bits = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
        samples[index] = Float(bitPattern: isLittle ? UInt32(littleEndian: bits) : UInt32(bigEndian: bits))
      }
      return
    }
    for index in 0..<count {
      let bits = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)
      samples[index] = Float(Double(bitPattern: isLittle ? UInt64(littleEndian: bits) : UInt64(bigEndian: bits)))
    }
  }
}
