import Foundation
import TestSupport
import Testing

/// The constant tables of the standard as numbers, which were checked independently.
struct StandardTables {
  private let tables: [String: Any]

  init() throws {
    let bytes = try Data(contentsOf: Shared.folder.appendingPathComponent("aac/tables.json"))
    tables = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
  }

  /// The content of a table.
  func data<T>(_ name: String, as type: T.Type = T.self) throws -> T {
    try #require((tables[name] as? [String: Any])?["data"] as? T)
  }
}
