import SystemPackage

/// The first 127 bytes of a PMTiles archive.
struct PMTilesHeader: Sendable {
  /// A part of the file.
  struct Place: Sendable {
    var offset: UInt64
    var length: UInt64

    func part(_ offset: UInt64, _ length: UInt64, _ path: FilePath) throws(PMTilesError) -> Place {
      guard length <= self.length, offset <= self.length - length else {
        throw PMTilesError(path, .damaged, "points beyond its own end")
      }
      return Place(offset: self.offset + offset, length: length)
    }
  }

  var root: Place
  var metadata: Place
  var leaves: Place
  var data: Place
  /// Whether directories and metadata are compressed.
  var isGzipped: Bool
  /// Whether tiles are compressed in addition to their own format.
  var tilesAreGzipped: Bool
  var contentType: String
  var zoom: ClosedRange<UInt8>

  init(_ bytes: [UInt8], fileSize: UInt64) throws(PMTilesProblem) {
    guard bytes.count >= 7, bytes.starts(with: "PMTiles".utf8) else {
      throw PMTilesProblem("is not a PMTiles archive")
    }
    guard bytes.count == 127 else { throw PMTilesProblem("ends within its header") }
    guard bytes[7] == 3 else { throw PMTilesProblem("is of version \(bytes[7]) of PMTiles") }
    func place(_ index: Int, _ name: String) throws(PMTilesProblem) -> Place {
      func number(_ index: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[index + $1]) << UInt64(8 * $1) }
      }
      let place = Place(offset: number(index), length: number(index + 8))
      guard place.length <= fileSize, place.offset <= fileSize - place.length else {
        throw PMTilesProblem("ends before its \(name) does")
      }
      return place
    }
    root = try place(8, "root directory")
    metadata = try place(24, "metadata")
    leaves = try place(40, "leaf directories")
    data = try place(56, "tiles")
    func isGzipped(_ byte: UInt8, _ name: String) throws(PMTilesProblem) -> Bool {
      switch byte {
      case 1: return false
      case 2: return true
      default: throw PMTilesProblem("has \(name) with a compression other than gzip")
      }
    }
    self.isGzipped = try isGzipped(bytes[97], "directories")
    // 0 means unknown, which writers use for pictures.
    tilesAreGzipped = bytes[98] == 0 ? false : try isGzipped(bytes[98], "tiles")
    switch bytes[99] {
    case 2: contentType = "image/png"
    case 3: contentType = "image/jpeg"
    case 4: contentType = "image/webp"
    case 5: contentType = "image/avif"
    case 1: throw PMTilesProblem("has vector tiles; only pictures can be shown")
    default: throw PMTilesProblem("has tiles of an unknown kind; only pictures can be shown")
    }
    guard bytes[100] <= bytes[101], bytes[101] <= 31 else {
      throw PMTilesProblem("declares the zoom levels \(bytes[100]) to \(bytes[101])")
    }
    zoom = bytes[100]...bytes[101]
  }
}
