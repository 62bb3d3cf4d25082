internal import Lyrebird

extension Remuxer.Summary {
  /// Warns of what could not be carried over.
  ///
  /// - Parameter file: the name of the output.
  func warn(file: String) {
    for error in dropped { Messages.warning(error.leftOut) }
    for (type, number) in leftOutByType {
      Messages.warning("left out \(number) \(type) \(number == 1 ? "box" : "boxes"), which this layout cannot hold")
    }
    for place in staleOffsets {
      Messages.warning(
        "\(file): \(place.name) refers to byte \(place.offset) of the input, which was not carried over")
    }
    for retiming in retimed { Messages.warning("\(file): \(retiming)") }
  }

  /// Adds what was written, and what was not, to the result of a command.
  func add(to object: inout JSONObject) {
    object.add("tracks", tracks)
    object.add("bytes", bytes)
    object.add("dropped", dropped.map { "\($0)" })
    object.add("retimed", retimed.map { "\($0)" })
    var leftOut = JSONObject()
    for (type, number) in leftOutByType { leftOut.add(type.description, number) }
    object.add("left_out", leftOut)
  }

  private var leftOutByType: [(FourCC, Int)] {
    leftOut.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
  }
}

extension MP4Error {
  /// What is wrong, and what was therefore left out.
  var leftOut: String {
    switch code {
    case .undescribedTrack, .itemOutsideFile, .unreadableItems: message(suggestion: "left out")
    default: message(suggestion: "the rest of the track was left out")
    }
  }
}
