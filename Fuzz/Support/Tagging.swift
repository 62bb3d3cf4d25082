import MP4
import MediaCore

/// Tags a movie with texts and a cover of so many bytes, then removes all tags.
func checkTagging(_ bytes: [UInt8], size: Int, onDisk: Bool) {
  let file = Scratch("tagging.mp4", onDisk: onDisk)
  file.write(bytes)
  defer { file.remove() }
  let old = try? MP4Demuxer(source: MemorySource(bytes))
  do {
    var changes = TagChanges()
    try changes.set("title", to: "Dawn")
    try changes.set("com.apple.quicktime.make", to: "Nobody")
    try changes.setCovers([.init([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 7, count: size))])
    let outcome = try Tagger(path: file.path).run(changes)
    guard let old else { fatalError("violated: what cannot be read is not changed") }
    let new = try MP4Demuxer(source: MemorySource(file.bytes ?? []))
    require(new.metadata["©nam"] == "Dawn", "the title is there: \(outcome)")
    require(new.metadata["com.apple.quicktime.make"] == "Nobody", "the key is there: \(outcome)")
    require(new.metadata.artwork.contains { $0.data.count == size + 3 }, "the cover is there: \(outcome)")
    if isSmall(old) { compare(old, new, nil, "tagged: \(outcome)") }
  } catch {
    require(file.bytes == bytes, "a file that cannot be tagged stays what it is: \(error)")
    return
  }
  var none = TagChanges()
  none.removeAll()
  let tagged = file.bytes
  do {
    try Tagger(path: file.path).run(none)
    let bare = try MP4Demuxer(source: MemorySource(file.bytes ?? []))
    // What a box at the top level says is not changed.
    guard old?.metadata["©nam"] == nil, old?.metadata.artwork.isEmpty == true else { return }
    require(bare.metadata["©nam"] == nil && bare.metadata.artwork.isEmpty, "all tags are gone")
  } catch {
    require(file.bytes == tagged, "a file whose tags cannot be removed stays what it is: \(error)")
  }
}
