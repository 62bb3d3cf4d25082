import AAC
import ISOBMFF
import MP4
import MediaCore

// Whatever a file claims, opening and reading it ends, in bounded time and memory, and says the same each time:
// reading on from a sample that was sought gives what reading from the start gave, errors included.

/// Samples read in all: small files can truthfully describe millions, which would only slow the fuzzer down.
private let sampleBudget = 50_000
/// Samples whose data is loaded.
private let loadBudget = 64

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDemuxer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(start, count)
  do {
    let movie = try MP4Demuxer(source: MemorySource(bytes))
    describe(movie)
    var budget = sampleBudget
    for track in movie.tracks {
      let record = Recording(movie, track, budget: &budget)
      record.checkSeeking(movie, track)
      record.checkLoading(movie, track)
      record.checkExtracting(movie, track)
      record.checkStreaming(bytes, track)
    }
  } catch {
    require(!error.description.isEmpty, "an error says what is wrong")
  }
  return 0
}

/// Touches all that `lyrebird info` would print.
private func describe(_ movie: MP4Demuxer) {
  _ = "\(movie.metadata) \(movie.brands) \(movie.layout) \(movie.duration) \(movie.mediaTypes) \(movie.timescale)"
  _ = "\(String(describing: movie.videoSize))"
  do {
    let chapters = try movie.chapters()
    require(chapters.reduce(0) { $0 + $1.title.utf8.count } < 8 << 20, "titles take no more than they may")
  } catch {
    require(!error.description.isEmpty, "an error says what is wrong")
  }
  for issue in movie.issues { _ = issue.description }
  for track in movie.tracks {
    _ = "\(track.kind) \(track.language) \(track.duration) \(track.edits) \(movie.isExternal(track))"
    for description in track.descriptions {
      _ = "\(description.codecString) \(description.codecName) \(description.format)"
    }
    if let defect = movie.defect(of: track) { require(!defect.description.isEmpty, "a defect says what is wrong") }
    do {
      _ = try movie.byteCount(of: track)
    } catch {
      require(!error.description.isEmpty, "an error says what is wrong")
    }
  }
}

/// What reading a track from front to back gave.
private struct Recording {
  var records: [SampleRecord] = []
  /// What ended it, if it was not the end of the track.
  var failure: MP4Error?
  /// Whether it was the end of the track, or an error: not just the budget.
  var isComplete = false

  init(_ movie: MP4Demuxer, _ track: Track, budget: inout Int) {
    var reader = movie.samples(of: track)
    do {
      while budget > 0 {
        guard let record = try reader.nextRecord() else {
          isComplete = true
          require(try reader.nextRecord() == nil, "the end of a track stays the end")
          return
        }
        budget -= 1
        let next = records.last.map { $0.number + 1 } ?? 0
        require(record.number >= next, "samples are numbered in order")
        require(record.size >= 0, "sizes are not negative")
        if !movie.isExternal(track) {
          require(record.offset <= movie.reader.size, "samples lie in the file")
          require(UInt64(record.size) <= movie.reader.size - record.offset, "samples lie in the file to their end")
        }
        records.append(record)
      }
    } catch {
      isComplete = true
      failure = error
      require(!error.description.isEmpty, "an error says what is wrong")
      require(Result { () throws(MP4Error) in try reader.nextRecord() } == .failure(error), "an error is given again")
    }
  }

  /// Where the movie can be read as it comes, its packets are these, as far as both go.
  func checkStreaming(_ bytes: [UInt8], _ track: Track) {
    do {
      guard let streamed = try StreamedMovie(SourceReader(PipedBytes(bytes, history: .max))),
        let track = streamed.movie.track(id: track.id)
      else { return }
      var packets = streamed.packets(of: track)
      for record in records.prefix(1000) {
        guard let packet = try packets.next() else { return }
        require(packet.timing.decodeTime == record.decodeTime, "packet \(record.number) comes at the same time")
        require(packet.payload.count == record.size, "packet \(record.number) is as large")
      }
      // However many it claims, they end.
      while try packets.next() != nil {}
      require(try packets.next() == nil, "the end of a stream stays the end")
    } catch {
      require(!error.description.isEmpty, "an error says what is wrong")
    }
  }

