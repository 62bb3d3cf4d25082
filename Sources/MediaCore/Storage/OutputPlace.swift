/// Where a new file is to appear, and how it gets there from where it is written.
struct OutputPlace {
  /// The file's path, with symbolic links resolved.
  let target: String
  /// Whether there is an older file.
  let isReplacing: Bool
  /// Whether an older file may be replaced.
  private let clobber: Bool
  /// The file's name until then, if it has one.
  private let temporary: String?

  /// How many symbolic links in a row are followed: as many as Linux itself follows.
  private static let maximumLinks = 40

  /// Opens a file that gets its name later.
  ///
  /// - Parameter existing: the older file, whose owner, mode and extended attributes are passed on.
  static func open(_ path: String, clobber: Bool, replacing existing: FileStatus?) throws(SystemError) -> (
    OutputPlace, FileDescriptor
  ) {
    let target = try target(of: path)
    let (file, temporary) = try createTemporary(for: target)
    let place = OutputPlace(
      target: target, isReplacing: existing != nil, clobber: clobber, temporary: temporary)
    if let existing {
      System.setOwner(file, owner: existing.owner, group: existing.group)
      System.copyAttributes(of: target, to: file)
      do {
        try System.setMode(file, existing.mode)
      } catch {
        place.abandon()
        throw error
      }
    }
    return (place, file)
  }

  /// The file that a path refers to, with symbolic links resolved, whether it exists or not.
  static func target(of path: String) throws(SystemError) -> String {
    if let found = System.resolved(path) { return found }
    var path = path
    for _ in 0..<maximumLinks {
      guard let link = System.linkTarget(path) else { return path }
      path = link.hasPrefix("/") ? link : System.folder(of: path) + "/" + link
    }
    throw SystemError(number: SystemError.tooManyLinks)
  }

  private static func createTemporary(for target: String) throws(SystemError) -> (FileDescriptor, String?) {
    do {
      let file = try System.createUnnamed(inFolder: System.folder(of: target))
      if System.canLink(file) { return (file, nil) }
    } catch  where !SystemError.notSupported.contains(error.number) {
      throw error
    } catch {
      // This file system has no unnamed files.
    }
    let temporary = temporaryName(for: target)
    return (try System.create(temporary), temporary)
  }

  /// A hidden name beside the target. File systems take names of 255 bytes, so a long one is cut short.
  private static func temporaryName(for target: String) -> String {
    let base = target.lastIndex(of: "/").map { target[target.index(after: $0)...] } ?? target[...]
    let unique = String(UInt64.random(in: 0 ... .max), radix: 36)
    return System.folder(of: target) + "/." + String(decoding: base.utf8.prefix(100), as: UTF8.self) + "." + unique
      + ".part"
  }

  /// Gives the file its name, in one step.
  func publish(_ file: FileDescriptor) throws(SystemError) {
    if let temporary { return try System.rename(temporary, to: target, replacing: clobber) }
    if !isReplacing || !clobber {
      do {
        return try System.link(file, to: target)
      } catch  where clobber && error.number == SystemError.exists {
        // A file of that name appeared in the meantime: replace it, as below.
      }
    }
    // A link cannot replace an existing name, a rename can: so the file briefly gets a hidden name.
    let between = OutputPlace.temporaryName(for: target)
    try System.link(file, to: between)
    do {
      try System.rename(between, to: target)
    } catch {
      System.remove(between)
      throw error
    }
  }

  /// Removes the file that was to take the name.
  func abandon() {
    if let temporary { System.remove(temporary) }
  }
}
