package import MP4
package import MediaCore

/// Which of the frames that a decoder produces are to be heard.
///
/// A codec with overlapping windows produces more than was put in: priming at the start, and a remainder that fills the
/// last packet. Decoders do not know how much that is; files do, in one of these ways:
///
/// - an edit list says which stretch of the media is shown, and takes precedence if it cuts anything off; its length
///   may be given in ticks so coarse that only the media itself tells the last frame;
/// - `iTunSMPB`, a tag, gives priming, remainder and length in frames;
/// - nothing: everything is heard, except what the last packet's duration leaves out, and FAAC's priming if the first
///   packet names FAAC, whose files never state it. A `roll` group changes nothing: decoders know by themselves how
///   many packets they need.
///
/// This is the one place that works them out; `AudioTrackDecoder` applies them.
///
/// Source: ISO/IEC 14496-12, 8.6.6; ISO/IEC 14496-14.
package struct AudioTrim: Sendable, Hashable {
  /// Stretches of frames to be heard one after the other, counted from the first frame of the track's first packet. An
  /// upper bound of `.max` means: to the end.
  package var pieces: [Range<Int64>]

  /// The encoder whose priming is left out because its name in the first packet is all that there is to go by:
  /// `libfaac 1.28`; otherwise `nil`.
  public internal(set) var encoder: String?

  /// What is wrong with the packets that would follow the last one, if everything up to it is heard.
  package internal(set) var damage: MP4Error?

  /// Everything is heard.
  package static let none = AudioTrim(pieces: [0..<Int64.max])

  /// Frames in total; `nil` if the last stretch goes to the end of the track.
  package var frameCount: Int64? {
    var sum: Int64 = 0
    for piece in pieces {
      let (count, isTooLong) = piece.upperBound.subtractingReportingOverflow(piece.lowerBound)
      let (next, overflow) = sum.addingReportingOverflow(count)
      guard piece.upperBound < .max, !isTooLong, !overflow else { return nil }
      sum = next
    }
    return sum
  }

  /// A trim from its stretches.
  package init(pieces: [Range<Int64>]) {
    self.pieces = pieces
  }

  /// What a track and its movie's tags say.
  ///
  /// - Parameters:
  ///   - track: the track, with its edits.
  ///   - start: when the first packet begins, in media time.
  ///   - length: frames in all packets, counting only as many of the last one as its duration says.
  ///   - smoothPlayback: the value of the tag `iTunSMPB`, if there is one.
  ///   - sampleRate: of the decoder's output, in Hz.
  package init(track: Track, start: MediaTime, length: Int64, smoothPlayback: String?, sampleRate: Int) {
    let media = Media(start: start, length: max(length, 0), rate: UInt32(clamping: sampleRate))
    let pieces = track.edits.compactMap { media.piece($0) }
    if !pieces.isEmpty, pieces != [0..<media.length] {
      self.pieces = pieces
    } else {
      // A tag about another file, or one of nothing but zeros, may lie outside of the media.
      let stated = smoothPlayback.flatMap { AudioTrim(smoothPlayback: $0) }
      self =
        stated.flatMap { $0.pieces[0].lowerBound < media.length ? $0 : nil } ?? AudioTrim(pieces: [0..<media.length])
      // With SBR, the tag counts frames of the core, if that is what the track's times count.
      if self.pieces != [0..<media.length], sampleRate == 2 * Int(track.timescale) {
        self.pieces = self.pieces.map { 2 * $0.lowerBound..<2 * $0.upperBound }
      }
    }
  }

  /// Shifts what is heard by the delay of the decoder, which the file's times leave out: with SBR they are those of the
  /// core. What begins with the first frame stays where it is. The number of frames does not change.
  ///
  /// Some encoders count the delay as priming nonetheless, which is then one of a few well-known numbers plus the
  /// delay.
  ///
  /// - Parameters:
  ///   - delay: in frames.
  ///   - frameLength: frames of a packet.
  ///   - packets: how many packets there are, as far as the index says: the last one may have no duration at all.
  ///   - length: frames in all packets, counting only as many of the last one as its duration says.
  ///
  /// Source: ISO/IEC 14496-24, 5.
  mutating func addDelay(_ delay: Int, frameLength: Int, packets: Int64, length: Int64) {
    let capacity = max((max(length, 0) + Int64(frameLength) - 1) / Int64(frameLength), packets) * Int64(frameLength)
    pieces = pieces.map { piece in
      guard AudioTrim.movesBeginning(piece, delay, frameLength: frameLength), piece.upperBound < .max else {
        return piece
      }
      let shift = min(Int64(delay), max(capacity - piece.upperBound, 0))
      return piece.lowerBound + shift..<piece.upperBound + shift
    }
  }

  /// Whether the delay may move the beginning of what is heard: how far depends on where the sound ends.
  func movesBeginning(by delay: Int, frameLength: Int) -> Bool {
    delay > 0 && pieces.contains { AudioTrim.movesBeginning($0, delay, frameLength: frameLength) }
  }

  private static func movesBeginning(_ piece: Range<Int64>, _ delay: Int, frameLength: Int) -> Bool {
    let rest = piece.lowerBound - Int64(delay)
    // A priming of whole packets, or Apple's 2112.
    let isCounted = rest > 0 && rest % Int64(frameLength) == 0 || rest == 2112 * Int64(frameLength) / 1024
    return piece.lowerBound > 0 && !isCounted
  }

  /// What an `iTunSMPB` tag says: hexadecimal numbers, the second of which is the priming, the third the remainder and
  /// the fourth the frames between them.
  ///
  /// - Returns: `nil` if it is not that, or says nothing.
  package init?(smoothPlayback: String) {
    guard let heard = GaplessText.heard(smoothPlayback) else { return nil }
    pieces = [heard]
  }

  /// The media as frames.
  private struct Media {
    let start: MediaTime
    /// Frames from the first packet's start to the last one's end.
    let length: Int64
    let rate: UInt32

    /// The frame at a media time.
    func frame(_ time: MediaTime) -> Int64 {
      let ticks = time.converted(to: rate)?.value ?? 0
      let (frame, overflow) = ticks.subtractingReportingOverflow(start.converted(to: rate)?.value ?? 0)
      return overflow ? 0 : frame
    }

    /// The stretch that an edit shows, empty if it lies beyond the media; `nil` for an empty edit, which is a pause.
    func piece(_ edit: Edit) -> Range<Int64>? {
      guard let time = edit.mediaTime else { return nil }
      let first = min(max(frame(time), 0), length)
      guard edit.duration.value > 0, let count = edit.duration.converted(to: rate)?.value else {
        return first..<length
      }
      let (last, overflow) = first.addingReportingOverflow(count)
      // In many files a tick of the edit is a millisecond: an edit that ends within one tick of the media's end goes to
      // it.
      let tick = Int64(rate / edit.duration.timescale)
      return overflow || last > length - tick ? first..<length : first..<last
    }
  }
}
