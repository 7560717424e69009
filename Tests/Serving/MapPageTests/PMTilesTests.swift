import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import MapPage

/// Maps in PMTiles archives, made byte by byte here.
@Suite(.inTurn) struct PMTilesTests {
  struct Archive {
    var entries: [(id: UInt64, offset: UInt64, length: UInt64, run: UInt64)] = []
    var leaves: [UInt8] = []
    var data: [UInt8] = []
    var metadata = #"{"attribution":"<a href=\"x\">&copy; Nobody</a>"}"#
    var compression: UInt8 = 2
    var kind: UInt8 = 2
    var version: UInt8 = 3
    var zoom: (UInt8, UInt8) = (0, 3)

    static func varint(_ value: UInt64) -> [UInt8] {
      var (value, bytes) = (value, [UInt8]())
      while value >= 0x80 {
        bytes.append(UInt8(value & 0x7F) | 0x80)
        value >>= 7
      }
      return bytes + [UInt8(value)]
    }

    static func directory(_ entries: [(id: UInt64, offset: UInt64, length: UInt64, run: UInt64)]) -> [UInt8] {
      var bytes = varint(UInt64(entries.count))
      var last: UInt64 = 0
      for entry in entries {
        bytes += varint(entry.id - last)
        last = entry.id
      }
      for entry in entries { bytes += varint(entry.run) }
      for entry in entries { bytes += varint(entry.length) }
      for (index, entry) in entries.enumerated() {
        let isNext = index > 0 && entries[index - 1].offset + entries[index - 1].length == entry.offset
        bytes += varint(isNext ? 0 : entry.offset + 1)
      }
      return bytes
    }

    func packed(_ bytes: [UInt8]) throws -> [UInt8] { compression == 2 ? try gzip(bytes) : bytes }

    func bytes() throws -> [UInt8] {
      let root = try packed(Self.directory(entries))
      let about = try packed(Array(metadata.utf8))
      var header = Array("PMTiles".utf8) + [version]
      var offset = UInt64(127)
      for part in [root.count, about.count, leaves.count, data.count] {
        for value in [offset, UInt64(part)] {
          header += (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
        }
        offset += UInt64(part)
      }
      header += [UInt8](repeating: 0, count: 24) + [1, compression, 1, kind, zoom.0, zoom.1]
      header += [UInt8](repeating: 0, count: 127 - header.count)
      return header + root + about + leaves + data
    }
  }

  private static func small() -> Archive {
    var archive = Archive()
    archive.data = Array("zero".utf8) + Array("sea".utf8) + Array("land".utf8)
    // Level 0 is tile 0, level 1 has 1 to 4, level 2 has 5 to 20.
    archive.entries = [(0, 0, 4, 1), (1, 4, 3, 3), (5, 7, 4, 1)]
    return archive
  }

  private func open(_ bytes: [UInt8], _ body: (PMTiles) throws -> Void) throws {
    let folder = TemporaryFolder()
    let path = folder.path("map.pmtiles")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try body(PMTiles(path: FilePath(path)))
  }

