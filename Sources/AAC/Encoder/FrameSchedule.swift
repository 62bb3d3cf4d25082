/// Who of several threads does what next: which frames stand where on their way through the encoder.
///
/// Frames are known here by the number of the place that holds them. This only keeps the books: the threads ask for a job
/// under a lock, do it, and report it done.
struct FrameSchedule: Sendable {
  /// A frame of sound, and where it is held.
  struct Frame: Sendable, Equatable {
    var number: Int
    var place: Int
  }

  /// Work for one thread.
  enum Job: Sendable, Equatable {
    /// Analyse the next block of sound into a place.
    case analyse(place: Int)
    /// Measure a frame around a price.
    case measure(Frame, price: Float)
    /// Code a frame.
    case code(Frame)
  }

  /// How many blocks of sound, a frame long each, can wait: enough for the other threads to work on while the caller reads.
  static let blocks = 16
  /// How many frames can be under way.
  static let places = RateControl.delay / 2

  /// How many frames may be analysed before any of them is measured.
  private let lookAhead: Int
  /// Blocks of sound that wait, with the one that is being analysed.
  private(set) var waiting = 0
  private var isAnalysing = false
  private var isCoding = false
  private var empty: [Int]
  private var analysed: [Frame] = []
  private var measured: [Frame] = []
  /// The number of the frame that is coded next.
  private var next = 0
  /// The price that each frame is measured at, where its number says, modulo their count.
  private var prices: [Float]
  /// Packets that are complete.
  private var packets: [[UInt8]] = []

  /// - Parameters:
  ///   - prices: those of the first frames, more than can be under way, so that the price of each is known in time.
  ///   - threads: how many threads ask.
  init(prices: [Float], threads: Int) {
    self.prices = prices
    lookAhead = threads
    empty = Array(0..<FrameSchedule.places)
  }

  /// Whether another block of sound can wait.
  var hasRoom: Bool { waiting < FrameSchedule.blocks }

  /// Whether nothing is left to do.
  var isIdle: Bool { waiting == 0 && empty.count == FrameSchedule.places }

  /// Notes that a block of sound is complete.
  mutating func add() { waiting += 1 }

  /// What can be done now.
  ///
  /// A frame is coded as soon as it can be, which makes room; sound is analysed before there is nothing left to measure;
  /// and the oldest frame is measured first, as the coder waits for it.
  var job: Job? {
    if !isCoding, let frame = measured.first(where: { $0.number == next }) { return .code(frame) }
    if !isAnalysing, waiting > 0, analysed.count < lookAhead, let place = empty.last { return .analyse(place: place) }
    return analysed.first.map { .measure($0, price: prices[$0.number % prices.count]) }
  }

  /// Notes that a job is being done.
  mutating func begin(_ job: Job) {
    switch job {
    case .analyse:
      isAnalysing = true
      empty.removeLast()
    case .measure:
      analysed.removeFirst()
    case .code(let frame):
      isCoding = true
      measured.removeAll { $0 == frame }
    }
  }

  /// Notes that a block was analysed into a place.
  ///
  /// - Parameter frame: the frame's number; `nil` if the block did not complete one.
  mutating func endAnalysis(into place: Int, frame number: Int?) {
    isAnalysing = false
    waiting -= 1
    if let number { analysed.append(Frame(number: number, place: place)) } else { empty.append(place) }
  }

  /// Notes that a frame was measured.
  mutating func endMeasuring(_ frame: Frame) { measured.append(frame) }

  /// Notes that a frame was coded.
  ///
  /// - Parameters:
  ///   - packet: what it became.
  ///   - price: that of the frame as many frames later as there are prices.
  mutating func endCoding(_ frame: Frame, packet: [UInt8], price: Float) {
    isCoding = false
    packets.append(packet)
    prices[frame.number % prices.count] = price
    next = frame.number + 1
    empty.append(frame.place)
  }

  /// Hands over the packets that are complete.
  mutating func takePackets() -> [[UInt8]] {
    defer { packets = [] }
    return packets
  }
}
