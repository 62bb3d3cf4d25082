/// Who of several threads does what next: which frames stand where on their way through the encoder.
///
/// A frame is some 60 kB, which a processor has to fetch from another one's cache when a thread works on what another
/// has written. So a thread has places of its own for frames. It analyses a few in a run, and takes these through the
/// other stages itself. Only where that would leave it idle does it work on the frames of others, or take over the
/// analysis.
///
/// This only keeps the books: the threads ask for a job under a lock, do it, and report it done.
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

  /// How many blocks of sound, a frame long each, can wait: enough for the other threads to work on while the caller
  /// reads.
  static let blocks = 32
  /// How many frames can be under way: enough that threads seldom wait for each other, and no more than
  /// `RateControl.delay`, so that the price of each is known in time.
  static let places = RateControl.delay * 3 / 4

  private let threads: Int
  /// How many frames a thread analyses in a run: half of its places, so that there are frames to measure while those
  /// before wait to be coded.
  private let run: Int
  /// Blocks of sound that wait, with those that are being analysed.
  private(set) var waiting = 0
  private var isAnalysing = false
  /// The thread that analyses a run, and how many frames of the run are left.
  private var analyst = 0
  private var leftInRun = 0
  private var isCoding = false
  /// The places of each thread that are empty.
  private var empty: [[Int]]
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
  ///   - threads: how many threads ask, at most as many as there are places.
  init(prices: [Float], threads: Int) {
    self.prices = prices
    self.threads = threads
    run = max(1, FrameSchedule.places / threads / 2)
    empty = (0..<threads).map { thread in (0..<FrameSchedule.places).filter { $0 % threads == thread } }
  }

  /// Whether another block of sound can wait.
  var hasRoom: Bool { waiting < FrameSchedule.blocks }

  /// Whether nothing is left to do.
  var isIdle: Bool { waiting == 0 && empty.reduce(0) { $0 + $1.count } == FrameSchedule.places }

  /// Notes that a block of sound is complete.
  mutating func add() { waiting += 1 }

  /// What a thread can do now.
  ///
  /// Frames of its own come first. They are coded as soon as they can be, which makes room; then the run that it has
  /// begun is analysed to its end; then the oldest frame is measured, as the coder waits for it. With three or more
  /// threads, the others would end up waiting for the one that codes, so any free thread may code the next frame.
  func job(for thread: Int) -> Job? {
    let first = isCoding ? nil : measured.first { $0.number == next }
    if let first, threads > 2 || owns(first, thread) { return .code(first) }
    let place = isAnalysing || waiting == 0 ? nil : empty[thread].last
    if let place, thread == analyst, leftInRun > 0 { return .analyse(place: place) }
    if let frame = analysed.first(where: { owns($0, thread) }) { return measure(frame) }
    if let place { return .analyse(place: place) }
    return first.map { .code($0) } ?? analysed.first.map(measure)
  }

  private func owns(_ frame: Frame, _ thread: Int) -> Bool { frame.place % threads == thread }

  private func measure(_ frame: Frame) -> Job { .measure(frame, price: prices[frame.number % prices.count]) }

  /// Notes that a job is being done.
  mutating func begin(_ job: Job) {
    switch job {
    case .analyse(let place):
      isAnalysing = true
      let thread = place % threads
      empty[thread].removeAll { $0 == place }
      if thread != analyst || leftInRun == 0 { (analyst, leftInRun) = (thread, run) }
      leftInRun -= 1
    case .measure(let frame, _):
      analysed.removeAll { $0 == frame }
    case .code(let frame):
      isCoding = true
      measured.removeAll { $0 == frame }
    }
  }

  /// Notes that a block was analysed into a place.
  ///
  /// - Parameter frame: the number of the frame that is there now; `nil` if the block did not complete one.
  mutating func endAnalysis(into place: Int, frame: Int?) {
    isAnalysing = false
    waiting -= 1
    if let frame { analysed.append(Frame(number: frame, place: place)) } else { free(place) }
  }

  private mutating func free(_ place: Int) { empty[place % threads].append(place) }

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
    free(frame.place)
  }

  /// Hands over the packets that are complete.
  mutating func takePackets() -> [[UInt8]] {
    defer { packets = [] }
    return packets
  }
}
