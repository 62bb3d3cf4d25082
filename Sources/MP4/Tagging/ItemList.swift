internal import ISOBMFF
internal import MediaCore

// The lists of metadata items in a movie header, and what is done to them.

/// What becomes of a metadata item.
enum ItemFate {
  case keep
  case remove
  /// Other values, under another identifier or the same one.
  case replace(String?, [String])
  /// One more value.
  case add(String)
}

extension BoxNode {
  /// Changes each `meta` box of a movie header that may hold items.
  mutating func changeItemLists(_ body: (inout BoxNode) -> Void) {
    for index in children.indices {
      if children[index].type == "meta" { body(&children[index]) }
      guard children[index].type == "udta" else { continue }
      for inner in children[index].children.indices where children[index].children[inner].type == "meta" {
        body(&children[index].children[inner])
      }
    }
  }

  /// Decides about each item of a `meta` box, covers left out.
  ///
  /// - Parameter fate: is given an item's identifier, and whether it is a key in a list.
  mutating func replaceItems(_ fate: (_ identifier: String, _ isKey: Bool) -> ItemFate) {
    let keys = child("keys", as: MetadataItemKeysBox.self)?.keys.map(\.text) ?? []
    var removedKeys: Set<Int> = []
    change("ilst") { list in
      list.children = list.children.compactMap { item in
        guard item.type != "covr" else { return item }
        let index = Int(item.type.rawValue)
        let isKey = (1...max(keys.count, 1)).contains(index) && !keys.isEmpty
        switch fate(MetadataReader.identifier(of: item, keys: keys), isKey) {
        case .keep: return item
        case .remove:
          if isKey { removedKeys.insert(index) }
          return nil
        case .replace(let identifier, let values): return item.replaced(identifier, values)
        case .add(let value):
          var item = item
          let data = isKey ? MetadataDataBox(text: value) : MetadataBuilder.value(value, item.type)
          item.children.append(BoxNode("data", data))
          return item
        }
      }
    }
    removeKeys(removedKeys)
  }

  /// An item with other values.
  private func replaced(_ identifier: String?, _ values: [String]) -> BoxNode? {
    guard let identifier else {
      var item = self
      item.children.removeAll { $0.type == "data" }
      item.children += values.map { BoxNode("data", MetadataDataBox(text: $0)) }
      return item
    }
    let isText = FourCC(identifier).map { TagValue.isText(.identifier($0.description)) } ?? true
    return MetadataBuilder.item(identifier, isText ? values : Array(values.prefix(1)))
  }

  /// Takes keys out of a list whose items are gone: the keys after them get other numbers, and so do their items.
  private mutating func removeKeys(_ numbers: Set<Int>) {
    guard !numbers.isEmpty else { return }
    let left = Set((first("ilst")?.children ?? []).map { Int($0.type.rawValue) })
    let gone = numbers.subtracting(left).sorted()
    guard !gone.isEmpty else { return }
    change("keys") { node in
      node.edit(MetadataItemKeysBox.self) { box in
        for number in gone.reversed() where box.keys.indices.contains(number - 1) { box.keys.remove(at: number - 1) }
      }
    }
    change("ilst") { list in
      for index in list.children.indices {
        let number = Int(list.children[index].type.rawValue)
        let lower = gone.partitionPoint { $0 < number }
        // No type in four characters is as low a number as that of a key.
        if number <= 1 << 24 { list.children[index].header.type = FourCC(UInt32(number - lower)) }
      }
    }
  }

  // MARK: New items

  /// Adds an item to the list that iTunes reads, which is made if there is none.
  mutating func insertItem(_ item: BoxNode) {
    let isITunes = { (node: BoxNode) in
      node.type == "meta" && node.first("keys") == nil && node.isItemList("mdir") && node.isWhole
    }
    let users = children.indices.filter { children[$0].type == "udta" }
    for user in users {
      guard let meta = children[user].children.firstIndex(where: isITunes) else { continue }
      children[user].children[meta].insert(intoList: item)
      return
    }
    let meta = MetadataBuilder.meta("mdir", [BoxNode("ilst", children: [item])])
    if let user = users.first {
      children[user].children.append(meta)
    } else {
      // Some readers of these items do not get past a list of keys, and others expect tracks first.
      let tracks = children.lastIndex { $0.type == "trak" } ?? 0
      let place = children[tracks...].firstIndex { $0.type == "meta" } ?? children.count
      children.insert(BoxNode("udta", children: [meta]), at: place)
    }
  }

