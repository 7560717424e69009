import Foundation
import Serving
import Records
import SystemPackage
import TestSupport
import Platform
import Testing

@testable import MapPage

/// What lies under the map: a server's tiles, or those of an archive, which are served here.
@Suite(.inTurn) struct MapTilesTests {
  /// Asks for each path in turn, and returns the answers.
  private func get(_ paths: [String], of tiles: MapTiles) async throws -> [(head: String, body: String)] {
    let server = try await PageServer(["/tiles/": try #require(tiles.route).adding([("Referrer-Policy", "origin")])])
    var answers: [(head: String, body: String)] = []
    for path in paths { answers.append(try await server.get("/tiles/\(path)")) }
    await server.close()
    return answers
  }

  private func tiles(_ bytes: [UInt8], attribution: String? = nil) throws -> MapTiles {
    let folder = TemporaryFolder()
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path("map.pmtiles")))
    return try MapTiles(file: FilePath(folder.path("map.pmtiles")), attribution: attribution)
  }

  private static func archive() -> PMTilesTests.Archive {
    var archive = PMTilesTests.Archive()
    archive.data = Array("tile".utf8)
    archive.entries = [(0, 0, 4, 1)]
    return archive
  }

  @Test(
    "the first bytes of a tile say how it is compressed, whatever the header says",
    arguments: 0...2 as ClosedRange<UInt8>)
  func compression(inHeader: UInt8) async throws {
    for (data, encoding) in [
      ("\u{1F}\u{8B}tile", "gzip"), ("x\u{9C}tile", "deflate"), ("x\u{9D}tile", nil), ("x", nil),
    ] {
      var archive = Self.archive()
      archive.data = data.unicodeScalars.map { UInt8($0.value) }
      archive.entries = [(0, 0, UInt64(archive.data.count), 1)]
      var bytes = try archive.bytes()
      bytes[98] = inHeader
      let answer = try await get(["0/0/0"], of: tiles(bytes))[0]
      let field = answer.head.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Content-Encoding: ") }
      #expect(field == encoding.map { "Content-Encoding: \($0)" })
    }
  }

  @Test func tilesOfAnArchive() async throws {
    let answer = try await get(["0/0/0?1000000000"], of: tiles(Self.archive().bytes()))[0]
    #expect(answer.head.hasPrefix("HTTP/1.1 200 ") && answer.body == "tile")
    let fields = ["Content-Type: image/png", "Cache-Control: max-age=86400", "Referrer-Policy: origin"]
    #expect(Set(answer.head.components(separatedBy: "\r\n")).isSuperset(of: fields), "\(answer)")
  }

  @Test("the first tile that cannot be read is reported once")
  func damagedTiles() async throws {
    var archive = Self.archive()
    (archive.kind, archive.entries) = (1, [(0, 0, 4, 1), (1, 0, 99, 1)])
    var tiles = try tiles(archive.bytes())
    let problems = Recorder<String>()
    tiles.onProblem = { problems.record($0) }
    let answers = try await get(["0/0/0", "1/0/0", "0/0/0"], of: tiles)
    let problem = "the tile 0/0/0 cannot be read: the file has a tile that is not a vector tile"
    #expect(answers[..<2].allSatisfy { $0.head.hasPrefix("HTTP/1.1 500 ") })
    #expect(answers[0].body == problem + "\n" && answers[1].body.contains("the file ends too early"))
    #expect(problems.values == [problem])
  }

  /// Files that other programs made.
  @Test(arguments: [
    ("62-root-only.pmtiles", "gzip"), ("63-compression-unknown.pmtiles", "gzip"), ("64-zlib.mbtiles", "deflate"),
  ])
  func filesOfStrangers(name: String, encoding: String) async throws {
    let path = Checkout.file("Tests/Serving/MapPageTests/Files/\(name)").path
    let answer = try await get(["9/268/179"], of: MapTiles(file: FilePath(path)))[0]
    let fields = answer.head.components(separatedBy: "\r\n")
    #expect(fields[0].hasPrefix("HTTP/1.1 200 ") && fields.contains("Content-Encoding: \(encoding)"), "\(fields)")
    #expect(fields.contains("Content-Type: \(MapTile.vector)"))
  }

