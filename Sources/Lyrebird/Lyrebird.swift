// The whole library under one import. Swift has no supported attribute that re-exports a module: without this one,
// every file of a program would import ten.
@_exported public import AAC
@_exported public import ALAC
@_exported public import AudioConversion
@_exported public import AudioIO
@_exported public import ISOBMFF
@_exported public import Loudness
@_exported public import MP4
@_exported public import MediaCore
@_exported public import PCM
@_exported public import Waveform
