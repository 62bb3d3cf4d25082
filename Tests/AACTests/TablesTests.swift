import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// The tables as code against the same tables as numbers, checked independently.
@Suite("Tables", .inTurn, .needs(.corpus))
struct TablesTests {
  private let tables: StandardTables

  init() throws { tables = try StandardTables() }

  private func data<T>(_ name: String, as type: T.Type = T.self) throws -> T { try tables.data(name) }

  @Test("Huffman books have the lengths and code words of the standard", arguments: 1...12)
  func huffman(number: Int) throws {
    let isScalefactor = number == 12
    let name = isScalefactor ? "huffman_scalefactor" : "huffman_spectral_\(number)"
    let expected: [String: Any] = try data(name)
    let book = isScalefactor ? HuffmanBook.scalefactor : HuffmanBook.spectral(number)
    #expect(book.lengths.map(Int.init) == expected["lengths"] as? [Int])
    #expect(book.codes.map(Int.init) == expected["codes"] as? [Int])
    guard !isScalefactor else { return }
    #expect(book.dimension == expected["dimension"] as? Int)
    #expect(book.isSigned == expected["signed"] as? Bool)
    #expect(book.largest == expected["lav"] as? Int)
    #expect(book.radix == expected["radix"] as? Int)
    #expect(book.lengths.indices.allSatisfy { book.index(of: book.lines(at: $0)) == $0 })
  }

  @Test("scalefactor bands are the standard's at every rate and window length", arguments: [1024, 128, 960, 120])
  func bands(length: Int) throws {
    let table: [String: Any] = try data("swb_offset_\(length)")
    let offsets = try #require(table["offsets"] as? [String: [Int]])
    let families = try #require(table["family_by_index"] as? [String])
    for (index, family) in families.enumerated() {
      let bands = ScalefactorBands(
        frequencyIndex: index, frameLength: length % 15 == 0 ? 960 : 1024, isShort: length < 200)
      #expect(bands.offsets.map(Int.init) == offsets[family])
    }
  }

  @Test("rates without an index use the tables of their neighbour")
  func tableIndex() throws {
    let lowest: [Int] = try data("sampling_frequency_mapping")
    for (index, rate) in lowest.enumerated() {
      #expect(SamplingFrequency.tableIndex(of: UInt32(rate)) == index)
      #expect(SamplingFrequency.tableIndex(of: UInt32(rate - 1)) == index + 1)
    }
    #expect(SamplingFrequency.tableIndex(of: 16_777_215) == 0)
    #expect(SamplingFrequency.tableIndex(of: 1) == 11)
    #expect(SamplingFrequency.tableIndex(of: 7350) == 12)
  }

  @Test("windows have the standard's values")
  func windows() throws {
    let shapes: [String: [String: Any]] = try data("window_shapes")
    for (name, shape) in shapes {
      let slope = (name.hasPrefix("kbd") ? WindowShape.kaiserBessel : .sine).slope(
        try #require(shape["half_length"] as? Int))
      for (place, value) in try #require(shape["check"] as? [String: Double]) {
        #expect(abs(slope[try #require(Int(place))] - value) < 1e-12, "\(name) \(place)")
      }
    }
  }

  @Test("noise shaping, prediction and quantisation have the standard's constants")
  func constants() throws {
    let maximumBands: [String: [Int]] = try data("tns_max_bands")
    #expect(NoiseShaping.maximumLongBands == maximumBands["long"])
    #expect(NoiseShaping.maximumShortBands == maximumBands["short"])
    let coefficients: [String: [Double]] = try data("tns_coef")
    for resolution in [3, 4] {
      for (place, value) in try #require(coefficients["\(resolution)"]).enumerated() {
        let index = place - 1 << (resolution - 1)
        // The standard's divisor has single precision: within one unit of its last place.
        let coefficient = NoiseShaping.reflection(index, resolution: resolution)
        #expect(abs(coefficient - value) <= Double(Float(value).ulp) && (coefficient < 0) == (index < 0))
      }
    }
    #expect(Prediction.maximumBands == (try data("pred_sfb_max")))
    #expect(Prediction.longTermGains == (try data("ltp_coef", as: [Double].self)).map { Float($0) })
    let quantisation: [String: Any] = try data("dequantisation")
    for (magnitude, value) in try #require(quantisation["pow43"] as? [String: Double]) {
      #expect(Quantisation.power43[try #require(Int(magnitude))] == Float(value))
    }
    for (scalefactor, value) in try #require(quantisation["gain"] as? [String: Double]) {
      let gain = Quantisation.gain(quarters: try #require(Int(scalefactor)) - Quantisation.scalefactorOffset)
      #expect(abs(gain / value - 1) < 1e-12)
    }
  }

  @Test("channel configurations consist of the standard's elements", arguments: [1, 2, 3, 4, 5, 6, 7, 11, 12, 14])
  func channelElements(configuration: Int) throws {
    let names: [ChannelElements.Kind: String] = [.single: "SCE", .pair: "CPE", .lowFrequency: "LFE"]
    let expected: [String: [[String]]] = try data("channel_configuration")
    let elements = try #require(ChannelElements.elements(configuration: UInt8(configuration)))
    #expect(elements.map { names[$0.kind] } == expected["\(configuration)"]?.map(\.first))
    #expect(elements.map(\.speakers.count) == expected["\(configuration)"]?.map { $0.count - 1 })
    let speakers = elements.flatMap(\.speakers)
    #expect(Set(speakers).count == speakers.count)
  }
}
