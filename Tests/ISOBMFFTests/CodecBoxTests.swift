import ISOBMFF
import MediaCore
import TestSupport
import Testing

@Suite("How codecs are set up", .inTurn)
struct CodecBoxTests {
  @Test("esds: lengths may be padded to four bytes")
  func elementaryStream() throws {
    let box = try sample(
      ElementaryStreamDescriptorBox.self,
      "00000000 03808080 22 0000 00 04808080 14 40 15 001800 0000fa00 0000bb80 05808080 02 1188 06808080 01 02")
    #expect(box.objectTypeIndication == 0x40)
    #expect(box.streamType == 5)
    #expect(box.bufferSize == 0x1800)
    #expect(box.maximumBitrate == 64000)
    #expect(box.averageBitrate == 48000)
    #expect(box.decoderSpecificInfo == [0x11, 0x88])
  }

  @Test("esds: optional fields of the stream are passed over")
  func elementaryStreamWithOptions() throws {
    let box = try sample(
      ElementaryStreamDescriptorBox.self,
      "00000000 03 1b 0001 e0 0002 03 616263 0003 04 0d 6b 15 000000 00000001 00000002 7f 00")
    #expect(box.objectTypeIndication == 0x6B)
    #expect(box.averageBitrate == 2)
    #expect(box.decoderSpecificInfo == nil)
  }

  @Test(
    "esds: damaged descriptors yield nothing rather than anything", arguments: ["", "03", "0305", "0303000000", "ff"])
  func damagedElementaryStream(descriptors: String) throws {
    let box = try sample(ElementaryStreamDescriptorBox.self, "00000000" + descriptors)
    #expect(box.objectTypeIndication == nil)
    #expect(box.averageBitrate == nil)
    #expect(box.decoderSpecificInfo == nil)
  }

  @Test("esds: one that is made can be read")
  func madeElementaryStream() throws {
    let info = [UInt8](repeating: 7, count: 200)
    let box = ElementaryStreamDescriptorBox(
      audio: 0x40, bufferSize: 6144, maximumBitrate: 128_000, averageBitrate: 96000, decoderSpecificInfo: info)
    let (read, _) = try ElementaryStreamDescriptorBox.read(box.written()[...])
    #expect(read.objectTypeIndication == 0x40)
    #expect(read.streamType == 5)
    #expect(read.bufferSize == 6144)
    #expect(read.maximumBitrate == 128_000)
    #expect(read.averageBitrate == 96000)
    #expect(read.decoderSpecificInfo == info)
    // 13 bytes and 3 + 200 in the decoder's descriptor, 3 + 3 + 3 more in the stream's: lengths take two bytes.
    #expect(read.descriptors.prefix(6) == [3, 0x81, 0x61, 0, 0, 0][...])
  }

  @Test("avcC")
  func avc() throws {
    let box = try sample(
      AVCConfigurationBox.self, "01 64 00 1e ff e1 0004 67640001 02 0002 68eb 0000 fd f9 fa 01 0001 6d")
    #expect(box.profile == 100)
    #expect(box.profileCompatibility == 0)
    #expect(box.level == 30)
    #expect(box.lengthSizeMinusOne == 3)
    #expect(box.sequenceParameterSets == [[0x67, 0x64, 0, 1]])
    #expect(box.pictureParameterSets == [[0x68, 0xEB], []])
    #expect(box.hasHigh)
    #expect(box.high.chromaFormat == 1)
    #expect(box.high.bitDepthLumaMinus8 == 1)
    #expect(box.high.bitDepthChromaMinus8 == 2)
    #expect(box.high.sequenceParameterSetExtensions == [[0x6D]])
  }

  @Test("avcC: what the high profiles add may be missing")
  func avcWithoutHigh() throws {
    #expect(try !sample(AVCConfigurationBox.self, "01 64 00 1e ff e0 00").hasHigh)
  }

