internal import ISOBMFF
internal import MediaCore

extension BoxNode {
  /// Replaces the gapless tag of a movie header, if there is one; without a text it is removed.
  mutating func replaceGaplessText(with text: String?) {
    change("udta") { udta in
      udta.change("meta") { meta in
        meta.change("ilst") { list in
          func isGapless(_ item: BoxNode) -> Bool {
            item.child("name", as: MetadataNameBox.self)?.text == "iTunSMPB"
          }
          guard let text else { return list.children.removeAll(where: isGapless) }
          for index in list.children.indices where isGapless(list.children[index]) {
            list.children[index].change("data") { $0.edit(MetadataDataBox.self) { $0.value = Array(text.utf8)[...] } }
          }
        }
      }
    }
  }

  /// Trims the chapter list to a stretch; the chapter that is playing when it starts is moved to 0.
  mutating func cutChapterList(to clip: MovieClip) {
    func ticks(_ time: MediaTime) -> UInt64 { UInt64(max(time.converted(to: 10_000_000)?.value ?? .max, 0)) }
    let (start, end) = (ticks(clip.start), clip.end.map(ticks) ?? .max)
    change("udta") { udta in
      udta.change("chpl") { node in
        node.edit(ChapterListBox.self) { list in
          let first = list.chapters.lastIndex { $0.start <= start } ?? 0
          list.chapters = list.chapters.dropFirst(first).filter { $0.start < end }
          for index in list.chapters.indices {
            let time = list.chapters[index].start
            list.chapters[index].start = time > start ? time - start : 0
          }
        }
      }
    }
  }
}
