internal import MediaCore

/// How many bytes the samples of a movie may have together when each is written out by itself.
///
/// Samples may share bytes: a slide show shows one image often, a silence is kept once. But a table takes four bytes
/// to say that a sample is as large as the whole file, so a file of some kilobytes can describe gigabytes. Code
/// that copies samples one by one counts them here; code that copies ranges of the file need not.
public struct PayloadAllowance: Sendable {
  /// So many times the size of the file is believed: real files reach twice.
  public static let ratio: UInt64 = 4
  /// Small files may share more: so many bytes are always allowed.
  public static let base: UInt64 = 16 << 20

  private let limit: UInt64
  private let file: String
  private var used: UInt64 = 0

  /// The allowance of a movie, nothing of it used.
  public init(for movie: MP4Demuxer) {
    let (product, overflow) = movie.reader.size.multipliedReportingOverflow(by: PayloadAllowance.ratio)
    let (sum, overflow2) = product.addingReportingOverflow(PayloadAllowance.base)
    limit = overflow || overflow2 ? .max : sum
    file = movie.reader.source.name
  }

  /// Counts a sample of that many bytes.
  ///
  /// - Throws: `MP4Error` `.overlappingSamples` once there are too many.
  public mutating func take(_ bytes: Int) throws(MP4Error) {
    // What a sample has lies in the file, and the limit leaves room for one more: this cannot overflow.
    used &+= UInt64(max(bytes, 0))
    guard used <= limit else { throw MP4Error(.overlappingSamples(limit: limit), file: file) }
  }
}