  @Test("hvcC")
  func hevc() throws {
    let box = try sample(
      HEVCConfigurationBox.self,
      "01 62 20000000 b00000000001 5d f123 fe fd fa fb 1900 4f 02 a0 0001 0003 400101 22 0002 0001 aa 0000")
    #expect(box.profileSpace == 1)
    #expect(box.isHighTier)
    #expect(box.profile == 2)
    #expect(box.profileCompatibility == 0x2000_0000)
    #expect(box.constraints == 0xB000_0000_0001)
    #expect(box.level == 93)
    #expect(box.minimumSpatialSegmentation == 0x123)
    #expect(box.parallelismType == 2)
    #expect(box.chromaFormat == 1)
    #expect(box.bitDepthLumaMinus8 == 2)
    #expect(box.bitDepthChromaMinus8 == 3)
    #expect(box.averageFrameRate == 6400)
    #expect(box.constantFrameRate == 1)
    #expect(box.temporalLayers == 1)
    #expect(box.isTemporalIDNested)
    #expect(box.lengthSizeMinusOne == 3)
    #expect(box.arrays.map(\.type) == [32, 34])
    #expect(box.arrays.map(\.isComplete) == [true, false])
    #expect(box.arrays.map(\.units) == [[[0x40, 1, 1]], [[0xAA], []]])
  }

  @Test("vvcC: sublayers have levels, one operating point set has no count")
  func vvc() throws {
    let box = try sample(
      VVCConfigurationBox.self,
      "00000000 ff 0031 5f 01 03 33 80 c0 3020 01 00000007 0780 0438 0000 02 8c 0002 aabb 8f 0001 0001 79")
    #expect(box.lengthSizeMinusOne == 3)
    #expect(box.hasProfileTierLevel)
    #expect(box.stream.outputLayerSet == 0)
    #expect(box.stream.sublayers == 3)
    #expect(box.stream.chromaFormat == 1)
    #expect(box.stream.bitDepthMinus8 == 2)
    #expect(box.stream.profile == 1)
    #expect(box.stream.isHighTier)
    #expect(box.stream.level == 51)
    #expect(box.stream.constraints == [0x80])
    #expect(box.stream.sublayerLevels == [0x30, 0x20])
    #expect(box.stream.subProfiles == [7])
    #expect(box.stream.maximumPictureWidth == 1920)
    #expect(box.stream.maximumPictureHeight == 1080)
    #expect(box.arrays.map(\.type) == [12, 15])
    #expect(box.arrays.map(\.units) == [[[0xAA, 0xBB]], [[0x79]]])
  }

  @Test("av1C")
  func av1() throws {
    let box = try sample(AV1CodecConfigurationBox.self, "81 2d cd 15 0a0b00")
    #expect(box.version == 1)
    #expect(box.profile == 1)
    #expect(box.level == 13)
    #expect(box.isHighTier)
    #expect(box.bitDepth == 10)
    #expect(!box.isMonochrome)
    #expect(box.isChromaSubsampledX && box.isChromaSubsampledY)
    #expect(box.chromaSamplePosition == 1)
    #expect(box.hasInitialPresentationDelay)
    #expect(box.initialPresentationDelayMinusOne == 5)
    #expect(box.configOBUs == [0x0A, 0x0B, 0])
  }

  @Test("vpcC; a draft's version 0 is refused, to stay as it is")
  func vp9() throws {
    let box = try sample(VPCodecConfigurationBox.self, "01000000 02 1e a3 09 10 08 0000")
    #expect(box.profile == 2)
    #expect(box.level == 30)
    #expect(box.bitDepth == 10)
    #expect(box.chromaSubsampling == 1)
    #expect(box.isFullRange)
    #expect(box.colourPrimaries == 9)
    #expect(box.transferCharacteristics == 16)
    #expect(box.matrixCoefficients == 8)
    let draft = bytes("00000000 02 1e a3 09 0000 0000")
    #expect(failure { () throws(BoxError) in _ = try VPCodecConfigurationBox.read(draft[...]) } == .invalidValue(0))
  }

