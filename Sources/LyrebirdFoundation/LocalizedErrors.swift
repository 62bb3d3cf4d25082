// For programs that use Foundation: the errors of the library give their own messages through Foundation's protocols.
//
// The library does without Foundation, which alone would treble what a small program needs to start. So this is a
// separate product, for programs that import Foundation anyway; and they need it only where an error has become `any
// Error`.

public import Foundation
public import Lyrebird

extension LocalizedError where Self: MediaError {
  /// One line: the file, the location in it, what happened, and what to do.
  public var errorDescription: String? { description }
  /// What happened, without file and location.
  public var failureReason: String? { reason }
}

extension SourceError: LocalizedError {}
extension SinkError: LocalizedError {}
extension TransferError: LocalizedError {}
extension BitReader.EndOfData: LocalizedError {}
extension BoxError: LocalizedError {}
extension MP4Error: LocalizedError {}
extension TagError: LocalizedError {}
extension AACError: LocalizedError {}
extension AudioCodecError: LocalizedError {}
extension PCMFileError: LocalizedError {}
extension ConversionError: LocalizedError {}
extension AudioIOError: LocalizedError {}
extension AudioDecodingError: LocalizedError {}
extension AudioWritingError: LocalizedError {}
extension RecordingError: LocalizedError {}
extension JoinError: LocalizedError {}
extension RepairError: LocalizedError {}
extension ChapterListError: LocalizedError {}
