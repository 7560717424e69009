import Foundation
import Serving
import LocationKit
import TestSupport
import Testing

@testable import rxlocationd

@MainActor @Suite(.inTurn) struct RegionSocketOutputTests {
  private let folder = TemporaryFolder()

  @Test func aReaderThatIsBehindGetsTheRestAtTheEnd() async throws {
    let stage = try await OutputStage(RegionSocketOutput.self, ["--region-socket", "unix:\(folder.path("s"))"])
    stage.pipeline.start(knowing: [])
    let client = try Client.unix(folder.path("s"))
    #expect(await eventually { stage.output.summary?.hasPrefix("1 reader,") == true })
    // More than the kernel keeps for a reader, and less than is kept here.
    for number in 1...4000 {
      stage.source.send(.location(Location(latitude: 0.000123 + Double(number) / 1000, longitude: 2)))
    }
    let registry = MetricsRegistry()
    stage.output.addMetrics(to: registry)
    #expect(await eventually { value("rxlocationd_regions_total", in: registry.text()) == 4000 })
    #expect(value("rxlocationd_region_readers", in: registry.text()) == 1)
    #expect(value("rxlocationd_region_drops_total", in: registry.text()) == 0)
    let end = Task { await stage.close() }
    // Not on the main actor, where other tests may let it wait until the reader counts as stalled.
    let (last, bytes) = await Task.detached {
      var (last, bytes) = ("", 0)
      while let line = await client.line() { (last, bytes) = (line, bytes + line.utf8.count + 1) }
      return (last, bytes)
    }.value
    #expect(last.contains(#""center":{"latitude":4.000123,"#), "\(last)")
    await end.value
    #expect(value("rxlocationd_region_sent_bytes_total", in: registry.text()) == Double(bytes))
  }

  @Test(arguments: [([], 0o660), (["--region-socket-mode", "604"], 0o604)])
  func aUnixSocketHasTheModeThatItShould(flags: [String], mode: Int) async throws {
    let path = folder.path("s")
    let stage = try await OutputStage(RegionSocketOutput.self, ["--region-socket", "unix:\(path)"] + flags)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
    await stage.close()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test(arguments: [3000, 30_000])
  func regionsThatAReaderDoesNotTakeAreCounted(count: Int) async throws {
    let stage = try await OutputStage(RegionSocketOutput.self, ["--region-socket", "unix:\(folder.path("s"))"])
    stage.pipeline.start(knowing: [])
    let client = try Client.unix(folder.path("s"))
    #expect(await eventually { stage.output.summary?.hasPrefix("1 reader,") == true })
    let registry = MetricsRegistry()
    stage.output.addMetrics(to: registry)
    for number in 1...count {
      stage.source.send(.location(Location(latitude: 0.000123 + Double(number) / 1000, longitude: 2)))
    }
    if count > 20_000 {
      // Live, while the reader sleeps.
      #expect(await eventually { (value("rxlocationd_region_drops_total", in: registry.text()) ?? 0) > 10_000 })
    }
    let end = Task { await stage.close() }
    await stage.output.cancel()
    await end.value
    let received = await Task.detached {
      var received = 0
      while let line = await client.line() { if line.contains(#""type":"region""#) { received += 1 } }
      return received
    }.value
    let lost = count - received
    #expect(lost > 0)
    #expect(
      stage.output.loss?.hasPrefix("region socket: \(lost) of \(count) regions were not sent") == true,
      "\(stage.output.loss ?? "nothing") with \(received) received")
    #expect(value("rxlocationd_region_drops_total", in: registry.text()) == Double(lost))
  }
}