  @Test("dOps: with a channel mapping")
  func opus() throws {
    let box = try sample(OpusSpecificBox.self, "00 06 0138 0000bb80 ff00 01 04 02 000401020305")
    #expect(box.outputChannelCount == 6)
    #expect(box.preSkip == 312)
    #expect(box.inputSampleRate == 48000)
    #expect(box.outputGain == -256)
    #expect(box.streamCount == 4)
    #expect(box.coupledCount == 2)
    #expect(box.channelMapping == [0, 4, 1, 2, 3, 5])
    #expect(try sample(OpusSpecificBox.self, "00 02 0138 0000bb80 0000 00").channelMapping.isEmpty)
  }

  @Test("dfLa")
  func flac() throws {
    let box = try sample(FLACSpecificBox.self, "00000000 00 000002 aabb 84 000001 cc")
    #expect(box.blocks.map(\.type) == [0, 4])
    #expect(box.blocks.map(\.isLast) == [false, true])
    #expect(box.blocks.map(\.data) == [[0xAA, 0xBB], [0xCC]])
  }

  @Test("alac")
  func alac() throws {
    let box = try sample(
      AppleLosslessSpecificBox.self, "00000000 00001000 00 18 28 0a 0e 02 00ff 00004003 00102660 0000ac44")
    #expect(box.frameLength == 4096)
    #expect(box.bitDepth == 24)
    #expect(box.channelCount == 2)
    #expect(box.averageBitrate == 0x10_2660)
    #expect(box.sampleRate == 44100)
  }

  @Test("dac3: 5.1 at 48 kHz, 448 kbit/s")
  func ac3() throws {
    let box = try sample(AC3SpecificBox.self, "103de0")
    #expect(box.sampleRateCode == 0)
    #expect(box.bitStreamID == 8)
    #expect(box.audioCodingMode == 7)
    #expect(box.hasLowFrequency)
    #expect(box.bitRateCode == 15)
    #expect(box.channelCount == 6)
  }

  @Test("dec3: a dependent substream with two more channels makes 7.1")
  func enhancedAC3() throws {
    let box = try sample(EC3SpecificBox.self, "1400 200f 0202")
    #expect(box.dataRate == 640)
    #expect(box.substreams.count == 1)
    #expect(box.substreams.first?.bitStreamID == 16)
    #expect(box.substreams.first?.dependentCount == 1)
    #expect(box.substreams.first?.channelLocations == 2)
    #expect(box.channelCount == 8)
    #expect(try sample(EC3SpecificBox.self, "1401 200f00 200400").substreams.map(\.channelCount) == [6, 2])
  }

  @Test("dac4, mhaC, pcmC, srat")
  func otherAudio() throws {
    let ac4 = try sample(AC4SpecificBox.self, "20a601 8096")
    #expect(ac4.dsiVersion == 1)
    #expect(ac4.bitStreamVersion == 2)
    #expect(ac4.sampleRateCode == 1)
    #expect(ac4.frameRateIndex == 3)
    #expect(ac4.presentationCount == 1)
    let mpegH = try sample(MHAConfigurationBox.self, "01 0d 13 0002 aabb")
    #expect(mpegH.profileLevelIndication == 13)
    #expect(mpegH.referenceChannelLayout == 19)
    #expect(mpegH.config == [0xAA, 0xBB])
    let pcm = try sample(PCMConfigurationBox.self, "00000000 01 18")
    #expect(pcm.isLittleEndian)
    #expect(pcm.sampleSize == 24)
    #expect(try sample(SamplingRateBox.self, "00000000 0002ee00").samplingRate == 192_000)
  }

