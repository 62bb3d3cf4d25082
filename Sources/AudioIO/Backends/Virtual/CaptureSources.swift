internal import MediaCore
internal import AudioConversion
internal import PCM

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// An endless sine tone at half of full scale, the same in every channel.
struct ToneSource: CaptureSource {
  let format: AudioFormat
  private let frequency: Double
  private var frame: Int64 = 0

  init(frequency: Double, format: AudioFormat) {
    self.frequency = frequency
    self.format = format
  }

  mutating func fill(_ memory: UnsafeMutableRawBufferPointer) -> Int {
    let frames = memory.count / format.bytesPerFrame
    var samples = unsafe memory.mutableBytes
    for index in 0..<frames {
      // The phase from the frame's number: adding up steps would drift within hours.
      let turns = Double(frame + Int64(index)) * frequency / Double(format.sampleRate)
      let value = Float(0.5 * sin(2 * Double.pi * (turns - turns.rounded(.down))))
      for channel in 0..<format.channels {
        let place = index * format.channels + channel
        switch format.sampleFormat {
        case .int16: samples.storeBytes(of: Int16(pcm: value), toByteOffset: 2 * place, as: Int16.self)
        case .int24, .int32, .float32: samples.storeBytes(of: value, toByteOffset: 4 * place, as: Float.self)
        }
      }
    }
    frame += Int64(frames)
    return frames
  }
}

/// A WAVE file, once, in any format: what a sound server converts, a virtual device does as well.
struct FileCaptureSource: CaptureSource {
  let format: AudioFormat
  private var reader: PCMFileReader
  private var converter: AudioConverter
  /// Frames that were converted, and how many of them were delivered.
  private var converted: PCMBuffer
  private var delivered = 0

  /// Frames read at once: few, as they are converted while the device waits.
  private static let frames = 1024

  /// - Throws: `AudioIOError`: `.file`; `.formatNotSupported` for channels that those of the file cannot be mixed to.
  init(path: String, format: AudioFormat?, device: DeviceName) throws(AudioIOError) {
    do {
      reader = try PCMFileReader(path: path)
    } catch {
      throw AudioIOError(error, device: device)
    }
    let asked = (format ?? reader.format).forDevices
    do {
      converter = try AudioConverter(from: reader.format, to: asked, quality: .live)
    } catch {
      throw AudioIOError(.formatNotSupported(asked, device: reader.format), device: device.text)
    }
    self.format = asked
    converted = PCMBuffer([Int16](), sampleRate: asked.sampleRate, layout: asked.layout)
  }

  mutating func fill(_ memory: UnsafeMutableRawBufferPointer) throws -> Int {
    let room = memory.count / format.bytesPerFrame
    var done = 0
    while done < room {
      if delivered == converted.frameCount {
        guard try convertNext() else { break }
      }
      let frames = min(room - done, converted.frameCount - delivered)
      let part = converted.slice(delivered..<(delivered + frames))
      // There is room for these frames, which are as long as the format says.
      let target = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[(done * format.bytesPerFrame)...])
      switch format.sampleFormat {
      case .int16: unsafe part.int16s.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
      case .int24, .int32, .float32: unsafe part.floats.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
      }
      done += frames
      delivered += frames
    }
    return done
  }

  /// - Returns: whether there was anything left.
  private mutating func convertNext() throws -> Bool {
    delivered = 0
    while let sound = try reader.next(frames: FileCaptureSource.frames) {
      converted = try converter.convert(sound.payload)
      if converted.frameCount > 0 { return true }
    }
    converted = converter.finish()
    return converted.frameCount > 0
  }
}
