internal import Lyrebird

extension AACStream {
  /// Reports on standard error what was not part of the stream, and what is missing from it, once it was read.
  func warn(file: String) {
    adts?.report.warn(file: file)
    loas?.report.warn(file: file)
    reportMissing(file: file)
  }

  /// Reports on standard error what is missing from the stream, once it was read.
  func reportMissing(file: String) {
    InputFile.reportMissing(missingBytes, file: file)
  }
}

extension ADTSReader.Report {
  fileprivate func warn(file: String) {
    // A frame that is cut off is neither.
    let cutTail = min(tailBytes, cutBytes)
    let (junkBytes, tailBytes) = (junkBytes - min(junkBytes, cutBytes - cutTail), tailBytes - cutTail)
    if junkBytes > 0 { Messages.warning("\(file): skipped \(junkBytes) bytes of other data between frames") }
    if tailBytes > 0 { Messages.warning("\(file): left out \(tailBytes) bytes after the last whole frame") }
    if headerChanges > 0 {
      Messages.warning("\(file): \(Text.count(headerChanges, "frame")) with another header than the first")
    }
  }
}

extension LOASReader.Report {
  fileprivate func warn(file: String) {
    if unconfiguredFrames > 0 {
      Messages.warning("\(file): left out \(Text.count(unconfiguredFrames, "frame")) before the first configuration")
    }
    if damagedFrames > 0 { Messages.warning("\(file): left out \(damagedFrames) damaged frames") }
    if junkBytes > 0 { Messages.warning("\(file): skipped \(junkBytes) bytes of other data between frames") }
    if tailBytes > 0, !isTruncated {
      Messages.warning("\(file): left out \(tailBytes) bytes after the last whole frame")
    }
    if configurationChanges > 0 {
      Messages.warning("\(file): the configuration changes \(configurationChanges) times")
    }
  }
}
