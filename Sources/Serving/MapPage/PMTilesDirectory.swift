/// The places of tiles, or of further directories, in the file, sorted by the tiles' numbers.
struct PMTilesDirectory: Sendable {
  struct Entry: Sendable {
    var tileID: UInt64
    var offset: UInt64
    var length: UInt32
    /// The number of successive tiles that share this one; 0 for a directory of the tiles from here on.
    var runLength: UInt32

    /// The place in the file, whose tiles or leaf directories begin at `start`.
    func place(after start: UInt64) throws(TileArchiveError) -> PMTilesHeader.Place {
      let (offset, overflows) = start.addingReportingOverflow(offset)
      guard !overflows else { throw TileArchiveError(.damaged, "points beyond its own end") }
      return PMTilesHeader.Place(offset: offset, length: UInt64(length))
    }
  }

  let entries: [Entry]

  init(_ bytes: [UInt8]) throws(TileArchiveError) {
    var rest = bytes[...]
    func number() throws(TileArchiveError) -> UInt64 {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while let byte = rest.popFirst() {
        guard shift < 63 || byte <= 1 else { break }
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return value }
        shift += 7
      }
      throw TileArchiveError(.damaged, "has a directory that ends too early")
    }
    func small() throws(TileArchiveError) -> UInt32 {
      guard let number = UInt32(exactly: try number()) else {
        throw TileArchiveError(.damaged, "has a directory with a wrong number")
      }
      return number
    }
    let count = try number()
    // An entry has at least four bytes.
    guard count > 0, count <= UInt64(bytes.count) / 4 else {
      throw TileArchiveError(.damaged, "has a directory of \(count) entries in \(bytes.count) bytes")
    }
    var entries: [Entry] = []
    entries.reserveCapacity(Int(count))
    var id: UInt64 = 0
    for index in 0..<count {
      let (next, overflows) = id.addingReportingOverflow(try number())
      guard !overflows, index == 0 || next > id else {
        throw TileArchiveError(.damaged, "has a directory that is not in order")
      }
      id = next
      entries.append(Entry(tileID: id, offset: 0, length: 0, runLength: 0))
    }
    for index in entries.indices { entries[index].runLength = try small() }
    for index in entries.indices {
      entries[index].length = try small()
      guard entries[index].length > 0 else { throw TileArchiveError(.damaged, "has a directory with an empty entry") }
    }
    for index in entries.indices {
      let value = try number()
      if value > 0 {
        entries[index].offset = value - 1
      } else {
        // Directly after the previous entry.
        guard index > 0 else {
          throw TileArchiveError(.damaged, "has a directory that begins with an entry without a place")
        }
        let (next, overflows) = entries[index - 1].offset.addingReportingOverflow(UInt64(entries[index - 1].length))
        guard !overflows else { throw TileArchiveError(.damaged, "has a directory with a wrong number") }
        entries[index].offset = next
      }
    }
    guard rest.isEmpty else { throw TileArchiveError(.damaged, "has a directory followed by other bytes") }
    self.entries = entries
  }

  func entry(for id: UInt64) -> Entry? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].tileID <= id { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? entries[low - 1] : nil
  }
}

/// The first 127 bytes of a PMTiles archive. The length of the tiles and of the leaf directories is not read, because
/// writers have got it wrong and the directories say where everything is.
struct PMTilesHeader: Sendable {
  struct Place: Sendable {
    var offset: UInt64
    var length: UInt64
  }

  var root: Place
  var metadata: Place
  var leaves: Place
  var data: Place
  var contentType: String
  var zoom: ClosedRange<UInt8>

  init(_ bytes: [UInt8]) throws(TileArchiveError) {
    guard bytes[7] == 3 else { throw TileArchiveError(.damaged, "is of version \(bytes[7]) of PMTiles") }
    func place(_ index: Int) -> Place {
      func number(_ index: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[index + $1]) << UInt64(8 * $1) } }
      return Place(offset: number(index), length: number(index + 8))
    }
    (root, metadata, leaves, data) = (place(8), place(24), place(40), place(56))
    // 0 is unknown, 1 none and 2 gzip, which the first bytes show as well.
    for (byte, name) in [(bytes[97], "directories"), (bytes[98], "tiles")] where byte > 2 {
      throw TileArchiveError(.damaged, "has \(name) with a compression other than gzip")
    }
    switch bytes[99] {
    case 1: contentType = MapTile.vector
    case 2: contentType = "image/png"
    case 3: contentType = "image/jpeg"
    case 4: contentType = "image/webp"
    case 5: contentType = "image/avif"
    default: throw TileArchiveError(.damaged, "has tiles of a kind that cannot be shown")
    }
    guard bytes[100] <= bytes[101], bytes[101] <= 31 else {
      throw TileArchiveError(.damaged, "declares the zoom levels \(bytes[100]) to \(bytes[101])")
    }
    zoom = bytes[100]...bytes[101]
  }
}
