import Foundation
import GPSD
import LocationKit
import Testing
import TestSupport

/// A real gpsd, fed by the test: what is delivered is what it reports.
@MainActor
@Suite(.startsProgramsForLong, .timeLimit(.minutes(30)), .enabled(if: RealGPSD.path != nil, "gpsd is not installed"))
struct GPSDReportsTests {
  /// Feeds `text` and compares, field by field, what the source delivers with what a raw client gets.
  private func compare(feeding text: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) async throws -> Int {
    let gpsd = try RealGPSD()
    let listener = Listener(GPSDSource(endpoint: GPSDEndpoint(host: "localhost", port: gpsd.port)))
    try #require(await eventually { listener.connections > 0 })
    let raw = try RawClient(port: gpsd.port)
    // In pieces, with pauses, as a receiver would: gpsd finds epochs by their ends.
    for start in stride(from: 0, to: text.count, by: 2048) {
      gpsd.feed(text[start..<min(text.count, start + 2048)])
      try await Task.sleep(for: .milliseconds(2))
    }
    try await quiet(raw)
    let expected = withoutUntimedRepetitions(expectedLocations(raw.reports("TPV")))
    let satellites = raw.reports("SKY").compactMap(expectedSatellites)
    let headings = raw.reports("ATT").compactMap { ($0["heading"] as? NSNumber)?.doubleValue }.filter { $0 <= 360 }
    let noFixes = raw.reports("TPV").count { ($0["mode"] as? Int ?? 0) < 2 }
    let delivered = { withoutUntimedRepetitions(listener.locations.map(withoutSatellites)) }
    // The raw client may be ahead.
    _ = await eventually {
      delivered().count >= expected.count && listener.satellites.count >= satellites.count
        && listener.headings.count >= headings.count && listener.noFixes >= noFixes
    }
    #expect(delivered() == expected, sourceLocation: sourceLocation)
    #expect(listener.satellites == satellites, sourceLocation: sourceLocation)
    #expect(listener.headings.map(\.trueHeading) == headings.map { $0 == 360 ? 0 : $0 }, sourceLocation: sourceLocation)
    #expect(listener.noFixes == noFixes, sourceLocation: sourceLocation)
    return expected.count
  }

  /// Waits until nothing has come for a while.
  private func quiet(_ raw: RawClient) async throws {
    var count = -1
    while count != raw.count {
      count = raw.count
      try await Task.sleep(for: .milliseconds(300))
    }
  }

  @Test func deliversWhatGPSDReports() async throws {
    let drive = (0..<30).map { second in
      let heading = second % 3 == 0 ? NMEA.sentence("GPHDT,\(second * 12).5,T") : ""
      return NMEA.epoch(second, quality: second % 5 == 4 ? 8 : 1, hasFix: !(10..<13).contains(second)) + heading
    }
    #expect(try await compare(feeding: Array(drive.joined().utf8)) >= 25)
  }

  @Test(.enabled(if: !Checkout.recordings.isEmpty, "there are no recordings"), arguments: Checkout.recordings)
  func deliversWhatGPSDReportsOfRecordings(file: URL) async throws {
    let newline = UInt8(ascii: "\n")
    let lines = [UInt8](try Data(contentsOf: file)).split(separator: newline).filter { $0.first != UInt8(ascii: "#") }
    _ = try await compare(feeding: Array(lines.joined(separator: [newline])) + [newline])
  }

  @Test func noiseIsSteppedOver() async throws {
    var generator = SplitMix(state: 11)
    // Without 0x10: gpsd takes what follows it for a packet of Trimble's too easily, and stays with that.
    let noise = (0..<1_000_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }.filter { $0 != 0x10 }
    let before = (0..<10).map { NMEA.epoch($0) }.joined()
    let after = (10..<40).map { NMEA.epoch($0) }.joined()
    #expect(try await compare(feeding: Array(before.utf8) + noise + Array(after.utf8)) >= 35)
  }
}
