import Lyrebird
import TestSupport
import Testing

/// Tags of PCM files, as movies have them.
@Suite(.inTurn) struct PCMTagTests {
  private func names(_ pairs: [(String, String)]) -> [String: String] {
    let metadata = MovieMetadata(pairs.map { PCMFileTag($0.0, $0.1) })
    return Dictionary(metadata.tags.map { ($0.name, $0.value) }) { first, _ in first }
  }

  @Test("tags of each kind of file get the names of movies, and unknown ones are left out")
  func names() {
    #expect(
      names([
        ("bext:Description", "take 1"), ("INAM", "Bird"), ("TIT2", "Other"), ("TPE1", "Lyre"), ("(c) ", "2026"),
        ("ISFT", "Some program"), ("TXXX:replaygain", "3"), ("title", "third"), ("TRCK", "3/12"), ("TBPM", "120"),
      ]) == [
        "title": "Bird", "artist": "Lyre", "copyright": "2026", "track": "3/12", "tempo": "120",
        "description": "take 1",
      ])
  }

  @Test("numbers that are none are left out, and genres lose theirs")
  func values() {
    #expect(names([("TRCK", "A1"), ("TPOS", "1/2/3"), ("TBPM", "fast"), ("TCON", "(17)Rock")]) == ["genre": "Rock"])
    #expect(names([("ITRK", "70000"), ("TCON", "(17)"), ("TPA", "2")]) == ["disc": "2"])
  }
}
