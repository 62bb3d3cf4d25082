// Lists of elements of varying size; elements of one size are in a `PackedTable`.
extension FieldCoder {
  /// Memory of an element besides its own fields: the header of an array's storage.
  private static let elementOverhead = 48

  /// A list whose elements differ in size.
  ///
  /// - Parameters:
  ///   - count: the number of elements that the file claims; when writing, no more are written.
  ///   - minimumSize: the fewest bytes that an element can take, at least 1; the count is checked against it.
  ///   - element: codes one element.
  package mutating func list<Element>(
    _ name: String, _ values: inout [Element], count: Int, minimumSize: Int, make: () -> Element,
    element: (inout FieldCoder, inout Element) throws(BoxError) -> Void
  ) throws(BoxError) {
    switch mode {
    case .reading:
      let room = remaining / max(minimumSize, 1)
      guard count <= room else {
        throw BoxError(.countExceedsBox(claimed: UInt64(count), room: UInt64(room)), field: name)
      }
      values = []
      values.reserveCapacity(count)
      addCost(of: count, Element.self)
      for _ in 0..<count {
        var value = make()
        try element(&self, &value)
        values.append(value)
      }
    case .writing:
      for index in values.indices.prefix(count) { try element(&self, &values[index]) }
    case .printing:
      try print(name, &values, element)
    }
  }

  /// A count, then a list of that many elements.
  ///
  /// - Parameter by: the type of the count. Elements in excess of it are not written.
  package mutating func countedList<Element, Count: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ name: String, _ values: inout [Element], by: Count.Type, minimumSize: Int, make: () -> Element,
    element: (inout FieldCoder, inout Element) throws(BoxError) -> Void
  ) throws(BoxError) {
    var count = Count(clamping: values.count)
    if !isPrinting { try integer(name, &count) }
    try list(name, &values, count: Int(clamping: count), minimumSize: minimumSize, make: make, element: element)
  }

  /// A list that continues to the end of the box, or until the bytes do not form another element.
  package mutating func listToEnd<Element>(
    _ name: String, _ values: inout [Element], make: () -> Element,
    element: (inout FieldCoder, inout Element) throws(BoxError) -> Void
  ) throws(BoxError) {
    guard isReading else {
      return try list(name, &values, count: values.count, minimumSize: 1, make: make, element: element)
    }
    values = []
    while remaining > 0 {
      let start = position
      var value = make()
      do {
        try element(&self, &value)
      } catch {
        position = start
        return
      }
      values.append(value)
      addCost(of: 1, Element.self)
      if position == start { return }
    }
  }

  private mutating func addCost<Element>(of count: Int, _: Element.Type) {
    listCost &+= count &* (MemoryLayout<Element>.stride + FieldCoder.elementOverhead)
  }

  private mutating func print<Element>(
    _ name: String, _ values: inout [Element],
    _ element: (inout FieldCoder, inout Element) throws(BoxError) -> Void
  ) throws(BoxError) {
    let outer = printed
    var rows: [[Field]] = []
    for index in values.indices.prefix(PackedTableLimits.previewRows) {
      printed = []
      try element(&self, &values[index])
      rows.append(printed)
    }
    printed = outer
    note(name, .list(rows, total: values.count))
  }
}