  func checkSeeking(_ movie: MP4Demuxer, _ track: Track) {
    guard !records.isEmpty else { return }
    let last = records.count - 1
    for index in Set([0, 1, last / 3, last / 2, last - 1, last]) where records.indices.contains(index) {
      var reader = movie.samples(of: track)
      do {
        try reader.seek(toSample: records[index].number)
        for expected in records[index...].prefix(3) {
          require(try reader.nextRecord() == expected, "sample \(expected.number) is the same after seeking")
        }
      } catch {
        fatalError("violated: sample \(records[index].number) can be sought: \(error)")
      }
    }
    checkTimes(movie, track)
    checkBeyond(movie, track)
  }

  /// Seeking by time leads to a sync sample that is shown by then, or to the first sample.
  private func checkTimes(_ movie: MP4Demuxer, _ track: Track) {
    // Goes over the whole track each time: too slow for one whose end was not seen.
    guard isComplete else { return }
    let middle = records[records.count / 2].presentationTime
    for time in [.min, 0, middle, .max] as [Int64] {
      var reader = movie.samples(of: track)
      do {
        let target = try reader.seek(to: MediaTime(value: time, timescale: track.timescale))
        let wanted = records.last { $0.isSync && $0.presentationTime <= time }
        if let wanted { require(target == wanted.number, "seeking finds the last sync sample by then") }
        if let target { require(try reader.nextRecord()?.number == target, "seeking leads to what it says") }
      } catch {
        require(!error.description.isEmpty, "an error says what is wrong")
      }
    }
  }

  /// What is after the last sample is the same however one gets there.
  private func checkBeyond(_ movie: MP4Demuxer, _ track: Track) {
    guard isComplete, failure == nil else { return }
    for number in [records[records.count - 1].number + 1, 1 << 40, .max] as [UInt64] {
      var reader = movie.samples(of: track)
      do {
        try reader.seek(toSample: number)
        let record = try reader.nextRecord()
        // Sound of constant rate is numbered by frames, of which a sample may hold many.
        require(record == nil || records.contains { $0 == record }, "nothing lies after the end")
      } catch {
        require(!error.description.isEmpty, "an error says what is wrong")
      }
    }
  }

  func checkLoading(_ movie: MP4Demuxer, _ track: Track) {
    guard !movie.isExternal(track) else { return }
    var reader = movie.samples(of: track)
    do {
      for record in records.prefix(loadBudget) {
        guard let sample = try reader.next() else { fatalError("violated: a second reader gets as far as the first") }
        require(sample.timing.decodeTime == record.decodeTime, "samples are timed as their records are")
        require(try sample.payload.load().count == record.size, "data is as long as its record says")
      }
    } catch {
      fatalError("violated: samples can be read twice: \(error)")
    }
  }

  /// What `lyrebird extract` does with a track, as far as ADTS can hold it.
  func checkExtracting(_ movie: MP4Demuxer, _ track: Track) {
    guard !movie.isExternal(track) else { return }
    let sink = MemorySink()
    do {
      var writer = try ADTSWriter(sink: sink, track: track)
      var reader = movie.samples(of: track)
      for _ in records.prefix(loadBudget) {
        if let sample = try reader.next() { try writer.append(sample) }
      }
      let summary = try writer.finish()
      require(summary.bytes == UInt64(sink.bytes.count), "bytes are counted as they are written")
      require(sink.bytes.isEmpty || sink.bytes.starts(with: [0xFF, 0xF1]), "a stream begins with a header")
    } catch let error as AACError {
      require(!error.description.isEmpty, "an error says what is wrong")
    } catch {
      fatalError("violated: samples can be read twice: \(error)")
    }
  }
}
