import Platform
import SystemPackage

/// A map in a file, whose tiles are read on request.
protocol TileArchive: Sendable {
  var zoom: ClosedRange<Int> { get }
  /// The attribution on the map, as HTML.
  var attribution: String? { get }
  var contentType: String { get }

  /// Reads a tile from the disk; `nil` if the archive does not have it. For any thread.
  func tile(zoom: Int, x: Int, y: Int) throws(TileArchiveError) -> MapTile?
}

extension TileArchive {
  var isVector: Bool { contentType == MapTile.vector }
}

struct MapTile: Sendable, Equatable {
  static let vector = "application/vnd.mapbox-vector-tile"
  /// The largest size of a tile in bytes.
  static let limit = 8 << 20

  var bytes: [UInt8]

  /// How the bytes are also compressed, by their first ones, which are true where an archive says something else. This is
  /// HTTP's name of it, which browsers undo. A picture and a vector tile begin with other bytes.
  var encoding: String? {
    if bytes.starts(with: [0x1F, 0x8B]) { return "gzip" }
    guard bytes.count > 1, bytes[0] == 0x78, (Int(bytes[0]) << 8 + Int(bytes[1])) % 31 == 0 else { return nil }
    return "deflate"
  }

  /// Whether the bytes may be a vector tile: empty, or with a layer first.
  var isVector: Bool { bytes.isEmpty || bytes[0] == 0x1A || encoding != nil }
}

extension MapTiles {
  /// Opens a file with a map. Its first bytes tell PMTiles from MBTiles.
  static func open(_ path: FilePath) throws(TileArchiveError) -> any TileArchive {
    let file = try FileDescriptor.map(path)
    let start: [UInt8]
    do {
      start = try file.closeAfter { try file.readToEnd(limit: 0) }
    } catch {
      throw TileArchiveError(.cannotRead, "\(error)")
    }
    if start.starts(with: "SQLite format 3\0".utf8) { return try MBTiles(path: path) }
    if start.starts(with: "PMTiles".utf8) { return try PMTiles(path: path) }
    throw TileArchiveError(.damaged, "is neither a PMTiles archive nor an MBTiles database")
  }
}

extension FileDescriptor {
  static func map(_ path: FilePath) throws(TileArchiveError) -> FileDescriptor {
    let file: FileDescriptor
    do {
      // Opening a pipe would block.
      file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
    } catch {
      throw TileArchiveError(.cannotRead, "\(error)")
    }
    guard file.isRegularFile else {
      try? file.close()
      throw TileArchiveError(.cannotRead, "is not a regular file")
    }
    return file
  }
}

package struct TileArchiveError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Code: Sendable, Hashable {
    case cannotRead
    case damaged
  }

  package var code: Code
  /// The rest of a sentence that begins with the file.
  let reason: String
  /// The rest of a sentence that begins with the path.
  package var description: String {
    reason + (code == .cannotRead ? "" : "; name a map in PMTiles version 3 or MBTiles")
  }

  init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }
}
