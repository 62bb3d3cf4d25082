import AudioIO
import TestSupport
import Testing

@Suite(.inTurn) struct DeviceNameTests {
  @Test("a device's name can be a literal")
  func literal() {
    #expect("tone:440" == DeviceName("tone:440"))
    let name: DeviceName = "default"
    #expect(name == .default && !name.isVirtual)
  }
}
