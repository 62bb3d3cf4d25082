//! Finds a packet by hand, seeks, and reads a file that lies. Needs `bird.m4a`, which `Mux` makes.
//!
//!     swift run Demux

import Lyrebird

// snippet.tables
let movie = try MP4Demuxer(path: "bird.m4a")
let file = movie.reader
guard let track = movie.audioTrack, let tables = movie.moov.first("trak", "mdia", "minf", "stbl") else {
  fatalError("no sound")
}

/// The numbers of a table, four bytes each, the most significant first. In front of them are version, flags and a count.
func numbers(_ type: FourCC, from offset: Int) throws -> [Int] {
  guard let box = tables.first(type)?.header else { return [] }
  let bytes = try file.bytes(at: box.payloadOffset, count: Int(box.payloadSize))
  return stride(from: offset, to: bytes.count, by: 4).map { Int(bytes.span.bigEndian(at: $0, as: UInt32.self)) }
}

let durations = try numbers("stts", from: 8)  // pairs: how many samples, how long each lasts
let sizes = try numbers("stsz", from: 12)  // of each sample
let runs = try numbers("stsc", from: 8)  // threes: from which chunk on, how many samples in each, which description
let chunks = try numbers("stco", from: 8)  // where each chunk begins
print("durations \(durations), chunks of \(runs[1]) samples, from byte \(chunks[0])")
// snippet.end

// snippet.place
/// Where the bytes of a sample are: in its chunk, after the samples that come before it.
func place(of sample: Int) -> Int {
  var (chunk, first, run) = (1, 0, 0)
  while true {
    if run + 3 < runs.count, chunk == runs[run + 3] { run += 3 }
    let count = runs[run + 1]
    if sample < first + count { return chunks[chunk - 1] + sizes[first..<sample].reduce(0, +) }
    (chunk, first) = (chunk + 1, first + count)
  }
}

print("sample 26: \(sizes[26]) bytes from byte \(place(of: 26)), due at tick \(26 * durations[1])")
// snippet.end

// snippet.reader
var packets = movie.samples(of: track)
try packets.seek(toSample: 26)
if let record = try packets.nextRecord() {
  print("the reader: \(record.size) bytes from byte \(record.offset), due at tick \(record.presentationTime)")
}

if let number = try packets.seek(to: MediaTime(value: 2, timescale: 1)) {
  print("2 s after the first tick is in sample \(number)")
}
// snippet.end

// snippet.hostile
var bytes = try file.bytes(at: 0, count: Int(file.size))
guard let table = bytes.firstRange(of: "stsz".utf8)?.lowerBound else { fatalError("no stsz") }
bytes.replaceSubrange((table + 12)..<(table + 16), with: [0xff, 0xff, 0xff, 0xff])  // 4 294 967 295 samples

do {
  let liar = try MP4Demuxer(source: MemorySource(bytes))
  var samples = liar.samples(of: liar.tracks[0])
  while try samples.next() != nil {}
} catch {
  print("error:", error.description)
}
// snippet.end