  @Test("chan and chnl")
  func channelLayouts() throws {
    let quickTime = try sample(
      AudioChannelLayoutBox.self, "00000000 00000000 00000000 00000001 00000064 00000001 3f800000 00000000 bf800000")
    #expect(quickTime.layoutTag == 0)
    #expect(quickTime.descriptions[0]?.label == 100)
    #expect(quickTime.descriptions[0]?.coordinates == [0x3F80_0000, 0, 0xBF80_0000])
    #expect(try sample(ChannelLayoutBox.self, "00000000 01 06 0000000000000000").definedLayout == 6)
    #expect(try sample(ChannelLayoutBox.self, "00000000 01 00 0001").definedLayout == nil)
  }

  @Test("dvvC: profile 8.4")
  func dolbyVision() throws {
    let box = try sample(
      DolbyVisionConfigurationBox.self, "01 00 1025 40000000 00000000 00000000 00000000 00000000")
    #expect(box.profile == 8)
    #expect(box.level == 4)
    #expect(box.hasMetadata)
    #expect(!box.hasEnhancementLayer)
    #expect(box.hasBaseLayer)
    #expect(box.compatibilityID == 4)
  }

  @Test("colr: code points, QuickTime's, and a profile")
  func colour() throws {
    let points = try sample(ColourInformationBox.self, "6e636c78 0009 0010 0009 80")
    #expect(points.colourType == "nclx")
    #expect(points.colourPrimaries == 9)
    #expect(points.transferCharacteristics == 16)
    #expect(points.matrixCoefficients == 9)
    #expect(points.isFullRange)
    #expect(try !sample(ColourInformationBox.self, "6e636c78 0009 0010 0009").hasRange)
    #expect(try sample(ColourInformationBox.self, "6e636c63 0001 0001 0006").matrixCoefficients == 6)
    #expect(try sample(ColourInformationBox.self, "72494343 010203").profile == [1, 2, 3])
  }

  @Test("pasp, clap, fiel, gama, btrt, st3d")
  func pictures() throws {
    let aspect = try sample(PixelAspectRatioBox.self, "00000040 0000002d")
    #expect(aspect.horizontalSpacing == 64)
    #expect(aspect.verticalSpacing == 45)
    let aperture = try sample(
      CleanApertureBox.self, "000002c0 00000001 000001e0 00000001 ffffffff 00000002 00000000 00000001")
    #expect(aperture.widthNumerator == 704)
    #expect(aperture.heightNumerator == 480)
    #expect(aperture.horizontalOffsetNumerator == -1)
    #expect(aperture.horizontalOffsetDenominator == 2)
    let fields = try sample(FieldHandlingBox.self, "02 06")
    #expect(fields.fieldCount == 2)
    #expect(fields.fieldOrdering == 6)
    #expect(try sample(GammaBox.self, "00023333").gamma == 0x23333)
    #expect(try sample(BitRateBox.self, "00000001 00000002 00000003").averageBitrate == 3)
    #expect(try sample(Stereoscopic3DBox.self, "00000000 02").stereoMode == 2)
  }

  @Test("mdcv, clli, SmDm, CoLL")
  func highDynamicRange() throws {
    let volume = try sample(
      MasteringDisplayColourVolumeBox.self, "2122 9baa 1996 08fc 8a48 3908 3d13 4042 00989680 00000032")
    #expect(volume.green.x == 8482)
    #expect(volume.blue.y == 2300)
    #expect(volume.red.x == 35400)
    #expect(volume.white.y == 16450)
    #expect(volume.maximumLuminance == 10_000_000)
    #expect(volume.minimumLuminance == 50)
    let level = try sample(ContentLightLevelBox.self, "03e8 0190")
    #expect(level.maximumContentLightLevel == 1000)
    #expect(level.maximumPictureAverageLightLevel == 400)
    let metadata = try sample(
      SMPTE2086MasteringDisplayMetadataBox.self, "00000000 0001 0002 0003 0004 0005 0006 0007 0008 0003e800 00000042")
    #expect(metadata.red.x == 1)
    #expect(metadata.white.y == 8)
    #expect(metadata.maximumLuminance >> 8 == 1000)
    #expect(try sample(VPContentLightLevelBox.self, "00000000 03e8 0190").maximumFrameAverageLightLevel == 400)
  }
}
