/// An encoder's tables, and the scratch memory that its frames use one after another. A short sound is coded several
/// times in a row, and they are made once for all of these.
final class EncoderTools {
  let analysis: AnalysisTools
  let bands: BandTables
  /// `nil` without layers.
  let layers: SBREncoderTools?

  /// - Parameter bandwidths: see `BandTables`.
  init(_ setup: EncoderSetup, bandwidths: [Int]) {
    let sampleRate = Int(setup.configuration.sampleRate)
    analysis = AnalysisTools(sampleRate: sampleRate)
    bands = BandTables(sampleRate: sampleRate, bandwidths: bandwidths, tools: analysis)
    layers = setup.replication.isEmpty ? nil : SBREncoderTools()
  }
}
