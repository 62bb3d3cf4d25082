internal import AAC
internal import MediaCore

extension SampleDescription {
  /// The description with the layers of high-efficiency AAC that only the packets show.
  ///
  /// - Parameter next: gives the track's packets from the first one on.
  func settled(_ next: () throws -> EncodedSample?) -> SampleDescription {
    guard case .audio(var format) = self.format, var config = try? AudioSpecificConfig(self) else { return self }
    let announced = config
    config.settle(next)
    guard config != announced else { return self }
    if config.extensionSignalling == .none { config.extensionSignalling = .backwardCompatible }
    guard let written = try? config.written else { return self }
    var description = self
    format.decoderConfiguration = written
    description.format = .audio(format)
    return description
  }
}
