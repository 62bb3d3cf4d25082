import Foundation
import Lyrebird
import LyrebirdFoundation
import TestSupport
import Testing

@Suite(.inTurn) struct LocalizedErrorTests {
  /// One of each type.
  private static let errors: [any MediaError] = [
    SourceError(.changed, name: "a.mp4", offset: 4711),
    SinkError(.exists, name: "b.m4a"),
    TransferError.sink(SinkError(.cannotPatch, name: "c.m4a")),
    BitReader.EndOfData(),
    BoxError(.truncated, path: "moov/mvhd", field: "timescale", offset: 48),
    MP4Error(.noSuchTrack, file: "d.mp4", trackID: 3),
    AACError(.noFrames, file: "e.aac"),
    PCMFileError(.notPCM("MP3"), field: "wFormatTag", offset: 20, file: "f.wav"),
    AudioIOError(.noDevice, device: "bird"),
    AudioDecodingError.aac(AACError(.notAAC("MP3"), file: "g.mp4")),
    RecordingError(.unknownType, file: "h.ogg"),
    ConversionError(.finished),
    TagError(.unknownName, name: "x"),
    AudioCodecError(.notDecodable("8 channels"), codec: "ALAC"),
    AudioWritingError.unknownType(file: "i.ogg"),
    JoinError.noParts,
    RepairError.noSound(file: "j.mp4"),
    ChapterListError(.empty),
  ]

  @Test("no type of error is left out")
  func allTypes() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
    var types: Set<String> = []
    let files = FileManager.default.enumerator(at: sources.standardized, includingPropertiesForKeys: nil)
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      for match in try String(contentsOf: file, encoding: .utf8).matches(of: /extension ([\w.]+): MediaError \{/) {
        types.insert(String(match.output.1))
      }
    }
    #expect(types.count > 10)
    let shown = Set(
      LocalizedErrorTests.errors.map {
        String(reflecting: type(of: $0)).split(separator: ".").dropFirst().joined(separator: ".")
      })
    #expect(types.subtracting(shown) == [])
  }

  @Test("localizedDescription says what description says, through any Error", arguments: errors.indices)
  func throughAnyError(index: Int) {
    let error = LocalizedErrorTests.errors[index]
    let plain: any Error = error
    #expect(plain.localizedDescription == error.description)
    #expect((plain as NSError).localizedDescription == error.description)
    #expect((plain as? any LocalizedError)?.failureReason == error.reason)
    #expect((plain as? any LocalizedError)?.recoverySuggestion == error.recoverySuggestion)
  }

  @Test("the library speaks of no option of the command")
  func noOptions() {
    let errors: [any MediaError] =
      LocalizedErrorTests.errors + [
        MP4Error(.nothingToWrite), MP4Error(.fragmentedMovie), MP4Error(.noSuchTrack),
        RecordingError(.exists, file: "a.m4a"),
        AACError(.hasExtension("HE-AAC")), AudioIOError(.noServer("none")),
      ]
    for error in errors { #expect(!error.description.contains("--") && !error.description.contains("lyrebird")) }
  }

  @Test("localizedDescription says what description says, where the type is known, as typed throws have it")
  func throughTheType() {
    do throws(MP4Error) {
      _ = try MP4Demuxer(path: "/nowhere/a.mp4")
    } catch {
      #expect(error.localizedDescription == "/nowhere/a.mp4: no such file")
      #expect(error.localizedDescription == error.description)
    }
  }
}
