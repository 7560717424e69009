/// A problem with a part of a PMTiles archive: the rest of a sentence that begins with the file.
struct PMTilesProblem: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The places of tiles, or of further directories, in the file, sorted by the tiles' numbers.
struct PMTilesDirectory: Sendable {
  struct Entry: Sendable {
    var tileID: UInt64
    var offset: UInt64
    var length: UInt32
    /// The number of successive tiles that share this one; 0 for a directory of the tiles from here on.
    var runLength: UInt32
  }

  let entries: [Entry]

  /// Reads a directory.
  init(_ bytes: [UInt8]) throws(PMTilesProblem) {
    var rest = bytes[...]
    func number() throws(PMTilesProblem) -> UInt64 {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while let byte = rest.popFirst() {
        guard shift < 63 || byte <= 1 else { break }
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return value }
        shift += 7
      }
      throw PMTilesProblem("has a directory that ends too early")
    }
    func small() throws(PMTilesProblem) -> UInt32 {
      guard let number = UInt32(exactly: try number()) else {
        throw PMTilesProblem("has a directory with a wrong number")
      }
      return number
    }
    let count = try number()
    // An entry has at least four bytes.
    guard count > 0, count <= UInt64(bytes.count) / 4 else {
      throw PMTilesProblem("has a directory of \(count) entries in \(bytes.count) bytes")
    }
    var entries: [Entry] = []
    entries.reserveCapacity(Int(count))
    var id: UInt64 = 0
    for index in 0..<count {
      let (next, overflows) = id.addingReportingOverflow(try number())
      guard !overflows, index == 0 || next > id else { throw PMTilesProblem("has a directory that is not in order") }
      id = next
      entries.append(Entry(tileID: id, offset: 0, length: 0, runLength: 0))
    }
    for index in entries.indices { entries[index].runLength = try small() }
    for index in entries.indices {
      entries[index].length = try small()
      guard entries[index].length > 0 else { throw PMTilesProblem("has a directory with an empty entry") }
    }
    for index in entries.indices {
      let value = try number()
      if value > 0 {
        entries[index].offset = value - 1
      } else {
        // Directly after the previous entry.
        guard index > 0 else { throw PMTilesProblem("has a directory that begins with an entry without a place") }
        let (next, overflows) = entries[index - 1].offset.addingReportingOverflow(UInt64(entries[index - 1].length))
        guard !overflows else { throw PMTilesProblem("has a directory with a wrong number") }
        entries[index].offset = next
      }
    }
    guard rest.isEmpty else { throw PMTilesProblem("has a directory followed by other bytes") }
    self.entries = entries
  }

  /// The last entry that begins at or before a tile.
  func entry(for id: UInt64) -> Entry? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].tileID <= id { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? entries[low - 1] : nil
  }
}
