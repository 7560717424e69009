import CSQLite
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import MapPage

@Suite(.inTurn) struct MBTilesTests {
  private static let table = """
    CREATE TABLE metadata(name TEXT, value TEXT);
    CREATE TABLE tiles(zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
    CREATE UNIQUE INDEX tile_index ON tiles(zoom_level, tile_column, tile_row);
    """
  /// Rows count from the south, so that the north-west of level 1 is row 1.
  private static let rows = """
    INSERT INTO tiles VALUES (0, 0, 0, 'world'), (1, 0, 1, 'northwest'), (1, 1, 0, 'southeast'),
      (2, 0, 0, x'1F8B00'), (2, 1, 0, zeroblob(8388609)), (2, 2, 0, NULL), (2, 3, 0, x'');
    """
  private static func format(_ name: String) -> String { "INSERT INTO metadata VALUES ('format', '\(name)');" }

  /// Makes a database by statements, changes its bytes, and opens it.
  private func open(
    _ sql: String, _ body: (any TileArchive) throws -> Void = { _ in }, change: (inout Data) -> Void = { _ in }
  ) throws {
    let folder = TemporaryFolder()
    // SQLite reads the characters in a URI.
    let path = folder.path("a map?#%20.db")
    var database: OpaquePointer?
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    #expect(sqlite3_exec(database, "PRAGMA synchronous = OFF;" + sql, nil, nil, nil) == SQLITE_OK)
    sqlite3_close(database)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    change(&bytes)
    try bytes.write(to: URL(fileURLWithPath: path))
    try body(MapTiles.open(FilePath(path)))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).count == 1)
  }

  @Test(arguments: [
    ("pbf", MapTile.vector), ("png", "image/png"), ("jpg", "image/jpeg"), ("jpeg", "image/jpeg"),
    ("webp", "image/webp"),
  ]) func tilesAreThoseOfTheTable(format: String, contentType: String) throws {
    let sql = Self.table + Self.rows + Self.format(format) + "INSERT INTO metadata VALUES ('attribution', '<b>Me</b>');"
    try open(sql) { (tiles: any TileArchive) throws in
      #expect(tiles.contentType == contentType && tiles.isVector == (format == "pbf"))
      #expect(tiles.zoom == 0...2 && tiles.attribution == "<b>Me</b>")
      #expect(try text(tiles.tile(zoom: 0, x: 0, y: 0)) == "world")
      #expect(try text(tiles.tile(zoom: 1, x: 0, y: 0)) == "northwest")
      #expect(try text(tiles.tile(zoom: 1, x: 1, y: 1)) == "southeast")
      #expect(try tiles.tile(zoom: 1, x: 1, y: 0) == nil)
      #expect(try tiles.tile(zoom: 3, x: 0, y: 0) == nil)
      #expect(try tiles.tile(zoom: 2, x: 0, y: 3) == MapTile(bytes: [0x1F, 0x8B, 0]))
      #expect(try tiles.tile(zoom: 2, x: 2, y: 3) == nil)
      #expect(try tiles.tile(zoom: 2, x: 3, y: 3) == nil)
      // Larger than any tile. The next one is read all the same.
      #expect(throws: TileArchiveError.self) { try tiles.tile(zoom: 2, x: 1, y: 3) }
      #expect(try text(tiles.tile(zoom: 0, x: 0, y: 0)) == "world")
    }
  }

  @Test("rows count from the north with the scheme xyz", arguments: [("xyz", "southwest"), ("tms", "northwest")])
  func scheme(name: String, corner: String) throws {
    let rows = Self.rows + "INSERT INTO tiles VALUES (1, 0, 0, 'southwest');"
    try open(Self.table + rows + Self.format("png") + "INSERT INTO metadata VALUES ('scheme', '\(name)');") {
      (tiles: any TileArchive) throws in
      #expect(try text(tiles.tile(zoom: 1, x: 0, y: 0)) == corner)
    }
  }

  /// OpenMapTiles keeps equal tiles once.
  @Test func tilesMayBeAView() throws {
    let sql = """
      CREATE TABLE metadata(name TEXT, value TEXT);
      CREATE TABLE map(zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id TEXT);
      CREATE TABLE images(tile_data BLOB, tile_id TEXT);
      CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, tile_data FROM map JOIN images USING (tile_id);
      INSERT INTO map VALUES (5, 3, 2, 'a'); INSERT INTO images VALUES ('sea', 'a');
      INSERT INTO metadata VALUES ('minzoom', '4'), ('maxzoom', '9');
      """
    try open(sql + Self.format("png")) { (tiles: any TileArchive) throws in
      #expect(tiles.zoom == 4...9 && tiles.attribution == nil)
      #expect(try text(tiles.tile(zoom: 5, x: 3, y: 29)) == "sea")
    }
  }

  /// What is wrong with a database, and a word of the message.
  static let faults: [(word: String, sql: String, change: @Sendable (inout Data) -> Void)] = [
    ("no such table: metadata", "CREATE TABLE other(a)", { _ in }),
    ("no such table: tiles", "CREATE TABLE metadata(name, value);" + format("png"), { _ in }),
    (
      "no such column",
      "CREATE TABLE metadata(name, value); CREATE TABLE tiles(zoom_level);" + format("png")
        + "INSERT INTO tiles VALUES (1)", { _ in }
    ),
    ("does not say the format", table + rows, { _ in }), ("format 'tiff'", table + rows + format("tiff"), { _ in }),
    ("has no tiles", table + format("png"), { _ in }),
    ("zoom levels 7 to 2", table + rows + format("png") + "INSERT INTO metadata VALUES ('minzoom', 7)", { _ in }),
    ("zoom levels 0 to 32", table + rows + format("png") + "INSERT INTO metadata VALUES ('maxzoom', 32)", { _ in }),
    ("cannot be read as MBTiles", table + rows + format("png"), { $0 = $0.prefix(5000) }),
    ("cannot be read as MBTiles", table + rows + format("png"), { $0 = $0.prefix(16) }),
    ("neither a PMTiles archive nor an MBTiles database", table, { $0 = $0.prefix(15) }),
    ("neither a PMTiles archive nor an MBTiles database", table, { $0 = Data() }),
  ]

  @Test(arguments: faults.indices) func aBrokenFileIsRefusedAtTheStart(fault: Int) throws {
    let (word, sql, change) = Self.faults[fault]
    expectRefusal(.damaged, word) { try open(sql, change: change) }
    expectRefusal(.damaged, "; name a map in PMTiles version 3 or MBTiles") { try open(sql, change: change) }
  }

  @Test func aMissingFileAndAFolderAreOtherMatters() throws {
    let folder = TemporaryFolder()
    expectRefusal(.cannotRead, "No such") { _ = try MapTiles.open("/nowhere/map.mbtiles") }
    expectRefusal(.cannotRead, "is not a regular file") { _ = try MapTiles.open(FilePath(folder.path(""))) }
  }

  /// Whatever SQLite reads of such a file, it says so or answers.
  @Test func noByteOfADatabaseMakesItCrash() throws {
    var random = SplitMix(state: 43)
    let sql = Self.table + "INSERT INTO tiles VALUES (0, 0, 0, 'world');" + Self.format("png")
    for _ in 0..<60 {
      try? open(sql) { (tiles: any TileArchive) throws in
        _ = try tiles.tile(zoom: 0, x: 0, y: 0)
      } change: { bytes in
        for _ in 0..<Int.random(in: 1...20, using: &random) {
          bytes[Int.random(in: 16..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
    }
  }
}
