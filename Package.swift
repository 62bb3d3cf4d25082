// swift-tools-version: 6.2
import PackageDescription

/// Every target is held to the same rules: Swift 6 data-race safety, explicit existentials,
/// imports that stay private unless said otherwise, each use of what the compiler cannot check marked `unsafe`, and no
/// warning left standing.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "lyrebird",
  products: [
    .library(name: "Lyrebird", targets: ["Lyrebird"]),
    .library(name: "LyrebirdFoundation", targets: ["LyrebirdFoundation"]),
    .executable(name: "lyrebird", targets: ["lyrebird-cli"]),
  ],
  traits: [
    .trait(
      name: "HighEfficiencyAAC",
      description: "Decode and encode the layers of HE-AAC, SBR and PS. Without it, their cores can be decoded."),
    .default(enabledTraits: ["HighEfficiencyAAC"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // For `swift package generate-documentation` only: no target is built with it.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
  ],
  targets: [
    // The arrows point one way: MediaCore knows nobody, MP4 and the codecs never meet.
    .target(name: "CLinux"),
    .target(name: "MediaCore", dependencies: ["CLinux"], swiftSettings: strict),
    .target(name: "ISOBMFF", dependencies: ["MediaCore"], swiftSettings: strict),
    .target(name: "MP4", dependencies: ["ISOBMFF", "MediaCore"], swiftSettings: strict),
    .target(name: "AAC", dependencies: ["MediaCore"], swiftSettings: strict),
    .target(name: "ALAC", dependencies: ["MediaCore"], swiftSettings: strict),
    .target(name: "PCM", dependencies: ["MediaCore"], swiftSettings: strict),
    .target(name: "AudioConversion", dependencies: ["MediaCore"], swiftSettings: strict),
    .target(name: "Loudness", dependencies: ["AudioConversion", "MediaCore"], swiftSettings: strict),
    .target(name: "Waveform", dependencies: ["MediaCore"], swiftSettings: strict),
    .target(name: "CPulse"),
    .target(name: "AudioIO", dependencies: ["AudioConversion", "MediaCore", "PCM", "CPulse"], swiftSettings: strict),
    .target(
      name: "Lyrebird",
      dependencies: [
        "MediaCore", "ISOBMFF", "MP4", "AAC", "ALAC", "PCM", "AudioConversion", "Loudness", "Waveform", "AudioIO",
      ],
      swiftSettings: strict),
    // The only one that needs Foundation, for programs that have it anyway.
    .target(name: "LyrebirdFoundation", dependencies: ["Lyrebird"], swiftSettings: strict),
    .executableTarget(
      name: "lyrebird-cli",
      dependencies: [
        "CLinux", "Lyrebird",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: [.embedInCode("Resources/demo.mp4")],
      swiftSettings: strict
    ),
    // One for each stage of the way, each a page long; see Examples/README.md.
    .executableTarget(
      name: "capture-to-aac", dependencies: ["Lyrebird"], path: "Examples/CaptureToAAC", swiftSettings: strict),
    .executableTarget(
      name: "capture-to-m4a", dependencies: ["Lyrebird"], path: "Examples/CaptureToM4A", swiftSettings: strict),
    .executableTarget(
      name: "mp4-to-aac", dependencies: ["Lyrebird"], path: "Examples/MP4ToAAC", swiftSettings: strict),
    .executableTarget(
      name: "mp4-to-loudspeaker", dependencies: ["Lyrebird"], path: "Examples/MP4ToLoudspeaker",
      swiftSettings: strict),
    .executableTarget(
      name: "mp4-to-mp4", dependencies: ["Lyrebird"], path: "Examples/MP4ToMP4", swiftSettings: strict),
    .executableTarget(
      name: "broken-mp4-to-mp4", dependencies: ["Lyrebird"], path: "Examples/BrokenMP4ToMP4", swiftSettings: strict),
    .executableTarget(
      name: "split-and-join", dependencies: ["Lyrebird"], path: "Examples/SplitAndJoin", swiftSettings: strict),
    .executableTarget(
      name: "tag-album", dependencies: ["Lyrebird"], path: "Examples/TagAlbum", swiftSettings: strict),
    .executableTarget(
      name: "custom-codec", dependencies: ["Lyrebird"], path: "Examples/CustomCodec", swiftSettings: strict),
    .testTarget(name: "MediaCoreTests", dependencies: ["MediaCore", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "ISOBMFFTests", dependencies: ["ISOBMFF", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "MP4Tests", dependencies: ["MP4", "ISOBMFF", "MediaCore", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "AACTests", dependencies: ["AAC", "Lyrebird", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ALACTests", dependencies: ["ALAC", "PCM", "Lyrebird", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "PCMTests", dependencies: ["PCM", "MediaCore", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "AudioConversionTests", dependencies: ["AudioConversion", "MediaCore", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "LoudnessTests", dependencies: ["Loudness", "AudioConversion", "MediaCore", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "WaveformTests", dependencies: ["Waveform", "MediaCore", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "LyrebirdTests", dependencies: ["Lyrebird", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "LyrebirdFoundationTests", dependencies: ["LyrebirdFoundation", "Lyrebird", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "AudioIOTests", dependencies: ["AudioIO", "PCM", "MediaCore", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "CommandTests", dependencies: ["lyrebird-cli", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "capture-to-aac", "capture-to-m4a", "mp4-to-aac", "mp4-to-loudspeaker", "mp4-to-mp4", "broken-mp4-to-mp4",
        "tag-album", "split-and-join", "Lyrebird", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(name: "TestSupportTests", dependencies: ["TestSupport"], swiftSettings: strict),
    .target(name: "TestSupport", dependencies: ["MediaCore"], path: "Tests/TestSupport", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
