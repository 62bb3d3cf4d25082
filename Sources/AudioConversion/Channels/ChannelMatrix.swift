/// How the channels of a frame are made of those of another: a coefficient for each output and input.
public struct ChannelMatrix: Sendable, Hashable {
  /// Channels that go in.
  public let inputs: Int
  /// Channels that come out.
  public let outputs: Int
  /// How much of each input goes to each output: `outputs` rows of `inputs` factors.
  public let coefficients: [Float]

  /// A matrix from its coefficients, a row of `inputs` for each output.
  ///
  /// - Throws: `ConversionError`: `.channels`, 1 to 64 of which there may be on each side; `.coefficients` if there are
  ///   not `inputs * outputs` finite ones.
  public init(inputs: Int, outputs: Int, coefficients: [Float]) throws(ConversionError) {
    let counts = SampleRateConverter.channelCounts
    for count in [inputs, outputs] where !counts.contains(count) { throw ConversionError(.channels(count, counts)) }
    guard coefficients.count == inputs * outputs, coefficients.allSatisfy(\.isFinite) else {
      throw ConversionError(.coefficients(coefficients.count))
    }
    self.init(inputs: inputs, outputs: outputs, checked: coefficients)
  }

  init(inputs: Int, outputs: Int, checked coefficients: [Float]) {
    (self.inputs, self.outputs, self.coefficients) = (inputs, outputs, coefficients)
  }

  /// How much of an input goes to an output, both counted from 0.
  public subscript(output: Int, input: Int) -> Float { coefficients[output * inputs + input] }

  /// Whether every channel stays as it is.
  public var isIdentity: Bool {
    inputs == outputs
      && coefficients.indices.allSatisfy { coefficients[$0] == ($0 % (inputs + 1) == 0 ? 1 : 0) }
  }

  /// Whether outputs are copies of single inputs or silent, so that no sample gets a value that was not there.
  public var isSelection: Bool {
    (0..<outputs).allSatisfy { output in
      let row = coefficients[(output * inputs)..<((output + 1) * inputs)].filter { $0 != 0 }
      return row.isEmpty || row == [1]
    }
  }

  /// Mixes interleaved frames; samples of a last, incomplete one are left out.
  ///
  /// - Parameters:
  ///   - samples: frames of `inputs` samples.
  ///   - output: the array to which frames of `outputs` samples are appended.
  public func mix(_ samples: Span<Float>, to output: inout [Float]) {
    let frames = samples.count / inputs
    let factors = coefficients.span
    if inputs == 2, outputs == 1 {
      for frame in 0..<frames {
        output.append(samples[2 * frame] * factors[0] + samples[2 * frame + 1] * factors[1])
      }
      return
    }
    for frame in 0..<frames {
      for row in 0..<outputs {
        var sum: Float = 0
        for input in 0..<inputs {
          let factor = factors[row * inputs + input]
          // What a channel does not take cannot spoil it, even if it is NaN.
          if factor != 0 { sum += factor * samples[frame * inputs + input] }
        }
        output.append(sum)
      }
    }
  }
}
