internal import AAC
internal import MP4
internal import MediaCore

/// Packets that come one after another, without an index: a stream of AAC, or a movie in fragments through a pipe.
struct PacketStream: Sendable {
  // One of the two is set. They are modified in place, as copying a reader for each packet takes longer than reading.
  private var aac: AACStream?
  private var fragments: FragmentStream?
  /// The packet of a movie that follows the one delivered last, where that might have been the last one.
  private var following: EncodedSample?
  private let framesPerPacket: Int
  private let sampleRate: UInt32
  /// Where the bytes come from.
  let source: SourceReader

  /// A stream of AAC.
  init(_ stream: AACStream) {
    (aac, source, framesPerPacket, sampleRate) = (stream, stream.source, .max, 1)
  }

  /// A track of a movie.
  ///
  /// - Parameters:
  ///   - framesPerPacket: frames of each packet.
  ///   - sampleRate: of these, in Hz.
  init(_ fragments: FragmentStream, framesPerPacket: Int, sampleRate: Int) {
    (self.fragments, source) = (fragments, fragments.source)
    (self.framesPerPacket, self.sampleRate) = (framesPerPacket, UInt32(clamping: sampleRate))
  }

  /// The next packet, or `nil` at the end, and how many of its frames count.
  mutating func next() throws(AudioDecodingError) -> (packet: EncodedSample, frames: Int)? {
    do throws(AACError) {
      if aac != nil { return try aac?.next().map { ($0, .max) } }
    } catch {
      throw .aac(error)
    }
    do throws(MP4Error) {
      let next = if let following { following } else { try fragments?.next() }
      following = nil
      guard let packet = next else { return nil }
      let duration = MediaTime(value: packet.timing.duration, timescale: packet.timing.timescale)
      let frames = duration.converted(to: sampleRate)?.value ?? 0
      // A short duration cuts off frames only in the last packet, so such a packet waits to see whether another comes.
      guard frames > 0, frames < framesPerPacket else { return (packet, .max) }
      following = try fragments?.next()
      return (packet, following == nil ? Int(frames) : .max)
    } catch {
      throw .movie(error)
    }
  }

  /// The descriptions found so far.
  var descriptions: [SampleDescription] { aac?.track.descriptions ?? fragments?.track.descriptions ?? [] }

  /// Bytes missing at the end, once `next()` has returned `nil`.
  var missingBytes: UInt64 { aac?.missingBytes ?? fragments?.missingBytes ?? 0 }

  /// Checks that the file was not changed since it was opened.
  func checkUnchanged() throws(AudioDecodingError) {
    do throws(AACError) { try aac?.checkUnchanged() } catch { throw .aac(error) }
  }
}
