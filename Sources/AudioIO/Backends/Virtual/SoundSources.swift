internal import MediaCore
internal import WAV

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// An endless sine tone at half of full scale, the same in every channel.
struct ToneSource: SoundSource {
  let format: AudioFormat
  private let frequency: Double
  private var frame: Int64 = 0

  init(frequency: Double, format: AudioFormat) {
    self.frequency = frequency
    self.format = format
  }

  mutating func fill(_ memory: UnsafeMutableRawBufferPointer) -> Int? {
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

/// A WAVE file, once.
struct FileCaptureSource: SoundSource {
  let format: AudioFormat
  private var reader: WAVReader

  /// - Throws: `AudioIOError`: `.file`; `.formatNotSupported` where another rate or other channels are asked for.
  init(path: String, format: AudioFormat?, device: DeviceName) throws(AudioIOError) {
    do {
      reader = try WAVReader(path: path)
    } catch {
      throw AudioIOError(.file(error.description), device: device.text)
    }
    let asked = (format ?? reader.format).forDevices
    guard asked.sampleRate == reader.format.sampleRate, asked.channels == reader.format.channels else {
      throw AudioIOError(.formatNotSupported(asked, device: reader.format), device: device.text)
    }
    self.format = asked
  }

  mutating func fill(_ memory: UnsafeMutableRawBufferPointer) -> Int? {
    var done = 0
    while memory.count - done >= format.bytesPerFrame {
      let sound: PCMSample?
      do { sound = try reader.next(frames: (memory.count - done) / format.bytesPerFrame) } catch { return nil }
      guard let buffer = sound?.payload else { break }
      // There is room for a frame at least, and the reader returns no more of them than were asked for.
      let target = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[done...])
      switch format.sampleFormat {
      case .int16: unsafe buffer.int16s.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
      case .int24, .int32, .float32: unsafe buffer.floats.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
      }
      done += buffer.frameCount * format.bytesPerFrame
    }
    return done / format.bytesPerFrame
  }
}
