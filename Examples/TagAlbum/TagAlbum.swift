// Songs become an album: each gets the album's name, its number, a title and the cover.
//
//     swift run tag-album Dawn cover.jpg '01 Mist.m4a' '02 Dew.m4a'
//
// Tags are in the index of a movie, in front of the sound or after it. A cover seldom fits beside an index that is in
// front; other programs then write the whole file anew. Here the file system is asked to insert some blocks, or what is
// free already is used, and the sound stays where it is on the disk. At every moment the file is a song that plays, with
// its old tags or its new ones: whoever pulls the plug loses nothing.

import Lyrebird

@main
struct TagAlbum {
  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    guard words.count >= 3, let album = words.first, let cover = words.dropFirst().first else {
      print("usage: tag-album ALBUM COVER.jpg SONG.m4a …")
      return
    }
    // A picture's first bytes tell what it is; what is none is refused when it is to become a cover.
    let picture = SourceReader(try FileSource(path: cover))
    let artwork = MovieMetadata.Artwork(try picture.bytes(at: 0, count: Int(picture.size)))
    let songs = words.dropFirst(2)
    for (number, path) in zip(1..., songs) {
      // Names and values are checked here, before any file is touched.
      var changes = TagChanges()
      try changes.set("album", to: album)
      try changes.set("track", to: "\(number)/\(songs.count)")
      try changes.set("title", to: title(of: path))
      try changes.setCovers([artwork])
      // What is not named, the artist for one, stays as it is, byte for byte.
      let summary = try Tagger(path: path).run(changes)
      print("\(path): \(way(summary.method))")
    }
  }

  /// The name of a song's file, without its folder, its number in front and its extension.
  private static func title(of path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    let name = file.split(separator: ".").dropLast().joined(separator: ".")
    let plain = name.drop { $0.isNumber || $0 == " " || $0 == "-" }
    return plain.isEmpty ? String(file) : String(plain)
  }

  private static func way(_ method: Tagger.Method) -> String {
    switch method {
    case .unchanged: "tagged already"
    case .inPadding: "tagged, in free space"
    case .atEnd: "tagged, at the end"
    case .inserted(let bytes): "tagged, \(bytes) bytes inserted"
    case .rewritten: "tagged, in a new file"
    }
  }
}
