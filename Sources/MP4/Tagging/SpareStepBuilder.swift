internal import ISOBMFF
internal import MediaCore

/// Builds the steps for a movie in fragments, whose index is not at one place: the new movie box goes into free space
/// beside the old one, and then eight bytes decide which of the two is found.
///
///     before    ftyp │ moov │ free               │ moof …
///     written   ftyp │ moov │ free: (moov, free) │ moof …
///     finished  ftyp │ free        │ moov │ free │ moof …
///
/// The next time, there is free space before it.
struct SpareStepBuilder {
  let movie: MP4Demuxer
  let layout: TagLayout
  let box: TaggedMovieBox

  /// The steps, what the file becomes, and the free space after the movie box; `nil` without enough free space.
  ///
  /// - Throws: `MP4Error` `.source`.
  func steps() throws(MP4Error) -> ([EditStep], OutputPlan, UInt64)? {
    let count = UInt64(box.bytes.count)
    // A header that is overwritten must lie in one sector of the disk.
    if let space = layout.spaceBefore, space.headerSize == 8, space.offset % 512 <= 512 - 8,
      count + 8 <= space.end - space.offset
    {
      let padding = layout.regionEnd - space.offset - count
      guard let header = SpareStepBuilder.free(padding) else { return nil }
      let content = box.bytes + header
      // The first eight bytes are the switch: until then they are those of the free space.
      let steps = try steps(
        Array(content.dropFirst(8)), at: space.offset + 8, Array(content.prefix(8)), at: space.offset)
      return (steps, try plan(content, at: space.offset, nil), padding)
    }
    guard let space = layout.spaceAfter, space.offset == layout.moov.end, space.headerSize == 8 else { return nil }
    let start = space.offset + 8
    guard start + count == space.end || start + count + 8 <= space.end else { return nil }
    let padding = layout.regionEnd - start - count
    guard let header = padding == 0 ? [] : SpareStepBuilder.free(padding),
      let jump = SpareStepBuilder.free(start - layout.moov.offset)
    else { return nil }
    let content = box.bytes + header
    return (
      try steps(content, at: start, jump, at: layout.moov.offset),
      try plan(content, at: start, (layout.moov.offset, jump)), padding
    )
  }

  /// Writes the content into free space, where no reader looks, then the header that makes it the movie box.
  private func steps(
    _ content: [UInt8], at offset: UInt64, _ header: [UInt8], at switchOffset: UInt64
  ) throws(MP4Error) -> [EditStep] {
    let clean: [FileEdit] = [.write(try movie.reader.exactly(UInt64(content.count), at: offset), at: offset), .sync]
    let back = FileEdit.write(try movie.reader.exactly(UInt64(header.count), at: switchOffset), at: switchOffset)
    return [
      EditStep(edit: .write(content, at: offset), undo: clean),
      EditStep(edit: .sync, undo: clean),
      EditStep(edit: .write(header, at: switchOffset), undo: [back, .sync] + clean),
      EditStep(edit: .sync, undo: [back, .sync] + clean),
    ]
  }

  /// The file with `content` written at `offset` and, if given, `jump` written before it.
  private func plan(_ content: [UInt8], at offset: UInt64, _ jump: (UInt64, [UInt8])?) throws(MP4Error) -> OutputPlan {
    var plan = OutputPlan()
    var end: UInt64 = 0
    for (offset, bytes) in (jump.map { [$0] } ?? []) + [(offset, content)] {
      plan.append(movie.reader, offset: end, count: offset - end)
      plan.append(bytes)
      end = offset + UInt64(bytes.count)
    }
    plan.append(movie.reader, offset: end, count: layout.size - end)
    return plan
  }

  private static func free(_ size: UInt64) -> [UInt8]? {
    guard size >= 8, size <= UInt64(UInt32.max) else { return nil }
    return .freeHeader(size)
  }
}
