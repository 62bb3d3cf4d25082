// The whole library under one import.
@_exported public import AAC
@_exported public import AudioIO
@_exported public import ISOBMFF
@_exported public import MP4
@_exported public import MediaCore
@_exported public import WAV