  @Test(arguments: [1, 2] as [UInt8]) func tilesAreWhatTheDirectorySays(compression: UInt8) throws {
    var archive = Self.small()
    archive.compression = compression
    try open(archive.bytes()) { (tiles: PMTiles) throws in
      #expect(tiles.zoom == 0...3)
      #expect(try text(tiles.tile(zoom: 0, x: 0, y: 0)) == "zero")
      #expect(tiles.contentType == "image/png")
      // A run of three: (0,0), (0,1), (1,1) are 1, 2, 3; (1,0) is 4.
      for (x, y) in [(0, 0), (0, 1), (1, 1)] { #expect(try text(tiles.tile(zoom: 1, x: x, y: y)) == "sea") }
      #expect(try tiles.tile(zoom: 1, x: 1, y: 0) == nil)
      #expect(try text(tiles.tile(zoom: 2, x: 0, y: 0)) == "land")
      #expect(try tiles.tile(zoom: 2, x: 1, y: 0) == nil)
      #expect(try tiles.tile(zoom: 4, x: 0, y: 0) == nil)
      #expect(try tiles.tile(zoom: 1, x: 2, y: 0) == nil)
      #expect(try tiles.tile(zoom: 1, x: -1, y: 0) == nil)
    }
  }

  @Test func leavesAreLookedInto() throws {
    var archive = Self.small()
    let first = try gzip(Archive.directory([(5, 7, 4, 1), (9, 0, 4, 2)]))
    let second = try gzip(Archive.directory([(21, 4, 3, 1)]))
    archive.leaves = first + second
    archive.entries = [
      (0, 0, 4, 1), (5, 0, UInt64(first.count), 0), (21, UInt64(first.count), UInt64(second.count), 0),
    ]
    try open(archive.bytes()) { (tiles: PMTiles) throws in
      #expect(try text(tiles.tile(zoom: 2, x: 0, y: 0)) == "land")
      #expect(try text(tiles.tile(zoom: 2, x: 0, y: 2)) == "zero")
      #expect(try text(tiles.tile(zoom: 3, x: 0, y: 0)) == "sea")
      #expect(try tiles.tile(zoom: 3, x: 1, y: 0) == nil)
    }
  }

  @Test func aTileOfMoreThanEightMebibytesIsNotRead() throws {
    var archive = Archive()
    archive.data = [UInt8](repeating: 7, count: (8 << 20) + 1)
    archive.entries = [(0, 0, 8 << 20, 1), (1, 0, (8 << 20) + 1, 1)]
    try open(archive.bytes()) { (tiles: PMTiles) throws in
      #expect(try tiles.tile(zoom: 0, x: 0, y: 0)?.bytes.count == 8 << 20)
      #expect(throws: TileArchiveError.self) { try tiles.tile(zoom: 1, x: 0, y: 0) }
    }
  }

  @Test("a tile that points beyond the end of the file is damaged", arguments: [5, 1 << 20] as [UInt64])
  func tileBeyondTheEnd(length: UInt64) throws {
    var archive = Self.small()
    archive.entries[2].length = length
    try open(archive.bytes()) { (tiles: PMTiles) throws in
      expectRefusal(.damaged, "ends too early") { _ = try tiles.tile(zoom: 2, x: 0, y: 0) }
    }
  }

  @Test(
    "wrong lengths in the header are of no use, but an offset beyond all files is damaged"
  )
  func wrongPlaces() throws {
    var bytes = try Self.small().bytes()
    for index in Array(48..<56) + Array(64..<72) { bytes[index] = 0xFF }
    try open(bytes) { (tiles: PMTiles) throws in #expect(try text(tiles.tile(zoom: 2, x: 0, y: 0)) == "land") }
    for index in 56..<64 { bytes[index] = 0xFF }
    try open(bytes) { (tiles: PMTiles) throws in
      expectRefusal(.damaged, "ends too early") { _ = try tiles.tile(zoom: 0, x: 0, y: 0) }
      expectRefusal(.damaged, "points beyond its own end") { _ = try tiles.tile(zoom: 1, x: 0, y: 0) }
    }
  }

  @Test func aFileThatIsCutOffMeanwhileIsDamaged() throws {
    let bytes = try Self.small().bytes()
    let folder = TemporaryFolder()
    let path = folder.path("map.pmtiles")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let tiles = try PMTiles(path: FilePath(path))
    #expect(truncate(path, off_t(bytes.count - 1)) == 0)
    expectRefusal(.damaged, "ends too early") { _ = try tiles.tile(zoom: 2, x: 0, y: 0) }
    #expect(try text(tiles.tile(zoom: 0, x: 0, y: 0)) == "zero")
  }

  /// A few kilobytes that would fill the memory.
  @Test func whatGrowsWithoutEndIsRefused() throws {
    var archive = Self.small()
    archive.metadata = String(repeating: " ", count: 17 << 20)
    #expect(throws: TileArchiveError.self) { try open(archive.bytes()) { _ in } }
  }

  @Test func aCircleOfDirectoriesEnds() throws {
    var archive = Self.small()
    let leaf = try gzip(Archive.directory([(5, 0, 31, 0)]))
    archive.leaves = leaf
    archive.leaves += [UInt8](repeating: 0, count: 40)
    archive.entries = [(0, 0, 4, 1), (5, 0, UInt64(leaf.count), 0)]
    // It need not be exact: whatever this reads, it ends.
    try open(archive.bytes()) { (tiles: PMTiles) throws in _ = try? tiles.tile(zoom: 2, x: 0, y: 0) }
  }

  @Test func numbersFollowHilbertsCurve() {
    let numbers = [(0, 0, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0), (2, 0, 0), (3, 3, 5), (12, 3423, 1763)]
      .map { PMTiles.id(zoom: $0.0, x: $0.1, y: $0.2) }
    #expect(numbers == [0, 1, 2, 3, 4, 5, 49, 19_078_479])
    #expect(PMTiles.id(zoom: 32, x: 0, y: 0) == nil)
    #expect(PMTiles.id(zoom: 31, x: Int(Int32.max), y: 0) != nil)
  }

  /// Something done to a good archive, and a word of the message.
  static let faults: [(word: String, change: @Sendable (inout [UInt8]) -> Void)] = [
    ("ends too early", { $0.removeLast($0.count - 126) }),
    ("version 2", { $0[7] = 2 }), ("kind that cannot be shown", { $0[99] = 9 }),
    ("compression other than gzip", { $0[97] = 3 }), ("compression other than gzip", { $0[98] = 3 }),
    ("zoom levels 3 to 0", { ($0[100], $0[101]) = (3, 0) }), ("zoom levels 0 to 32", { $0[101] = 32 }),
    ("cannot be read", { $0[130] ^= 0xFF }), ("ends too early", { $0[16] = 0 }), ("ends too early", { $0[15] = 0x7F }),
    ("ends too early", { $0[15] = 0xFF }),
  ]

  @Test(arguments: faults.indices)
  func aBrokenFileIsRefusedAtTheStart(fault: Int) throws {
    let (word, change) = Self.faults[fault]
    var bytes = try Self.small().bytes()
    change(&bytes)
    expectRefusal(.damaged, word) { try open(bytes) { _ in } }
  }

  @Test func noByteOfAnArchiveMakesItCrash() throws {
    let good = try Self.small().bytes()
    var random = SplitMix(state: 15)
    for _ in 0..<500 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
      try? open(bytes) { (tiles: PMTiles) throws in
        for zoom in 0...3 { _ = try? tiles.tile(zoom: zoom, x: 0, y: 0) }
      }
    }
  }

  @Test func directoriesThatLieAreRefused() {
    let lies: [[UInt8]] = [
      [], [0], [1], [200, 1], [1, 0, 1, 0, 1], [2, 0, 0, 1, 1, 1, 1, 1, 0], [1, 0, 1, 1, 0], [1, 0, 1, 1, 1, 9],
      // One entry, but for the 65th bit of their number.
      [0x81] + [UInt8](repeating: 0x80, count: 8) + [2, 0, 1, 1, 1],
    ]
    for bytes in lies {
      #expect(throws: TileArchiveError.self) { try PMTilesDirectory(bytes) }
    }
  }
}

func text(_ tile: MapTile?) -> String? { tile.map { String(decoding: $0.bytes, as: UTF8.self) } }

/// Expects that a file is refused with a code and a word of the message.
func expectRefusal(_ code: TileArchiveError.Code, _ word: String, _ open: () throws -> Void) {
  let error = #expect(throws: TileArchiveError.self) { try open() }
  #expect(error?.code == code && error?.description.contains(word) == true, "\(String(describing: error))")
}
