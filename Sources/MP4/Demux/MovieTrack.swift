internal import ISOBMFF
internal import MediaCore

/// A track of an opened movie: its description, the box it was read from, and the index of its samples.
struct MovieTrack: Sendable {
  let description: Track
  /// Its `trak` box; `nil` for a track that occurs in fragments only.
  let trak: BoxNode?
  let index: SampleIndex
  /// Where its samples and fragments are read from.
  let reader: SourceReader
  /// The source of those tables of `trak` that were not loaded: the file, or memory if the movie header was compressed.
  let moovReader: SourceReader

  var id: UInt32 { description.id }

  /// Whether it has any samples, as far as the index says.
  var hasSamples: Bool { description.sampleCount > 0 }

  /// Its fragments, in file order.
  var fragments: [TrackFragment] { index.fragments?.entries ?? [] }

  /// Its sample table box.
  var sampleTable: BoxNode? { trak?.first("mdia", "minf", "stbl") }

  /// A reader positioned at its first sample.
  func samples() -> SampleReader {
    SampleReader(reader: reader, trackID: id, timescale: description.timescale, index: index)
  }

  /// The `traf` box of one of its fragments, with everything in it.
  ///
  /// - Throws: `MP4Error` `.box`, `.source`.
  func box(of fragment: TrackFragment) throws(MP4Error) -> BoxNode {
    var parser = BoxParser(reader)
    do throws(BoxError) {
      let end = fragment.offset + UInt64(fragment.size)
      guard let header = try parser.header(at: fragment.offset, limit: end) else { return BoxNode("traf") }
      return try parser.node(header, parent: "moof")
    } catch {
      throw failure(error)
    }
  }

  /// An error about this track.
  func failure(_ code: MP4Error.Code, path: String? = nil) -> MP4Error {
    MP4Error(code, file: reader.source.name, trackID: id, path: path)
  }

  /// An error about one of its boxes.
  func failure(_ error: BoxError) -> MP4Error {
    MP4Error(error, file: reader.source.name, trackID: id)
  }
}