  /// Adds an item to the list that QuickTime reads, which is made if there is none.
  mutating func insertIntoKeyedList(_ key: String, _ values: [String]) {
    let data = values.map { BoxNode("data", MetadataDataBox(text: $0)) }
    var name = MetadataKey()
    name.value = Array(key.utf8)
    var isInserted = false
    changeItemLists { meta in
      guard !isInserted, meta.isItemList("mdta"), let keys = meta.child("keys", as: MetadataItemKeysBox.self)?.keys,
        keys.count < 1 << 20, !meta.hasNamelessItems(keys: keys.count)
      else { return }
      isInserted = true
      // The key may be there without an item.
      let index = keys.firstIndex(of: name) ?? keys.count
      if index == keys.count {
        meta.change("keys") { $0.edit(MetadataItemKeysBox.self) { $0.keys.append(name) } }
      }
      meta.insert(intoList: BoxNode(FourCC(UInt32(index + 1)), children: data))
    }
    guard !isInserted else { return }
    var keys = MetadataItemKeysBox()
    keys.keys = [name]
    let item = BoxNode(FourCC(1), children: data)
    children.append(MetadataBuilder.meta("mdta", [BoxNode("keys", keys), BoxNode("ilst", children: [item])]))
  }

  /// Whether there are items whose key is missing: one more key would give such an item its name.
  private func hasNamelessItems(keys count: Int) -> Bool {
    (first("ilst")?.children ?? []).contains { $0.type != "covr" && Int($0.type.rawValue) > count }
  }

  /// Whether boxes can be added after the others: no box claims what is not there.
  private var isWhole: Bool { children.allSatisfy { !$0.header.isCut && $0.header.sizeForm != .toEnd } }

  private func isItemList(_ handler: FourCC) -> Bool {
    child("hdlr", as: HandlerBox.self)?.handlerType == handler
  }

  private mutating func insert(intoList item: BoxNode) {
    if first("ilst") == nil { children.append(BoxNode("ilst")) }
    change("ilst") { $0.children.append(item) }
  }

  // MARK: Removing

  /// Removes texts from the user data of a movie header.
  mutating func removeUserData(_ isMeant: (String) -> Bool) {
    for index in children.indices where children[index].type == "udta" {
      children[index].children.removeAll { $0.isTextOfUserData && isMeant($0.type.description) }
    }
    removeEmptyUserData()
  }

  /// Whether a box in `udta` is shown as a tag.
  private var isTextOfUserData: Bool {
    box(as: InternationalTextBox.self) != nil || box(as: AssetTextBox.self) != nil || box(as: AlbumBox.self) != nil
      || box(as: RecordingYearBox.self) != nil || box(as: LocationInformationBox.self) != nil
  }

  /// Removes `meta` boxes of which nothing is left but an empty list.
  mutating func removeEmptyItemLists() {
    children.removeAll(where: \.isEmptyItemList)
    for index in children.indices where children[index].type == "udta" {
      children[index].children.removeAll(where: \.isEmptyItemList)
    }
    removeEmptyUserData()
  }

  private var isEmptyItemList: Bool {
    guard type == "meta", let list = first("ilst"), list.children.isEmpty, list.trailing.isEmpty else { return false }
    let isPlain = children.allSatisfy { ["hdlr", "keys", "ilst", "free", "skip"].contains($0.type) }
    return isPlain && (child("keys", as: MetadataItemKeysBox.self)?.keys ?? []).isEmpty
  }

  private mutating func removeEmptyUserData() {
    children.removeAll { $0.type == "udta" && $0.children.isEmpty && $0.trailing.isEmpty }
  }
}
