internal import ISOBMFF
internal import MediaCore

/// Builds the steps, with the bytes that each writes; see `FastStartPlan` for how they work together.
struct FastStartStepBuilder {
  let movie: MP4Demuxer
  let layout: FastStartLayout
  let movieBox: ShiftedMovieBox

  /// What is appended to the file: a `free` box in which other boxes are hidden.
  private struct Appendix {
    var bytes = [UInt8](repeating: 0, count: 8)
    /// Its offset: the end of the file.
    let start: UInt64
    /// Where the media box ends while it is the switch.
    var mediaEnd: UInt64 = 0

    var end: UInt64 { start + UInt64(bytes.count) }
  }

  /// The steps; `nil` if a size does not fit in its field.
  func steps() throws(MP4Error) -> [EditStep]? {
    let appendix = try appendix()
    guard let longer = mediaSize(appendix.mediaEnd - layout.media.offset),
      appendix.bytes.count <= UInt32.max
    else { return nil }
    let shorten: [FileEdit] = [.truncate(layout.size)]
    let close: [FileEdit] = [.write(try original(longer), at: longer.at), .sync] + shorten
    var steps: [EditStep] = []
    func add(_ edit: FileEdit, undo: [FileEdit] = []) { steps.append(.init(edit: edit, undo: undo)) }

    // Both indexes, inside a box that readers skip.
    add(.reserve(UInt64(appendix.bytes.count), at: appendix.start), undo: shorten)
    add(.write(appendix.bytes, at: appendix.start), undo: shorten)
    add(.sync, undo: shorten)
    // From here on the end of the media decides which index is found.
    add(.write(longer.bytes, at: longer.at), undo: close)
    add(.sync, undo: close)
    add(.insert(movieBox.room, at: layout.insertionOffset), undo: close)
    // A full disk is noticed here, while everything can still be undone.
    let collapse = FileEdit.collapse(movieBox.room, at: layout.insertionOffset)
    add(.reserve(movieBox.room, at: layout.insertionOffset), undo: [collapse] + close)
    add(.write(try room(), at: layout.insertionOffset))
    // There would be two indexes once the old one is no longer inside the media.
    add(.write(FastStartStepBuilder.type("free"), at: layout.moov.offset + movieBox.room + 4))
    add(.sync)
    let front = UInt32(layout.insertionOffset - layout.media.offset)
    add(.write(FastStartStepBuilder.number(front) + FastStartStepBuilder.type("free"), at: layout.media.offset))
    add(.sync)
    // The room of the old index at the end of the file is removed too.
    add(.truncate((layout.moov.end == layout.size ? layout.moov.offset : layout.size) + movieBox.room))
    return steps
  }

  // MARK: After the file

  /// Copies of split chunks, the interim index and the old one, each at its planned offset.
  private func appendix() throws(MP4Error) -> Appendix {
    var appendix = Appendix(start: layout.size)
    // Reserves memory for everything at once, mainly both indexes: an array that grows by doubling is copied each time.
    let indexes = movieBox.room + (layout.moov.end - layout.moov.offset)
    appendix.bytes.reserveCapacity(Int(clamping: indexes + movieBox.splitSize + layout.extrasSize + 64))
    var copies: [UInt64] = []
    for chunk in movieBox.split {
      copies.append(appendix.end + movieBox.room)
      appendix.bytes += try load(chunk.offset, chunk.count)
    }
    let interim = movieBox.interim(copies: copies)
    let old = try load(layout.moov.offset, layout.moov.end - layout.moov.offset)
    // Before the insertion the media ends at the old index; after it, at the interim one, which is that much earlier.
    appendix.mediaEnd = appendix.end + movieBox.room
    appendix.bytes += interim
    // A reader that finds the interim index skips what lies between it and the boxes after the old one.
    let hidden = appendix.mediaEnd + UInt64(old.count) - appendix.end
    appendix.bytes += BoxHeader(type: "free").written(payloadSize: hidden - 8)
    appendix.bytes += [UInt8](repeating: 0, count: Int(appendix.mediaEnd - appendix.end))
    appendix.bytes += old
    for box in layout.extras { appendix.bytes += try load(box.offset, box.end - box.offset) }
    let header = BoxHeader(type: "free").written(payloadSize: UInt64(appendix.bytes.count - 8))
    appendix.bytes.replaceSubrange(..<8, with: header)
    return appendix
  }

  /// The media box's size field with another size; `nil` if the field has too few bits.
  private func mediaSize(_ size: UInt64) -> (bytes: [UInt8], at: UInt64)? {
    var bytes: [UInt8] = []
    if layout.media.sizeForm == .large {
      bytes.appendBigEndian(size)
      return (bytes, layout.media.offset + 8)
    }
    guard let size = UInt32(exactly: size) else { return nil }
    return (FastStartStepBuilder.number(size), layout.media.offset)
  }

  private func original(_ field: (bytes: [UInt8], at: UInt64)) throws(MP4Error) -> [UInt8] {
    try load(field.at, UInt64(field.bytes.count))
  }

  // MARK: In front of the media

  /// The final index, padding, the media's header, and the media before the room.
  private func room() throws(MP4Error) -> [UInt8] {
    let payload = layout.media.end - layout.media.payloadOffset
    let header = BoxHeader(type: "mdat").written(payloadSize: payload)
    let inFront = try load(layout.media.payloadOffset, layout.insertionOffset - layout.media.payloadOffset)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(clamping: movieBox.room))
    bytes += movieBox.final()
    bytes += .free(Int(movieBox.room) - bytes.count - header.count - inFront.count)
    return bytes + header + inFront
  }

  private func load(_ offset: UInt64, _ count: UInt64) throws(MP4Error) -> [UInt8] {
    try movie.reader.exactly(count, at: offset)
  }

  private static func number(_ number: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(number)
    return bytes
  }

  private static func type(_ type: FourCC) -> [UInt8] { number(type.rawValue) }
}
