import Foundation
import TestSupport
import Testing

@testable import MapPage

/// The page's own files, which are named one by one where they are served.
@Suite struct MapAssetsTests {
  @Test func everyFileOfThePageIsServed() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Checkout.file("Sources/Outputs/MapPage/Assets").path)
    let assets = MapAssets(leafletIn: "/nowhere", fields: [])
    #expect(!assets.hasLeaflet)
    #expect(Set(assets.routes.keys) == Set(files.map { $0 == "index.html" ? "/" : "/\($0)" }))
  }

  @Test func leafletsPicturesAreNotNeeded() throws {
    let folder = try TemporaryFolder()
    for name in ["leaflet.min.js", "leaflet.css"] {
      #expect(!MapAssets(leafletIn: folder.path(""), fields: []).hasLeaflet)
      try folder.write("x", to: name)
    }
    #expect(MapAssets(leafletIn: folder.path(""), fields: []).hasLeaflet)
  }
}
