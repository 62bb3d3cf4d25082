internal import MediaCore

/// A bit reader whose errors name the field.
struct FieldReader {
  private var reader: BitReader

  init(_ bytes: some Collection<UInt8>) {
    reader = BitReader(bytes)
  }

  /// Bits left to read.
  var remaining: Int { reader.remaining }

  /// Bits read so far.
  var position: Int { reader.position }

  /// Skips bits.
  mutating func skip(_ count: Int, _ field: String) throws(AACError) {
    do {
      try reader.skip(count)
    } catch {
      throw AACError(.truncated, field: field)
    }
  }

  mutating func bits(_ count: Int, _ field: String) throws(AACError) -> UInt32 {
    do {
      return try reader.bits(count)
    } catch {
      throw AACError(.truncated, field: field)
    }
  }

  mutating func flag(_ field: String) throws(AACError) -> Bool {
    try bits(1, field) == 1
  }

  /// Five bits; 31 is the escape to 32 and more.
  mutating func objectType(_ field: String) throws(AACError) -> UInt8 {
    let short = UInt8(try bits(5, field))
    let type = short == 31 ? 32 + UInt8(try bits(6, field)) : short
    guard type != 0 else { throw AACError(.invalidValue(0), field: field) }
    return type
  }

  /// A four-bit index, or the escape and the rate itself.
  mutating func samplingFrequency(_ field: String) throws(AACError) -> UInt32 {
    let index = UInt8(try bits(4, field + "Index"))
    if index == SamplingFrequency.escape {
      let frequency = try bits(24, field)
      guard frequency > 0 else { throw AACError(.invalidValue(0), field: field) }
      return frequency
    }
    guard let frequency = SamplingFrequency.frequency(at: index) else {
      throw AACError(.invalidValue(Int64(index)), field: field + "Index")
    }
    return frequency
  }

  mutating func programConfig(_ field: String) throws(AACError) -> ProgramConfig {
    do {
      return try ProgramConfig(from: &reader)
    } catch {
      throw AACError(.truncated, field: field)
    }
  }
}
