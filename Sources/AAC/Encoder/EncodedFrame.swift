/// A frame on its way through the encoder.
final class EncodedFrame {
  let elements: [ElementFrame]
  /// The SBR layers of the elements, one each, or none at all.
  var payloads: [[UInt8]] = []
  /// Its number, from 0 on.
  var number = 0
  /// Whether it is one of the last, whose sound was completed with silence.
  var isLast = false
  /// The price that it was measured at.
  private(set) var price: Float = 1

  init(elements: [ElementFrame]) {
    self.elements = elements
  }

  /// Finds out what coding the frame costs.
  ///
  /// - Parameter price: the weighted noise that a bit is worth, approximately.
  func measure(price: Float, _ tools: CodingTools) {
    self.price = price
    for element in elements { element.measure(price: price, tools, shapesNoise: !isLast) }
  }

  /// Tries scalefactors again, around another price.
  func remeasure(price: Float, _ tools: CodingTools) {
    self.price = price
    for element in elements { element.remeasure(price: price, tools) }
  }
}
