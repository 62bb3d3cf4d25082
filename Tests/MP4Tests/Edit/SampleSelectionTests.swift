import ISOBMFF
import MediaCore
import TestSupport
import Testing

@testable import MP4

@Suite("Selections of samples", .inTurn)
struct SampleSelectionTests {
  /// Samples 2 to 4, 7, and 9 to 11 of twelve.
  private var selection: SampleSelection {
    var result = SampleSelection()
    for number: UInt64 in [2, 3, 4, 7, 9, 10, 11] { result.append(number) }
    return result
  }

  @Test("numbers in a row are one run")
  func runs() {
    #expect(selection.runs == [2..<5, 7..<8, 9..<12])
  }

  @Test("each selected sample stays in its group, and those after the last group in none")
  func groups() {
    var grouping = SampleAnnotations.Grouping(type: "rap ", parameter: nil)
    for (end, group): (UInt64, UInt32) in [(3, 1), (4, 0), (8, 2), (10, 1)] { grouping.extend(to: end, group: group) }
    var annotations = SampleAnnotations()
    annotations.groupings = [grouping]
    let selected = annotations.selecting(selection).groupings[0]
    let expected = selection.runs.flatMap { $0 }.map { grouping.group(of: $0) }
    #expect((0..<7).map { selected.group(of: $0) } == expected)
    #expect(expected == [1, 0, 2, 2, 1, 0, 0])
  }

  @Test("sub-samples stay with their samples, and those of samples that are left out go")
  func subsamples() {
    var table = SampleAnnotations.Subsamples(flags: 1)
    for number: UInt64 in [0, 2, 4, 5, 7, 11, 12] {
      var part = SubSample()
      part.size = UInt32(number)
      table.samples.append((number, [part]))
    }
    var annotations = SampleAnnotations()
    annotations.subsamples = [table]
    let selected = annotations.selecting(selection).subsamples[0]
    #expect(selected.samples.map(\.number) == [0, 2, 3, 6])
    #expect(selected.samples.map { $0.subsamples[0].size } == [2, 4, 7, 11])
  }

  @Test("samples without encryption data keep none between others that have some")
  func encryption() {
    var encryption = SampleEncryption()
    for number: UInt8 in 0..<12 { encryption.append(number == 4 ? [] : [number, number]) }
    let selected = encryption.selecting(selection)
    let expected: [[UInt8]] = [[2, 2], [3, 3], [], [7, 7], [9, 9], [10, 10], [11, 11]]
    #expect((0..<7).map { Array(selected.data(of: $0)) } == expected)
  }
}
