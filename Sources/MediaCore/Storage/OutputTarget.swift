/// Where a file is to appear in the end, with symbolic links resolved; examined before there is anything to write.
package struct OutputTarget: Sendable {
  /// What is there now.
  package enum Kind: Sendable {
    /// Nothing.
    case nothing
    /// A regular file that can be replaced.
    case file
    /// A regular file that is protected from writing.
    case protected
    /// A regular file on another file system than its folder: it is a mount point, which cannot be replaced.
    case mounted
    /// A folder.
    case folder
    /// A device, a pipe or a socket.
    case device
  }

  /// The path with symbolic links resolved: the path as given if there are none.
  package let path: String
  /// What is there now.
  package let kind: Kind
  let existing: FileStatus?

  /// Examines a path.
  ///
  /// - Throws: `SinkError` `.cannotCreate`: links that lead nowhere, a folder that cannot be searched.
  package init(_ name: String) throws(SinkError) {
    do throws(SystemError) {
      path = System.linkTarget(name) == nil ? name : try OutputPlace.target(of: name)
      existing = try System.status(of: path)
      kind = try OutputTarget.kind(of: path, existing)
    } catch {
      throw SinkError(.cannotCreate(error.number), name: name)
    }
  }

  /// Whether anything is there now, whatever was there before. What cannot be examined counts as there.
  package var isTaken: Bool { EditableFile.exists(path) }

  /// Syncs the names in the target's folder to the disk. Failure is not reported: the recording is there either way.
  package func syncFolder() {
    guard let folder = try? System.openFolder(of: path) else { return }
    try? System.syncFolder(folder)
  }

  private static func kind(of path: String, _ status: FileStatus?) throws(SystemError) -> Kind {
    guard let status else { return .nothing }
    switch status.kind {
    case .folder: return .folder
    case .other: return .device
    case .regular:
      guard (try? System.checkWritable(path, status)) != nil else { return .protected }
      let folder = try System.status(of: System.folder(of: path))
      return folder?.identity.device == status.identity.device ? .file : .mounted
    }
  }
}
