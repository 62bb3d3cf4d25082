internal import MediaCore

/// The final path of a recording, and the path where it grows until then: checked before there is any sound.
struct RecordingTarget {
  /// The name as it was given.
  let name: String
  /// The kind of file.
  let type: AudioFileType
  /// What is there now, with symbolic links resolved.
  let output: OutputTarget
  /// The file that grows: in the same folder as the file to be replaced, so that a rename is enough in the end.
  let workingPath: String

  /// Examines a path.
  ///
  /// - Throws: `RecordingError`: `.unknownType`, `.exists`, `.notReplaceable`, `.beingRecorded`; `SinkError`
  ///   `.cannotCreate`.
  init(_ path: String, clobber: Bool) throws {
    name = path
    guard let type = AudioFileType(path: path) else { throw RecordingError(.unknownType, file: path) }
    self.type = type
    output = try OutputTarget(path)
    workingPath = RecordingWriter.workingPath(for: output.path)
    let problem: String? =
      switch output.kind {
      case .nothing, .file: nil
      case .protected: "is protected from writing"
      case .mounted: "is mounted there, and cannot be replaced"
      case .folder: "is a folder"
      case .device: "is a device or a pipe, and a recording needs a file"
      }
    if output.kind == .file, FileSink.isGrowing(output.path) { throw RecordingError(.beingRecorded, file: path) }
    if let problem { throw RecordingError(.notReplaceable(problem), file: path) }
    if !clobber, output.kind == .file { throw RecordingError(.exists, file: path) }
  }

  /// Opens the file that grows.
  ///
  /// - Throws: `RecordingError`: `.leftover`, `.beingRecorded`; `SinkError` `.cannotCreate`.
  func open() throws -> FileSink {
    do {
      return try FileSink(growingPath: workingPath, replacing: output)
    } catch  where error.code == .exists {
      throw RecordingError(FileSink.isInUse(workingPath) ? .beingRecorded : .leftover, file: workingPath)
    }
  }
}
