import Foundation
import LocationKit
import TestSupport
import Testing
import Tracks

@testable import MapPage

/// The page's own files, which are named one by one where they are served.
@Suite(.inTurn) struct MapAssetsTests {
  @Test func everyFileOfThePagesIsServed() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Checkout.file("Sources/Serving/MapPage/Assets").path)
    let receiver = MapAssets(.receiver, leafletIn: "/nowhere")
    let devices = MapAssets(.devices, leafletIn: "/nowhere")
    #expect(receiver.help != nil && devices.help != nil)
    let served = Set(receiver.routes.keys).union(devices.routes.keys)
    #expect(served == Set(files.filter { $0 != "words.json" && !$0.hasSuffix(".html") }.map { "/\($0)" } + ["/"]))
    #expect(devices.routes["/main.js"] == nil && receiver.routes["/devices.js"] == nil)
    for name in files {
      let file = try Data(contentsOf: Checkout.file("Sources/Serving/MapPage/Assets/\(name)"))
      #expect(Data(MapAssets.bytes(of: name)) == file, "\(name)")
    }
  }

  @MainActor @Test func theWorldIsServedCompressed() async throws {
    let data = MapAssets.bytes(of: "world.bin")
    #expect(data.prefix(2) == [0x1F, 0x8B] && data.count > 100_000 && data.count < 500_000)
    let fixture = try await PageFixture()
    let head = try await fixture.get("/world.bin").head
    #expect(head.contains("Content-Encoding: gzip") && head.contains("Content-Length: \(data.count)"))
    await fixture.close()
  }

  @Test(
    "a browser gets the page in its language",
    arguments: [
      ("", "en", "Follow"), ("fr-CH, fr;q=0.9, en;q=0.8", "fr", "Suivre"), ("en;q=0.5, JA", "ja", "追従"),
      ("pt, de;q=0.2, es;q=0.3", "es", "Seguir"), ("de;q=0, nl", "en", "Follow"),
    ])
  @MainActor func language(accepted: String, language: String, follow: String) async throws {
    let fixture = try await PageFixture()
    let (head, body) = try await fixture.get("/", "Accept-Language: \(accepted)\r\n")
    #expect(
      body.contains(#"<html lang="\#(language)">"#) && body.contains(">\(follow)</button>") && !body.contains("{{"))
    #expect(head.contains("Vary: Accept-Language") && head.contains("Cache-Control: private"))
    await fixture.close()
  }

  @Test func everyLanguageHasTheWordsOfThePages() throws {
    func text(_ name: String) throws -> String {
      try String(contentsOf: Checkout.file("Sources/Serving/MapPage/Assets/\(name)"), encoding: .utf8)
    }
    func words(_ text: String) throws -> [String: [String: Any]] {
      try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [String: Any]])
    }
    /// Each text with its keys, "doubts.speed".
    func entries(_ value: Any, _ key: String) -> [(key: String, text: String)] {
      switch value {
      case let group as [String: Any]: group.flatMap { entries($1, "\(key).\($0)") }
      case let list as [String]: list.enumerated().map { ("\(key).\($0)", $1) }
      default: [(key, value as? String ?? "")]
      }
    }
    let all = try words(text("words.json"))
    #expect(Set(all.keys) == ["en", "de", "fr", "es", "ja"])
    let english = try #require(all["en"])
    let places = Dictionary(
      uniqueKeysWithValues: english.flatMap { entries($1, $0) }.map { ($0, $1.matches(of: /{\d}/).count) })
    for (language, words) in all {
      let texts = words.flatMap { entries($1, $0) }
      #expect(Set(texts.map(\.key)) == Set(places.keys), "\(language)")
      for (key, text) in texts {
        #expect(!text.isEmpty && !text.contains(/[&<>"]/), "\(language), \(key)")
        // "one satellite" has no number.
        #expect(text.matches(of: /{\d}/).count == places[key] || key.hasSuffix(".one"), "\(language), \(key)")
      }
    }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Checkout.file("Sources/Serving/MapPage/Assets").path)
    var used: Set<String> = []
    for name in files where name.hasSuffix(".js") {
      used.formUnion(try text(name).matches(of: /\bwords\.(?!js)(\w+)/).map { String($0.output.1) })
    }
    for name in files where name.hasSuffix(".html") {
      let page = try text(name)
      used.formUnion(page.matches(of: /{{(\w+)}}/).map { String($0.output.1) })
      let plain = page.replacing(/{{\w+}}/, with: "").replacing(/aria-label="([^"]*)"/) { ">\($0.output.1)<" }
        .replacing(/<[^>]*>/, with: " ")
      #expect(
        Set(plain.split { !$0.isLetter }).isSubset(of: [
          "rxlocationd", "gpsd", "GPX", "h", "d", "min", "state", "devices", "json",
        ]))
    }
    #expect(used.subtracting(["language", "words"]) == Set(english.keys))
    for (group, names) in [
      ("doubts", Doubts.all.map(\.names)), ("fixStatus", GNSSQuality.Status.allCases.map(\.rawValue)),
      ("skippedKinds", SkippedRecord.Kind.allCases.map(\.rawValue)),
      ("messages", ["gpsd", "replay", "track"]),
      ("phases", ["unknown", "inside", "outside", "entering", "leaving"]),
      ("sourceStates", ["waiting", "connected", "ended", "paused", "playing", "noDaemon"]),
    ] {
      #expect(Set((english[group] as? [String: String] ?? [:]).keys) == Set(names), "\(group)")
    }
  }

  @Test func leafletHasTwoFiles() throws {
    let folder = TemporaryFolder()
    for name in ["leaflet.min.js", "leaflet.css"] {
      #expect(MapAssets(.receiver, leafletIn: folder.path("")).help != nil)
      try folder.write("x", to: name)
    }
    #expect(MapAssets(.receiver, leafletIn: folder.path("")).help == nil)
  }
}
