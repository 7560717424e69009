import CSQLite
import Synchronization
import SystemPackage

/// A map in an MBTiles database, of pictures or of vector tiles. Tiles are read on request, one at a time.
final class MBTiles: TileArchive {
  let zoom: ClosedRange<Int>
  let attribution: String?
  let contentType: String
  /// Whether rows count from the north, as in `scheme=xyz`, instead of from the south.
  private let isFromNorth: Bool
  private let database: Mutex<Database>

  init(path: FilePath) throws(TileArchiveError) {
    let database = try Database(path.string)
    let metadata = try database.metadata()
    isFromNorth = metadata["scheme"] == "xyz"
    attribution = metadata["attribution"].flatMap { $0.isEmpty ? nil : $0 }
    contentType =
      switch metadata["format"] {
      case "pbf": MapTile.vector
      case "png": "image/png"
      case "jpg", "jpeg": "image/jpeg"
      case "webp": "image/webp"
      case let format?: throw TileArchiveError(.damaged, "has tiles of the format '\(format)', which cannot be shown")
      case nil: throw TileArchiveError(.damaged, "does not say the format of its tiles")
      }
    let least = try database.zoom(metadata["minzoom"], or: "SELECT min(zoom_level) FROM tiles")
    let most = try database.zoom(metadata["maxzoom"], or: "SELECT max(zoom_level) FROM tiles")
    guard let least, let most else { throw TileArchiveError(.damaged, "has no tiles") }
    guard least <= most, least >= 0, most <= 31 else {
      throw TileArchiveError(.damaged, "declares the zoom levels \(least) to \(most)")
    }
    zoom = least...most
    try database.prepareTiles()
    self.database = Mutex(database)
  }

  func tile(zoom: Int, x: Int, y: Int) throws(TileArchiveError) -> MapTile? {
    guard self.zoom.contains(zoom) else { return nil }
    return try database.withLock { (database) throws(TileArchiveError) in
      try database.tile(zoom, x, isFromNorth ? y : (1 << zoom) - 1 - y)
    }
  }
}

/// A connection to the database, for one thread at a time.
private final class Database {
  private let handle: OpaquePointer
  private var tiles: OpaquePointer?

  init(_ path: String) throws(TileArchiveError) {
    let escaped = path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    var handle: OpaquePointer?
    // The file is taken as unchanging, so that SQLite writes nothing beside it.
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2("file:\(escaped)?immutable=1", &handle, flags, nil)
    guard let handle, code == SQLITE_OK else {
      let reason = String(cString: handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
      sqlite3_close_v2(handle)
      throw TileArchiveError(.cannotRead, reason)
    }
    self.handle = handle
    _ = sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(MapTile.limit))
  }

  deinit {
    sqlite3_finalize(tiles)
    sqlite3_close_v2(handle)
  }

  func metadata() throws(TileArchiveError) -> [String: String] {
    var members: [String: String] = [:]
    let statement = try prepare("SELECT name, value FROM metadata WHERE name <> 'json'")
    defer { sqlite3_finalize(statement) }
    while try step(statement) {
      guard let name = sqlite3_column_text(statement, 0), let value = sqlite3_column_text(statement, 1)
      else { continue }
      members[String(cString: name)] = String(cString: value)
    }
    return members
  }

  /// The declared zoom level; without one, that of a query, which the index of the tiles answers.
  func zoom(_ declared: String?, or sql: String) throws(TileArchiveError) -> Int? {
    if let zoom = declared.flatMap({ Int($0) }) { return zoom }
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    guard try step(statement), sqlite3_column_type(statement, 0) != SQLITE_NULL else { return nil }
    return Int(sqlite3_column_int64(statement, 0))
  }

  func prepareTiles() throws(TileArchiveError) {
    tiles = try prepare("SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?")
  }

  func tile(_ zoom: Int, _ column: Int, _ row: Int) throws(TileArchiveError) -> MapTile? {
    defer { sqlite3_reset(tiles) }
    for (index, value) in [zoom, column, row].enumerated() {
      sqlite3_bind_int64(tiles, Int32(index + 1), Int64(value))
    }
    guard try step(tiles), let data = sqlite3_column_blob(tiles, 0) else { return nil }
    return MapTile(bytes: Array(UnsafeRawBufferPointer(start: data, count: Int(sqlite3_column_bytes(tiles, 0)))))
  }

  private func prepare(_ sql: String) throws(TileArchiveError) -> OpaquePointer? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw error() }
    return statement
  }

  private func step(_ statement: OpaquePointer?) throws(TileArchiveError) -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: true
    case SQLITE_DONE: false
    default: throw error()
    }
  }

  private func error() -> TileArchiveError {
    TileArchiveError(.damaged, "cannot be read as MBTiles: \(String(cString: sqlite3_errmsg(handle)))")
  }
}
