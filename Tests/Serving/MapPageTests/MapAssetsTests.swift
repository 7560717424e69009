import Foundation
import TestSupport
import Testing

@testable import MapPage

/// The page's own files, which are named one by one where they are served.
@Suite struct MapAssetsTests {
  @Test func everyFileOfThePagesIsServed() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Checkout.file("Sources/Serving/MapPage/Assets").path)
    let receiver = MapAssets(.receiver, leafletIn: "/nowhere")
    let devices = MapAssets(.devices, leafletIn: "/nowhere")
    #expect(receiver.help != nil && devices.help != nil)
    #expect(
      Set(receiver.routes.keys).union(devices.routes.keys)
        == Set((files + ["world.bin"]).map { $0.hasSuffix(".html") ? "/" : "/\($0)" }))
    #expect(devices.routes["/main.js"] == nil && receiver.routes["/devices.js"] == nil)
  }

  @MainActor @Test func theWorldIsServedCompressed() async throws {
    let data = try #require(Data(base64Encoded: "\(World.base64)"))
    #expect(data.prefix(2) == Data([0x1F, 0x8B]) && data.count > 100_000 && data.count < 500_000)
    let fixture = try await PageFixture()
    let head = try await fixture.get("/world.bin").head
    #expect(head.contains("Content-Encoding: gzip") && head.contains("Content-Length: \(data.count)"))
    await fixture.close()
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
