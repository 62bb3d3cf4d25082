import Testing

@testable import TestSupport

/// What is said of tests that were skipped.
@Suite(.inTurn) struct NeedsTests {
  @Test("one line tells how many tests were skipped and why, the commonest reason first")
  func summary() {
    #expect(
      SkippedTests.summary(["faad", "ffmpeg", "the corpus", "ffmpeg"])
        == "4 tests skipped: 2 need ffmpeg, 1 needs faad, 1 needs the corpus")
    #expect(SkippedTests.summary(["ffmpeg"]) == "1 test skipped: 1 needs ffmpeg")
  }

  @Test("a test whose needs are met runs, and one that lacks something does not")
  func prepare() async throws {
    let test = try #require(Test.current)
    let met = NeedsTrait(needs: [Need("nothing", "") { true }])
    try await met.prepare(for: test)
    let skipped = SkippedTests()
    let unmet = NeedsTrait(needs: [Need("nothing", "") { true }, Need("the moon", "") { false }], skipped: skipped)
    await #expect(throws: (any Error).self) { try await unmet.prepare(for: test) }
    #expect(skipped.summary == "1 test skipped: 1 needs the moon")
  }
}
