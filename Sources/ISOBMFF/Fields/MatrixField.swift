package import MediaCore

/// The nine numbers of a transform, as in movie and track headers.
package struct MatrixField: Sendable, Hashable {
  /// The transform.
  package var transform = Transform.identity

  /// The identity.
  package init() {}

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    if coder.isPrinting {
      let numbers = transform.values.enumerated().map { index, value in
        Double(value) / (index % 3 == 2 ? 0x4000_0000 : 0x10000)
      }
      return coder.remark("matrix", .text(numbers.map { "\($0)" }.joined(separator: " ")))
    }
    for index in transform.values.indices { try coder.integer("matrix", &transform.values[index]) }
  }
}
