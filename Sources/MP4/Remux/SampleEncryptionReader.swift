internal import ISOBMFF
internal import MediaCore

/// Collects the encryption data of a track's samples, from the movie header or from all its fragments.
struct SampleEncryptionReader {
  private let movie: MP4Demuxer
  private let place: Int
  private var result = SampleEncryption()

  init(_ movie: MP4Demuxer, place: Int) {
    self.movie = movie
    self.place = place
  }

  /// The data of all samples, or `nil` for a track that has none.
  ///
  /// - Throws: `MP4Error`: `.box` for data that does not match its samples, `.source`.
  mutating func read() throws(MP4Error) -> SampleEncryption? {
    let traks = movie.moov.all("trak")
    if traks.indices.contains(place), let stbl = traks[place].first("mdia", "minf", "stbl"), stbl.first("senc") != nil {
      try add(stbl, from: movie.moovReader)
    }
    for fragment in movie.indexes[place].fragments?.fragments ?? [] {
      let traf = try node(of: fragment)
      guard traf.first("senc") != nil else {
        // A clear fragment among encrypted ones: samples without data.
        result.sizes += Array(repeating: 0, count: Int(fragment.sampleCount))
        continue
      }
      try add(traf, from: movie.reader)
    }
    return result.bytes.isEmpty && result.flags == 0 ? nil : result
  }

  private func node(of fragment: TrackFragment) throws(MP4Error) -> BoxNode {
    var parser = BoxParser(movie.reader)
    do throws(BoxError) {
      let end = fragment.offset + UInt64(fragment.size)
      guard let header = try parser.header(at: fragment.offset, limit: end) else { return BoxNode("traf") }
      return try parser.node(header, parent: "moof")
    } catch {
      throw MP4Error(error, file: movie.reader.source.name, trackID: movie.tracks[place].id)
    }
  }

  /// Adds the samples of one `senc`, which stands beside its `saiz` as a rule.
  private mutating func add(_ parent: BoxNode, from reader: SourceReader) throws(MP4Error) {
    do throws(BoxError) {
      guard let data: SampleEncryptionBox = try box("senc", in: parent, reader) else { return }
      let sizes: SampleAuxiliaryInformationSizesBox? = try box("saiz", in: parent, reader)
      result.flags |= data.versionAndFlags.flags
      result.sizes += try self.sizes(data, sizes)
      result.bytes += data.samples.prefix(result.sizes.suffix(Int(data.sampleCount)).reduce(0) { $0 + Int($1) })
    } catch {
      throw MP4Error(error, file: movie.reader.source.name, trackID: movie.tracks[place].id)
    }
  }

  private func box<Kind: Box>(_ type: FourCC, in parent: BoxNode, _ reader: SourceReader) throws(BoxError) -> Kind? {
    guard let node = parent.first(type) else { return nil }
    guard case .deferred = node.content else { return node.box() }
    let payload: [UInt8]
    do throws(SourceError) {
      payload = try reader.bytes(at: node.header.payloadOffset, count: Int(clamping: node.header.payloadSize))
    } catch {
      throw BoxError(.source(error), offset: node.header.offset)
    }
    do throws(BoxError) {
      return try Kind.read(payload[...]).0
    } catch {
      throw error.located(path: type.description, offset: node.header.offset)
    }
  }

  /// Bytes for each sample: as `saiz` says, or as the data itself does once the length of its vectors is known.
  private func sizes(_ data: SampleEncryptionBox, _ sizes: SampleAuxiliaryInformationSizesBox?) throws(BoxError)
    -> [UInt8]
  {
    let count = Int(data.sampleCount)
    if let sizes, sizes.sampleCount == data.sampleCount {
      let listed = sizes.defaultSize > 0 ? Array(repeating: sizes.defaultSize, count: count) : Array(sizes.sizes)
      if listed.count == count, listed.reduce(0, { $0 + Int($1) }) <= data.samples.count { return listed }
    }
    var found: [UInt8] = []
    var position = data.samples.startIndex
    for _ in 0..<count {
      var size = vectorSize
      if data.versionAndFlags.flags & 2 != 0 {
        let parts = data.samples.dropFirst(position - data.samples.startIndex + size).prefix(2)
        guard parts.count == 2 else { throw BoxError(.truncated, path: "senc", field: "subsample_count") }
        size += 2 + 6 * parts.reduce(0) { $0 << 8 | Int($1) }
      }
      guard size <= Int(UInt8.max), data.samples.endIndex - position >= size else {
        throw BoxError(.truncated, path: "senc", field: "samples")
      }
      found.append(UInt8(size))
      position += size
    }
    return found
  }

  private var vectorSize: Int {
    let entry = movie.moov.all("trak")[place].first("mdia", "minf", "stbl", "stsd")?.children.first
    let tenc = entry?.first("sinf")?.first("schi")?.child("tenc", as: TrackEncryptionBox.self)
    return Int(tenc?.perSampleIVSize ?? 8)
  }
}
