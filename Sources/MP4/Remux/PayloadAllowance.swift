internal import MediaCore

/// How many bytes a movie's samples may have in total when each is written out by itself.
///
/// Samples may share bytes: a slide show repeats an image, a silence is stored once. But four bytes in a table suffice
/// to make a sample as large as the whole file, so a file of a few kilobytes can describe gigabytes. Code that copies
/// samples one by one counts them here; code that copies ranges of the file need not.
public struct PayloadAllowance: Sendable {
  /// This many times the size of the file is accepted: real files reach twice.
  public static let ratio: UInt64 = 4
  /// Small files may share more: this many bytes are always allowed.
  public static let base: UInt64 = 16 << 20

  private let limit: UInt64
  private let file: String
  private var used: UInt64 = 0

  /// The whole allowance of a movie.
  public init(for movie: MP4Demuxer) {
    let (product, overflow) = movie.reader.size.multipliedReportingOverflow(by: PayloadAllowance.ratio)
    let (sum, overflow2) = product.addingReportingOverflow(PayloadAllowance.base)
    limit = overflow || overflow2 ? .max : sum
    file = movie.reader.source.name
  }

  /// Counts a sample of this many bytes.
  ///
  /// - Throws: `MP4Error` `.overlappingSamples` once the allowance is exceeded.
  public mutating func take(_ bytes: Int) throws(MP4Error) {
    // A sample's data lies in the file, and the limit leaves room for one more: this cannot overflow.
    used &+= UInt64(max(bytes, 0))
    guard used <= limit else { throw MP4Error(.overlappingSamples(limit: limit), file: file) }
  }

  /// Allows this many of the bytes counted so far to be counted again, as where an edit list repeats a stretch.
  package mutating func giveBack(_ bytes: UInt64) {
    used -= min(used, bytes)
  }
}
