import ISOBMFF
import MP4
import MediaCore

// Movies that are made of the input's choices, so that each input is a movie: remuxed from one layout to another and
// back, from a source with faults, and with the index moved in place.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMade(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var choices = Choices(input(start, count))
  let options = options(&choices)
  let faults = faults(&choices)
  let onDisk = choices.once(in: 8)
  let made = MadeMovie(&choices)
  if let output = remuxed(made.bytes, options, "made, to \(options.layout)") {
    checkEncryption(made, output, options)
    checkFaults(made.bytes, options, faults, expected: output)
    var back = Remuxer.Options()
    back.layout = options.layout == .fragmented ? .fastStart : .fragmented
    back.recover = options.recover
    if let again = remuxed(output, back, "made, to \(options.layout), then to \(back.layout)") {
      checkEncryption(made, again, options)
    }
  }
  checkFastStart(made.bytes, onDisk: onDisk)
  return 0
}

/// A progressive index says of each sample what was said of it when it was made.
private func checkEncryption(_ made: MadeMovie, _ output: [UInt8], _ options: Remuxer.Options) {
  guard !options.recover, let movie = try? MP4Demuxer(source: MemorySource(output)), movie.layout != .fragmented
  else { return }
  let traks = boxes("moov", in: output, output.indices).flatMap { boxes("trak", in: output, $0) }
  for (track, trak) in zip(movie.tracks, traks) {
    // A box that claims too much may hide samples.
    guard let expected = made.encryption[track.id], expected.contains(where: { !$0.isEmpty }),
      UInt64(expected.count) == track.sampleCount
    else { continue }
    let table = ["mdia", "minf", "stbl"].reduce([trak]) { ranges, type in
      ranges.flatMap { boxes(type, in: output, $0) }
    }
    guard let sizes = table.flatMap({ boxes("saiz", in: output, $0) }).first,
      let places = table.flatMap({ boxes("saio", in: output, $0) }).first
    else { fatalError("violated: what is encrypted stays described") }
    // Version, flags, one size for all, count, a size each; version, flags, count, and a place in 32 or 64 bits.
    let count = number(output[(sizes.lowerBound + 5)..<(sizes.lowerBound + 9)])
    require(count == expected.count, "encryption is described of every sample, not of \(count)")
    var place = number(output[(places.lowerBound + 8)..<places.upperBound])
    for (index, entry) in expected.enumerated() {
      let common = Int(output[sizes.lowerBound + 4])
      let size = common > 0 ? common : Int(output[sizes.lowerBound + 9 + index])
      require(place + size <= output.count, "what is said of the encryption lies in the file")
      // Of clear samples something may have to be said; and parts of others, where any sample has parts.
      require(
        output[place..<(place + size)].starts(with: entry), "what is said of the encryption stays what it was")
      place += size
    }
  }
}

/// Where the contents of the boxes of a type lie that stand in a range.
private func boxes(_ type: String, in bytes: [UInt8], _ range: Range<Int>) -> [Range<Int>] {
  var found: [Range<Int>] = []
  var at = range.lowerBound
  while at + 8 <= range.upperBound {
    let size = number(bytes[at..<(at + 4)])
    guard size >= 8, size <= range.upperBound - at else { return found }
    if bytes[(at + 4)..<(at + 8)].elementsEqual(type.utf8) { found.append((at + 8)..<(at + size)) }
    at += size
  }
  return found
}

private func number(_ bytes: ArraySlice<UInt8>) -> Int {
  bytes.reduce(0) { $0 << 8 | Int($1) }
}
