/// Names of MPEG-4 audio object types: ISO/IEC 14496-3, table 1.17.
package enum AudioObjectType {
  /// The usual name, or the number if there is none.
  package static func name(_ type: UInt8) -> String {
    names.value(of: type) ?? "MPEG-4 audio object type \(type)"
  }

  /// The object type in the first bits of an AudioSpecificConfig, or `nil` if it is too short.
  ///
  /// Five bits; 31 is an escape to six more, counted from 32. Source: ISO/IEC 14496-3, 1.6.2.1.
  package static func read(_ config: some Collection<UInt8>) -> UInt8? {
    var bits = BitReader(config)
    guard let first = try? bits.bits(5) else { return nil }
    guard first == 31 else { return UInt8(first) }
    return (try? bits.bits(6)).map { UInt8($0 + 32) }
  }

  private static let names: KeyValuePairs<UInt8, String> = [
    1: "AAC Main", 2: "AAC-LC", 3: "AAC SSR", 4: "AAC LTP", 5: "HE-AAC", 6: "AAC Scalable", 7: "TwinVQ", 8: "CELP",
    9: "HVXC", 17: "ER AAC-LC", 19: "ER AAC LTP", 20: "ER AAC Scalable", 22: "ER BSAC", 23: "AAC-LD",
    29: "HE-AAC v2", 32: "MPEG-1 Layer I", 33: "MPEG-1 Layer II", 34: "MP3", 36: "ALS", 37: "SLS", 39: "AAC-ELD",
    42: "xHE-AAC (USAC)",
  ]
}
