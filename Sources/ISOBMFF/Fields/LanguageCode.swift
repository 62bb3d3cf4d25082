/// Languages in sixteen bits: three letters minus 0x60, five bits each (ISO/IEC 14496-12, 8.4.2), or, below 0x400, a
/// number from QuickTime's list.
package enum LanguageCode {
  /// The ISO 639-2/T code; `und` if there is none.
  package static func text(_ packed: UInt16) -> String {
    if packed < 0x400 {
      let (list, index) = packed < 128 ? (quickTime, Int(packed)) : (quickTimeFrom128, Int(packed) - 128)
      return index < list.count ? list[index] : "und"
    }
    let letters = [10, 5, 0].map { UInt8(truncatingIfNeeded: packed >> $0 & 31) + 0x60 }
    guard letters.allSatisfy({ (0x61...0x7A).contains($0) }) else { return "und" }
    return String(decoding: letters, as: UTF8.self)
  }

  /// The packed form of a three-letter code; `und` if it is not one.
  package static func packed(_ text: String) -> UInt16 {
    let letters = Array(text.utf8)
    guard letters.count == 3, letters.allSatisfy({ (0x61...0x7A).contains($0) }) else { return 0x55C4 }
    return letters.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
  }

  /// QuickTime's Macintosh language codes, from 0. Source: QuickTime File Format, Macintosh Language Codes.
  private static let quickTime = [
    "eng", "fra", "deu", "ita", "nld", "swe", "spa", "dan", "por", "nor", "heb", "jpn", "ara", "fin", "ell", "isl",
    "mlt", "tur", "hrv", "zho", "urd", "hin", "tha", "kor", "lit", "pol", "hun", "est", "lav", "und", "fao", "fas",
    "rus", "zho", "nld", "gle", "sqi", "ron", "ces", "slk", "slv", "yid", "srp", "mkd", "bul", "ukr", "bel", "uzb",
    "kaz", "aze", "aze", "hye", "kat", "ron", "kir", "tgk", "tuk", "mon", "mon", "pus", "kur", "kas", "snd", "bod",
    "nep", "san", "mar", "ben", "asm", "guj", "pan", "ori", "mal", "kan", "tam", "tel", "sin", "mya", "khm", "lao",
    "vie", "ind", "tgl", "msa", "msa", "amh", "tir", "orm", "som", "swa", "kin", "run", "nya", "mlg", "epo",
  ]

  /// The codes from 128 on.
  private static let quickTimeFrom128 = ["cym", "eus", "cat", "lat", "que", "grn", "aym", "tat", "uig", "dzo", "jav"]
}