  /// The map has an end, which is no fault; what is no tile is not there.
  @Test func whatIsNoTile() async throws {
    let tiles = try tiles(Self.archive().bytes())
    for answer in try await get(["1/0/0", "31/0/0"], of: tiles) { #expect(answer.head.hasPrefix("HTTP/1.1 204 ")) }
    let paths = ["0/1/0?1", "+0/0/0", "0/0", "0/0/0/0", "0//0", "32/0/0", "63/0/0", "9999999999999999999/0/0"]
    for (path, answer) in zip(paths, try await get(paths, of: tiles)) {
      #expect(answer.head.hasPrefix("HTTP/1.1 404 "), "\(path): \(answer)")
    }
  }

  /// The page keeps its text and its links.
  @Test func anArchiveNamesWhoMadeIt() throws {
    var archive = Self.archive()
    archive.metadata = #"{"attribution":"<a href=\"https://x.example\">&copy; R&amp;D</a>"}"#
    #expect(try tiles(archive.bytes()).attribution == #"<a href="https://x.example">&copy; R&amp;D</a>"#)
    #expect(try tiles(archive.bytes(), attribution: "<Me>").attribution == "<Me>")
  }

  /// A browser keeps tiles, which are others in another file.
  @Test func tilesOfAnotherFileHaveAnotherURL() throws {
    let folder = TemporaryFolder()
    let path = folder.path("map.pmtiles")
    let urls = try [1_000_000_000, 1_000_000_001, 1_000_000_000].map { (time: Double) throws in
      try Data(Self.archive().bytes()).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: path)
      return try MapTiles(file: FilePath(path)).url
    }
    #expect(urls[0] == "/tiles/{z}/{x}/{y}?1000000000" && urls[0] != urls[1] && urls[0] == urls[2])
  }

  @Test(arguments: [(1, true), (2, false)] as [(UInt8, Bool)])
  func vectorTilesAreServedAsSuch(kind: UInt8, isVector: Bool) async throws {
    var archive = Self.archive()
    archive.kind = kind
    archive.data = [0x1A] + Array("ile".utf8)
    let tiles = try tiles(archive.bytes())
    let state = RecordBuffer.bytes(capacity: 100) { tiles.append(to: &$0) }
    #expect(String(decoding: state, as: UTF8.self).contains(#""vector":true"#) == isVector)
    let answers = try await get(["0/0/0", "1/0/0"], of: tiles)
    #expect(answers[1].head.hasPrefix("HTTP/1.1 204 "))
    for answer in answers {
      let type = isVector ? MapTile.vector : "image/png"
      #expect(answer.head.components(separatedBy: "\r\n").contains("Content-Type: \(type)"), "\(answer)")
    }
  }

  @Test(arguments: [
    ("ftp://a/{z}/{x}/{y}", "does not begin with"), ("https:///{z}/{x}/{y}", "no plain host"),
    ("https://{s}.a/{z}/{x}/{y}", "no plain host"), ("https://a/{z}/{x}", "does not have {y} once"),
    ("https://a/{z}/{x}/{y}/{y}", "does not have {y} once"), ("https://a/{z}/{x}/{y}{r}", "other braces"),
    ("https://a/{z}/{x}/{y} ", "characters"), ("https://a/{z}/{x}/{y}ä", "characters"),
  ]) func urlsThatAreNoneOfTiles(url: String, words: String) {
    let error = #expect(throws: MapTilesError.self) { try MapTiles(url: url, attribution: nil) }
    let message = error?.description ?? ""
    #expect(message.hasPrefix("'\(url)' ") && message.contains(words), "\(message)")
  }
}
