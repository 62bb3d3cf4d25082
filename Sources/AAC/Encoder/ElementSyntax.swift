/// Writes an element of a packet, and computes its size in bits beforehand.
///
/// Source: ISO/IEC 14496-3, 4.4.2.1 and 4.4.2.7: single_channel_element, channel_pair_element, lfe_channel_element,
/// individual_channel_stream.
enum ElementSyntax {
  /// Bits of everything except sections, scalefactors and lines.
  static func sideBits(_ element: ElementFrame) -> Int {
    let layout = element.layout
    let info = layout.sequence == .eightShort ? 4 + 4 + 7 : 4 + 6 + 1
    // Global gain, and a flag each for pulses, noise shaping and gain control.
    let channel = 8 + 3 + (element.filter?.bits ?? 0)
    guard element.spectra.count == 2 else { return 3 + 4 + info + channel }
    return 3 + 4 + 1 + info + 2 + (midSideMode(element) == 1 ? layout.bandCount : 0) + 2 * channel
  }

  /// Bits of the scalefactors (the first one is the global gain), the noise levels and the intensity positions.
  static func scalefactorBits(_ channel: ChannelSpectrum, _ layout: FrameLayout) -> Int {
    let lengths = HuffmanBook.scalefactor.lengths
    var bits = 0
    var last: Int32 = -1
    var lastLevel: Int32?
    var lastPosition: Int32 = 0
    for band in 0..<layout.bandCount where channel.books[band] != 0 {
      if channel.books[band] >= Codebook.intensityOutOfPhase {
        bits += Int(lengths[Int(channel.positions[band] - lastPosition + 60)])
        lastPosition = channel.positions[band]
        continue
      }
      if channel.books[band] == Codebook.noise {
        let level = channel.noiseLevels[band]
        bits += lastLevel.map { Int(lengths[Int(level - $0 + 60)]) } ?? 9
        lastLevel = level
        continue
      }
      let scalefactor = channel.scalefactors[band]
      bits += Int(lengths[last < 0 ? 60 : Int(scalefactor - last + 60)])
      last = scalefactor
    }
    return bits
  }

  /// `ms_mask_present`: 0 no band, 2 all bands, 1 a flag for each.
  private static func midSideMode(_ element: ElementFrame) -> Int {
    let count = element.isMidSide.count { $0 }
    return count == 0 ? 0 : count == element.isMidSide.count ? 2 : 1
  }

  /// Writes the element.
  static func write(_ element: ElementFrame, tag: Int, books: CodeWords, to bits: inout PacketBitWriter) {
    let layout = element.layout
    bits.append(element.kind.rawValue, 3)
    bits.append(tag, 4)
    guard element.spectra.count == 2 else {
      writeChannel(element.spectra[0], layout, element.filter, info: true, books, &bits)
      return
    }
    bits.append(1, 1)
    writeInfo(layout, &bits)
    let mode = midSideMode(element)
    bits.append(mode, 2)
    if mode == 1 { for isMidSide in element.isMidSide { bits.append(isMidSide ? 1 : 0, 1) } }
    for spectrum in element.spectra { writeChannel(spectrum, layout, element.filter, info: false, books, &bits) }
  }

  private static func writeInfo(_ layout: FrameLayout, _ bits: inout PacketBitWriter) {
    bits.append(0, 1)
    bits.append(layout.sequence.rawValue, 2)
    bits.append(layout.shape.rawValue, 1)
    guard layout.sequence == .eightShort else {
      bits.append(layout.bandsPerGroup, 6)
      bits.append(0, 1)
      return
    }
    bits.append(layout.bandsPerGroup, 4)
    // A flag for each window but the first: whether it belongs to the group of the previous one.
    for (index, group) in layout.groups.enumerated() {
      if index > 0 { bits.append(0, 1) }
      bits.append((1 << (group - 1)) - 1, group - 1)
    }
  }

  private static func writeChannel(
    _ channel: ChannelSpectrum, _ layout: FrameLayout, _ filter: TemporalNoiseShaper.Filter?, info: Bool,
    _ books: CodeWords, _ bits: inout PacketBitWriter
  ) {
    let first = (0..<layout.bandCount).first { channel.scalefactors[$0] >= 0 }
    let globalGain = first.map { channel.scalefactors[$0] } ?? 0
    bits.append(Int(globalGain), 8)
    if info { writeInfo(layout, &bits) }
    writeSections(channel, layout, &bits)
    writeScalefactors(channel, layout, from: globalGain, books, &bits)
    // No pulses, noise shaping or none, no gain control.
    bits.append(0, 1)
    bits.append(filter == nil ? 0 : 1, 1)
    if let filter { writeFilter(filter, &bits) }
    bits.append(0, 1)
    for band in 0..<layout.bandCount where channel.scalefactors[band] >= 0 {
      let from = layout.offsets[band]
      books.write(
        channel.quantised.from(from), count: layout.offsets[band + 1] - from, book: Int(channel.books[band]),
        to: &bits
      )
    }
  }

  /// One filter, of 4-bit coefficients, upwards; before it one of order 0 for bands above that stay as they are.
  ///
  /// Source: 4.4.2.7, tns_data.
  private static func writeFilter(_ filter: TemporalNoiseShaper.Filter, _ bits: inout PacketBitWriter) {
    bits.append(filter.above > 0 ? 2 : 1, 2)
    bits.append(1, 1)
    if filter.above > 0 {
      bits.append(filter.above, 6)
      bits.append(0, 5)
    }
    bits.append(filter.length, 6)
    bits.append(filter.indices.count, 5)
    bits.append(0, 2)
    for index in filter.indices { bits.append(index & 15, 4) }
  }

  private static func writeSections(_ channel: ChannelSpectrum, _ layout: FrameLayout, _ bits: inout PacketBitWriter) {
    let escape = (1 << layout.sectionRunBits) - 1
    for group in 0..<layout.groups.count {
      let end = (group + 1) * layout.bandsPerGroup
      var band = group * layout.bandsPerGroup
      while band < end {
        var run = 1
        while band + run < end, channel.books[band + run] == channel.books[band] { run += 1 }
        bits.append(Int(channel.books[band]), 4)
        band += run
        while run >= escape {
          bits.append(escape, layout.sectionRunBits)
          run -= escape
        }
        bits.append(run, layout.sectionRunBits)
      }
    }
  }

  private static func writeScalefactors(
    _ channel: ChannelSpectrum, _ layout: FrameLayout, from globalGain: Int32, _ books: CodeWords,
    _ bits: inout PacketBitWriter
  ) {
    func write(difference: Int32) {
      let index = Int(difference + 60)
      bits.append(books.scalefactors.codes[index], Int(books.scalefactors.lengths[index]))
    }
    var last = globalGain
    var lastLevel: Int32?
    var lastPosition: Int32 = 0
    for band in 0..<layout.bandCount where channel.books[band] != 0 {
      if channel.books[band] >= Codebook.intensityOutOfPhase {
        write(difference: channel.positions[band] - lastPosition)
        lastPosition = channel.positions[band]
        continue
      }
      if channel.books[band] == Codebook.noise {
        let level = channel.noiseLevels[band]
        if let lastLevel {
          write(difference: level - lastLevel)
        } else {
          // Source: 4.6.13.3: the first level counts from the global gain.
          bits.append(Int(level - globalGain) + Quantisation.noiseOffset + Quantisation.noiseStartOffset, 9)
        }
        lastLevel = level
        continue
      }
      write(difference: channel.scalefactors[band] - last)
      last = channel.scalefactors[band]
    }
  }
}
