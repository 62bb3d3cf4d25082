internal import ArgumentParser
internal import Lyrebird

/// A place in a movie as people name it: a time, `#` and the number of a frame, or the title of a chapter.
enum Moment: ExpressibleByArgument, Equatable {
  case time(TimeSpan)
  case frame(UInt64)
  case chapter(String)

  init?(argument: String) {
    if let time = TimeSpan(argument: argument) {
      self = .time(time)
    } else if argument.hasPrefix("#"), let number = UInt64(argument.dropFirst()) {
      self = .frame(number)
    } else if argument.isEmpty {
      return nil
    } else {
      self = .chapter(argument)
    }
  }

  /// The time that it means in a movie.
  ///
  /// - Parameters:
  ///   - movie: the movie.
  ///   - isEnd: whether a chapter means its end.
  ///   - file: the name of the movie in messages.
  /// - Throws: `MP4Error`; `Failure` if there is no such frame or chapter.
  func time(in movie: MP4Demuxer, isEnd: Bool, file: String) throws -> MediaTime {
    switch self {
    case .time(let span): return span.time
    case .frame(let number):
      guard let track = movie.videoTrack ?? movie.audioTrack else {
        throw Failure(status: .badData, "\(file): no video or audio track, so there are no frames to count")
      }
      let decoder = track.kind == .audio ? try? AudioTrackDecoder(movie, track: track) : nil
      let rate = decoder?.format.sampleRate
      if let time = try movie.presentationTime(ofFrame: number, in: track, sampleRate: rate) { return time }
      throw Failure(
        status: .usage, "\(file): there is no \(track.kind == .video ? "video" : "audio") frame #\(number)")
    case .chapter(let title):
      let chapters = try movie.chapters()
      guard let index = Moment.index(of: title, in: chapters) else {
        throw Failure(status: .usage, Moment.unknown(title, chapters, file: file))
      }
      guard isEnd else { return chapters[index].start }
      return index + 1 < chapters.count ? chapters[index + 1].start : movie.duration
    }
  }

  private static func index(of title: String, in chapters: [Chapter]) -> Int? {
    chapters.firstIndex { $0.title == title }
      ?? chapters.firstIndex { $0.title.lowercased() == title.lowercased() }
  }

  private static func unknown(_ title: String, _ chapters: [Chapter], file: String) -> String {
    if chapters.isEmpty {
      return
        "\(file): \"\(title)\" is neither a time such as 1:02:03.25 nor a frame such as #100, and the movie has no "
        + "chapters"
    }
    let shown = 12
    var titles = chapters.prefix(shown).map { "\"\($0.title)\"" }
    if chapters.count > shown { titles.append("\(chapters.count - shown) more") }
    return "\(file): no chapter \"\(title)\"; the chapters are \(Text.list(titles))"
  }
}
