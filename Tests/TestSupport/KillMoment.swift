/// Moments at which to kill a program so that both are seen: what it leaves before it is done, and after.
///
/// How long the program takes is not known, and changes with what else the machine does. So a moment is a random part
/// of twice what seems to be the time: that grows while the program never got to its end, and shrinks while it always
/// did.
public struct KillMoment: Sendable {
  private var noise: Noise
  /// Microseconds that the program seems to take.
  private var guess = 20_000.0

  /// Moments that depend on the seed, and on what is seen.
  public init(seed: UInt64) { noise = Noise(seed: seed) }

  /// The next moment, in microseconds after the start.
  public mutating func next() -> UInt32 { UInt32(Double.random(in: 0...2, using: &noise) * guess) }

  /// Notes whether the program was done when it was killed.
  public mutating func note(isDone: Bool) { guess = isDone ? max(guess / 1.3, 1000) : min(guess * 1.3, 5_000_000) }
}
