import Foundation
import TestSupport
import Testing

@testable import MapPage

/// The page's own files, which are named one by one where they are served.
@Suite struct MapAssetsTests {
  @Test func everyFileOfThePagesIsServed() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Checkout.file("Sources/Outputs/MapPage/Assets").path)
    let receiver = MapAssets(.receiver, leafletIn: "/nowhere")
    let devices = MapAssets(.devices, leafletIn: "/nowhere")
    #expect(receiver.help != nil && devices.help != nil)
    #expect(
      Set(receiver.routes.keys).union(devices.routes.keys)
        == Set(files.map { $0.hasSuffix(".html") ? "/" : "/\($0)" }))
    #expect(devices.routes["/main.js"] == nil && receiver.routes["/devices.js"] == nil)
  }

  @Test func leafletsPicturesAreNotNeeded() throws {
    let folder = try TemporaryFolder()
    for name in ["leaflet.min.js", "leaflet.css"] {
      #expect(MapAssets(.receiver, leafletIn: folder.path("")).help != nil)
      try folder.write("x", to: name)
    }
    #expect(MapAssets(.receiver, leafletIn: folder.path("")).help == nil)
  }
}
