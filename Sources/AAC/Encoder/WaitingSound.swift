internal import MediaCore

/// Sound of one channel that waits in blocks to be analysed.
final class WaitingSound: EncoderInput {
  private let memory: AlignedMemory<Float>
  private let blockLength: Int
  /// How many samples each block holds.
  private let counts: AlignedMemory<Int>
  private let blocks: Int
  private var writing = 0
  private var filled = 0
  private var reading = 0
  private var taken = 0

  init(_ blockLength: Int, blocks: Int) {
    // One is written while all others wait.
    memory = AlignedMemory(blockLength * (blocks + 1))
    counts = AlignedMemory(blocks + 1)
    (self.blockLength, self.blocks) = (blockLength, blocks + 1)
  }

  var room: Int { blockLength - filled }
  var end: MemoryPart<Float> { memory.from(writing * blockLength + filled) }
  func advance(_ count: Int) { filled += count }

  /// Ends the block that is written, and begins the next.
  func endBlock() {
    counts[writing] = filled
    writing = (writing + 1) % blocks
    filled = 0
  }

  /// Samples of the block that is read that were not moved yet.
  var left: Int { counts[reading] - taken }

  /// Moves as many samples as there are and fit to the input of the analysis.
  func move(to input: any EncoderInput) {
    let count = min(left, input.room)
    input.end.update(from: memory.from(reading * blockLength + taken), count: count)
    input.advance(count)
    taken += count
  }

  /// Gives the block that was read back to the writer.
  func releaseBlock() {
    reading = (reading + 1) % blocks
    taken = 0
  }
}
