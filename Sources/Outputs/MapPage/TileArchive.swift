import Platform
import SystemPackage

/// A map in a file, whose tiles are read on request.
protocol TileArchive: Sendable {
  /// The zoom levels that have tiles.
  var zoom: ClosedRange<Int> { get }
  /// The attribution on the map, as HTML.
  var attribution: String? { get }
  /// The media type of the tiles.
  var contentType: String { get }

  /// The tile, or `nil` if the archive does not have it. It reads from the disk; any thread may call it.
  func tile(zoom: Int, x: Int, y: Int) throws(TileArchiveError) -> MapTile?
}

extension TileArchive {
  /// Whether the tiles are shapes that the page draws, and not pictures.
  var isVector: Bool { contentType == MapTile.vector }
}

/// A tile of a map.
struct MapTile: Sendable, Equatable {
  /// The media type of vector tiles.
  static let vector = "application/vnd.mapbox-vector-tile"
  /// The largest size of a tile in bytes.
  static let limit = 8 << 20

  var bytes: [UInt8]
  /// Whether the bytes are also compressed by gzip.
  var isGzipped: Bool
}

extension MapTiles {
  /// Opens a file with a map. Its first bytes tell PMTiles from MBTiles.
  static func open(_ path: FilePath) throws(TileArchiveError) -> any TileArchive {
    let file = try FileDescriptor.map(path)
    let start: [UInt8]
    do {
      start = try file.closeAfter {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
        return Array(bytes.prefix(count))
      }
    } catch {
      throw TileArchiveError(.cannotRead, "\(error)")
    }
    if start == Array("SQLite format 3\0".utf8) { return try MBTiles(path: path) }
    if start.starts(with: "PMTiles".utf8) { return try PMTiles(path: path) }
    throw TileArchiveError(.damaged, "is neither a PMTiles archive nor an MBTiles database")
  }
}

extension FileDescriptor {
  /// Opens the file of a map for reading.
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

/// Why a file with a map cannot be used.
public struct TileArchiveError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of reason.
  public enum Code: Sendable, Hashable {
    /// The system cannot open or read the file.
    case cannotRead
    /// The contents of the file are invalid.
    case damaged
  }

  /// The kind of reason.
  public var code: Code
  /// The rest of a sentence that begins with the path.
  public var description: String

  init(_ code: Code, _ reason: String) {
    self.code = code
    description = reason + (code == .cannotRead ? "" : "; name a map in PMTiles version 3 or MBTiles")
  }
}
