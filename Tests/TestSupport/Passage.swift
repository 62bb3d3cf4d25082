/// What became of sound on its way through a sound server: found out by comparing what was sent with what was heard.
///
/// A server that does not get to run in time puts silence in, or lets a stretch of sound go. Neither harms what is
/// around it: all that is heard must be what was sent, in order.
public struct Passage: Sendable, Equatable, CustomStringConvertible {
  /// Samples of silence that were put in, in all.
  public private(set) var inserted = 0
  /// Samples that were sent and not heard, in all.
  public private(set) var lost = 0
  /// How many times either happened.
  public private(set) var interruptions = 0
  /// The sample that was heard and is neither what was sent nor silence, if there is one. What is after it is not
  /// looked at.
  public private(set) var foreign: Int?

  /// So many samples are the same at a place by chance in sound that never is.
  private static let proof = 24

  /// Compares, from the first sample on that is not silent.
  ///
  /// - Parameters:
  ///   - sent: noise: no stretch of it is like another.
  ///   - heard: what came out.
  public init(sent: [Int16], heard: [Int16]) {
    var there = sent.firstIndex { $0 != 0 } ?? sent.count
    var here = heard.firstIndex { $0 != 0 } ?? heard.count
    while there < sent.count, here < heard.count {
      if sent[there] == heard[here] {
        (there, here) = (there + 1, here + 1)
        continue
      }
      guard let next = Passage.resume(sent, from: there, heard, from: here) else {
        // At the end there is only silence, and what was sent last is lost.
        if heard[here...].allSatisfy({ $0 == 0 }) { break }
        foreign = here
        return
      }
      inserted += next.here - here
      lost += next.there - there
      interruptions += 1
      (there, here) = (next.there, next.here)
    }
    lost += sent.count - there
    foreign = heard[here...].firstIndex { $0 != 0 }
  }

  /// Where both go on alike: after silence that was put in, and after as little as possible that was lost.
  private static func resume(
    _ sent: [Int16], from there: Int, _ heard: [Int16], from here: Int
  ) -> (there: Int, here: Int)? {
    // What was sent may be silent for a moment by itself: where silence was put in then cannot be told.
    let silence = heard[here...].prefix { $0 == 0 }.count
    let own = sent[there...].prefix { $0 == 0 }.count
    for place in [here + max(silence - own, 0), here + silence, here] {
      let wanted = heard[place...].prefix(proof)
      guard wanted.count == proof else { continue }
      let found = (there...max(there, sent.count - proof)).first { sent[$0...].starts(with: wanted) }
      if let found { return (found, place) }
    }
    return nil
  }

  /// Whether all that was sent was heard, and nothing else.
  public var isExact: Bool { interruptions == 0 && lost == 0 && foreign == nil }

  public var description: String {
    if isExact { return "exact" }
    let foreign = foreign.map { ", then something foreign at sample \($0)" } ?? ""
    return "\(interruptions) interruptions, \(inserted) samples of silence put in, \(lost) samples lost" + foreign
  }
}
