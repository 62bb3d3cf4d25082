import TestSupport
import Testing

@testable import MP4

@Suite("TrackLookup", .inTurn)
struct TrackLookupTests {
  @Test("The first track of each number is found, and no other number")
  func findsFirst() {
    let common: [UInt32] = [0, 1, 2, 3, 5, 8, .max - 1, .max]
    let asked = Array(0..<60) + [UInt32.max - 2, .max - 1, .max]
    var noise = Noise(seed: 7)
    for count in 0..<40 {
      let ids = (0..<count).map { _ in
        noise.once(in: 2) ? common[Int.random(in: common.indices, using: &noise)] : .random(in: 0..<50, using: &noise)
      }
      let lookup = TrackLookup(ids)
      for id in asked { #expect(lookup[id] == ids.firstIndex(of: id)) }
    }
  }
}
