import MediaCore
import TestSupport
import Testing

@testable import MP4

/// Where fragments end, without a file.
@Suite("FragmentBoundary", .inTurn)
struct FragmentBoundaryTests {
  /// Sound, then video, in milliseconds, two seconds a fragment.
  private func boundary(limitsLeader: Bool = true, splitsAtZero: Bool = false) -> FragmentBoundary {
    FragmentBoundary(
      [Track(id: 1, kind: .audio, timescale: 1000), Track(id: 2, kind: .video, timescale: 1000)], seconds: 2,
      limitsLeader: limitsLeader, splitsAtZero: splitsAtZero)
  }

  private func sample(_ time: Int64, lasting duration: Int64 = 1000, size: Int = 10, isSync: Bool = true)
    -> FragmentBoundary.Sample
  {
    FragmentBoundary.Sample(decodeTime: time, duration: duration, size: size, isSync: isSync, descriptionIndex: 0)
  }

  @Test("the first video track with samples leads, or else the first track with samples")
  func leads() {
    #expect(boundary().leader { _ in true } == 1)
    #expect(boundary().leader { $0 == 0 } == 0)
    #expect(boundary().leader { _ in false } == nil)
  }

  @Test("the leading track ends a fragment before a sync sample once it is long enough; no other track does")
  func ends() {
    var boundary = boundary()
    #expect(!boundary.ends(before: sample(0), of: 1, isLeader: true))
    boundary.add(sample(0), to: 1)
    #expect(!boundary.ends(before: sample(1000), of: 1, isLeader: true))
    boundary.add(sample(1000), to: 1)
    #expect(!boundary.ends(before: sample(2000, isSync: false), of: 1, isLeader: true))
    #expect(!boundary.ends(before: sample(2000), of: 1, isLeader: false))
    #expect(boundary.ends(before: sample(2000), of: 1, isLeader: true))
    // The other track has none in the fragment yet.
    #expect(!boundary.ends(before: sample(2000), of: 0, isLeader: true))
    boundary.begin()
    #expect(!boundary.ends(before: sample(2000), of: 1, isLeader: true))
  }

  @Test("a gap, a step back, another description, or encryption that begins or ends, ends a fragment for any track")
  func continues() {
    var boundary = boundary()
    boundary.add(sample(0, lasting: 5), to: 0)
    #expect(!boundary.ends(before: sample(5), of: 0, isLeader: false))
    #expect(boundary.ends(before: sample(6), of: 0, isLeader: false))
    #expect(boundary.ends(before: sample(4), of: 0, isLeader: false))
    var other = sample(5)
    other.descriptionIndex = 1
    #expect(boundary.ends(before: other, of: 0, isLeader: false))
    var encrypted = sample(5)
    encrypted.isEncrypted = true
    #expect(boundary.ends(before: encrypted, of: 0, isLeader: false))
  }

  @Test("durations below 0 count as none, and times at the end of 64 bits end a fragment")
  func extremes() {
    var boundary = boundary()
    boundary.add(sample(7, lasting: -3), to: 0)
    #expect(!boundary.ends(before: sample(7), of: 0, isLeader: false))
    boundary.add(sample(.max, lasting: 1), to: 1)
    #expect(boundary.ends(before: sample(.max), of: 1, isLeader: true))
    #expect(boundary.ends(before: sample(.min), of: 1, isLeader: true))
  }

  @Test("a fragment holds 2^30 bytes, or one sample of any size")
  func bytes() {
    var boundary = boundary()
    #expect(!boundary.ends(before: sample(0, size: 1 << 31), of: 0, isLeader: false))
    boundary.add(sample(0, size: 1), to: 0)
    #expect(!boundary.ends(before: sample(0, size: (1 << 30) - 1), of: 1, isLeader: true))
    #expect(boundary.ends(before: sample(0, size: 1 << 30), of: 1, isLeader: true))
  }

  @Test("a fragment holds 65 536 samples of a track, more only of a leading track that is not limited")
  func samples() {
    for limitsLeader in [true, false] {
      var boundary = boundary(limitsLeader: limitsLeader)
      for time in 0..<Int64(1 << 16) {
        let next = sample(time, lasting: 1, isSync: false)
        #expect(!boundary.ends(before: next, of: 1, isLeader: false))
        boundary.add(next, to: 1)
      }
      let next = sample(1 << 16, isSync: false)
      #expect(boundary.ends(before: next, of: 1, isLeader: true) == limitsLeader)
      #expect(boundary.ends(before: next, of: 1, isLeader: false))
    }
  }

  @Test("samples before time 0 are kept apart from those after it, where a fragment cannot express them")
  func splitsAtZero() {
    for splits in [true, false] {
      var boundary = boundary(splitsAtZero: splits)
      boundary.add(sample(-2, lasting: 1), to: 0)
      #expect(!boundary.ends(before: sample(-1), of: 0, isLeader: false))
      boundary.add(sample(-1, lasting: 1), to: 0)
      #expect(boundary.ends(before: sample(0), of: 0, isLeader: false) == splits)
    }
  }
}
