internal import ISOBMFF
internal import MediaCore

public struct MovieMetadata: Sendable { init(moov: BoxNode, topLevel: BoxNode?) {} }
struct SampleDescriptionBuilder { static func descriptions(in n: BoxNode?) -> [SampleDescription] { [] } }
