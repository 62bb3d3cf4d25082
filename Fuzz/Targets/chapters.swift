import Lyrebird
import MediaCore

// Whatever the text is, reading it as a list of chapters ends with chapters or with an error; and chapters that are
// written as any kind of list are read again as they were, to the millisecond; in JSON with their titles.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChapters(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: input(start, count), as: UTF8.self)
  guard let chapters = try? ChapterList.read(text) else { return 0 }
  require(!chapters.isEmpty, "a list without chapters is an error")
  let end = chapters.map(\.start).max() ?? .zero
  for kind in ChapterList.allCases {
    let list = kind.written(chapters, duration: end + MediaTime(value: 1, timescale: 1))
    do throws(ChapterListError) {
      let again = try ChapterList.read(list)
      require(again.count == chapters.count, "\(kind): \(chapters.count) chapters, \(again.count) read again")
      for (old, new) in zip(chapters.sorted { $0.start < $1.start }, again) {
        // What begins before the movie begins with it.
        let (then, now) = (max(old.start.seconds, 0), new.start.seconds)
        require(abs(then - now) < 0.001 + then * 1e-12, "\(kind): times stay what they are: \(then), \(now)")
        require(
          kind != .json || old.title == new.title, "\(kind): titles stay what they are: \(old.title), \(new.title)")
      }
    } catch {
      fatalError("violated: \(kind) can be read again: \(error): \(list)")
    }
  }
  return 0
}
