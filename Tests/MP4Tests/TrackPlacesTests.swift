import Testing

@testable import MP4

@Suite("TrackPlaces")
struct TrackPlacesTests {
  @Test("The first track of each number is found, and no other number")
  func findsFirst() {
    let common: [UInt32] = [0, 1, 2, 3, 5, 8, .max - 1, .max]
    let asked = Array(0..<60) + [UInt32.max - 2, .max - 1, .max]
    for count in 0..<40 {
      let ids = (0..<count).map { _ in Bool.random() ? common.randomElement() ?? 0 : UInt32.random(in: 0..<50) }
      let places = TrackPlaces(ids)
      for id in asked { #expect(places[id] == ids.firstIndex(of: id)) }
    }
  }
}
