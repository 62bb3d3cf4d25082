import Foundation
import MP4
import MediaCore
import TestSupport
import Testing

/// Every real file taken apart into samples and put together again, and the result read by code that is not ours.
@Suite(.inTurn, .needs(.corpus))
struct MuxerCorpusTests {
  /// Files whose samples are all there.
  private static let movies = OracleMovie.all.filter { movie in
    let tracks = movie.tracks
    return ["read", "sets"].contains(movie.expectation) && tracks.contains { $0.samples > 0 }
      && tracks.allSatisfy(\.isWhole)
  }

  @Test(
    "every real file, rebuilt sample by sample with its tracks in random order, is what it was",
    arguments: MuxedLayout.allCases)
  func rebuilds(layout: MuxedLayout) throws {
    let folder = try TemporaryFolder()
    var jobs: [[String: String]] = []
    for (number, file) in Self.movies.enumerated() {
      var source = Shared.corpus.appendingPathComponent(file.parts[0]).path
      if file.parts.count > 1 {
        source = folder.path("\(number).source")
        try Data(file.bytes()).write(to: URL(fileURLWithPath: source))
      }
      let output = folder.path("\(number).mp4")
      do {
        try Self.rebuild(source, output, layout, seed: UInt64(number))
        jobs.append(["name": file.description, "source": source, "output": output, "layout": layout.rawValue])
      } catch {
        Issue.record("\(file): \(error)")
      }
    }
    #expect(jobs.count == Self.movies.count && jobs.count > 200)
    let list = URL(fileURLWithPath: folder.path("jobs.json"))
    try JSONSerialization.data(withJSONObject: jobs).write(to: list)
    let tools = Shared.folder.appendingPathComponent("tools").path
    let result = try Tool.python.run(["-c", Self.check, tools, list.path])
    #expect(result.status == 0, "\(result.errors)")
    for line in String(decoding: result.output, as: UTF8.self).split(separator: "\n") { Issue.record("\(line)") }
  }

  @Test("what can be read of a damaged file makes a whole one")
  func damaged() throws {
    var made = 0
    for file in OracleMovie.all where ["truncated", "robust"].contains(file.expectation) {
      guard let movie = try? opened(file.bytes()) else { continue }
      for layout in MuxedLayout.allCases {
        let tracks = movie.tracks.filter { !$0.descriptions.isEmpty && !movie.isExternal($0) }
        guard let first = tracks.first else { continue }
        var allowance = PayloadAllowance(for: movie)
        let memory = MemorySink()
        let muxer = try MP4Muxer(to: memory, tracks: [MuxerTrack(first)], options: layout.options)
        var samples = movie.samples(of: first)
        var count: UInt64 = 0
        while let sample = try? samples.next(), (try? allowance.take(sample.payload.count)) != nil {
          // A table may claim what a muxer does not take.
          if (try? muxer.append(sample)) != nil { count += 1 }
        }
        guard count > 0 else { continue }
        try muxer.finish()
        let again = try opened(memory.bytes)
        #expect(again.issues.isEmpty, "\(file), \(layout)")
        #expect(again.tracks.first?.sampleCount == count, "\(file), \(layout)")
        let found = Delivery(again.samples(of: again.tracks[0]))
        #expect(found.error == nil && found.records.count == Int(count), "\(file), \(layout)")
        made += 1
      }
    }
    // Three files have anything whole in them.
    #expect(made >= 9)
  }

  /// Takes a movie apart and puts it together, a sample of some track after the other.
  private static func rebuild(_ source: String, _ output: String, _ layout: MuxedLayout, seed: UInt64) throws {
    let movie = try MP4Demuxer(path: source)
    let tracks = movie.tracks.filter { !$0.descriptions.isEmpty }
    var options = layout.options
    options.brands = [movie.brands.major] + movie.brands.compatible.filter { $0 != movie.brands.major }
    options.metadata = movie.metadata
    options.chapters = movie.metadata.listedChapters
    options.hasChapterTrack = false
    let muxer = try MP4Muxer(path: output, tracks: tracks.map { MuxerTrack($0) }, options: options)
    var readers = tracks.map { movie.samples(of: $0) }
    var open = Array(tracks.indices)
    var noise = Noise(seed: seed)
    while let track = open.randomElement(using: &noise) {
      // Some in a row, so that tracks get far apart.
      for _ in 0..<Int.random(in: 1...40, using: &noise) {
        guard let sample = try readers[track].next() else {
          open.removeAll { $0 == track }
          break
        }
        try muxer.append(sample)
      }
    }
    try muxer.finish()
  }

  /// What must not have changed, as the independent reader sees it. What a muxer cannot be given is left out:
  /// encryption data, tags of other kinds than items.
  private static let check = """
    import json, sys
    sys.path.insert(0, sys.argv[1])
    from check_corpus import shape

    KEPT = {"chpl", "covr", "iTunSMPB", "\\u00a9xyz", "tref:chap"}
    for job in json.load(open(sys.argv[2])):
        before, after = shape(job["source"]), shape(job["output"])
        wrong = []
        if after["layout"] != job["layout"]:
            wrong.append("layout " + after["layout"])
        plain = lambda tracks: [t[:4] for t in tracks]
        if plain(before["tracks"]) != plain(after["tracks"]):
            lost = [t[:3] for t in plain(before["tracks"]) if t not in plain(after["tracks"])]
            wrong.append(f"payload, codec or timescale of {len(lost)} tracks changed: {lost[:3]}")
        elif any(b[4] is not None and b[4] != a[4] for b, a in zip(before["tracks"], after["tracks"])):
            wrong.append("timing, sizes or sync flags changed")
        tick = 2 / min(before["scale"], after["scale"])
        for digest, want in before["edits"].items():
            got = after["edits"].get(digest)
            same = got is not None and [m for _, m in got] == [m for _, m in want]
            if not same or any(d and abs(d - g) > tick for (d, _), (g, _) in zip(want, got)):
                wrong.append(f"edits {want[:3]} became {got and got[:3]}")
        if before["matrices"] != after["matrices"]:
            wrong.append("transform lost")
        lost = (before["features"] & KEPT) - after["features"]
        if lost:
            wrong.append(f"lost {sorted(lost)}")
        if wrong:
            print(job["name"], job["layout"], "; ".join(wrong))
    """
}
