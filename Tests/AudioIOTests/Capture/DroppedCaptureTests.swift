import AudioIO
import Synchronization
import TestSupport
import Testing

/// A microphone that nobody holds any more.
@Suite(.alone)
struct DroppedCaptureTests {
  /// A clock that knows how many devices it drives.
  private final class CountingClock: DeviceClock {
    private let clock = ManualClock()
    private let count = Atomic<Int>(0)
    var now: Int64 { clock.now }
    var devices: Int { count.load(ordering: .relaxed) }

    private struct Timer: DeviceTimer {
      let timer: any DeviceTimer
      let clock: CountingClock
      func stop() {
        timer.stop()
        clock.count.subtract(1, ordering: .relaxed)
      }
    }

    func every(_ period: Int64, _ tick: @escaping @Sendable (Int64) -> Void) -> any DeviceTimer {
      count.add(1, ordering: .relaxed)
      return Timer(timer: clock.every(period, tick), clock: self)
    }
  }

  @Test("a capture that its owner lets go of closes the device before it is gone")
  func dropped() throws {
    let clock = CountingClock()
    var capture: AudioCapture? = try AudioCapture(device: "tone:440", clock: clock)
    #expect(clock.devices == 0)
    try capture?.start()
    #expect(clock.devices == 1)
    capture = nil
    #expect(clock.devices == 0)
  }

  @Test("a device's name can be a literal")
  func literal() {
    #expect("tone:440" == DeviceName("tone:440"))
    let name: DeviceName = "default"
    #expect(name == .default && !name.isVirtual)
  }
}
