import Foundation
import LocationKit
import NMEA
import TestSupport
import Testing

/// How often fixes are in doubt without a cause, in all recordings at hand.
///
///     RXLOCATIOND_DOUBTS=1 swift test --filter FalseAlarmTests
///
/// prints the table. The recordings of real receivers lie beside the checkout.
@MainActor @Suite(.inTurn) struct FalseAlarmTests {
  private final class Counter: LocationManagerDelegate {
    var (fixes, doubted, satelliteReports) = (0, 0, 0)
    var first: Date?
    var doubts: Doubts = []
    var hasEnded = false

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      fixes += locations.count
      first = first ?? locations.first?.timestamp
      doubted += locations.count { $0.doubts != nil }
      for location in locations { doubts.formUnion(location.doubts ?? []) }
    }

    func locationManager(_ manager: LocationManager, didUpdateSatellites satellites: [Satellite]) {
      satelliteReports += 1
    }

    func locationManagerDidReachEndOfRecording(_ manager: LocationManager) { hasEnded = true }
  }

  private func count(_ path: String, notBefore: Date? = nil) async throws -> Counter {
    let source = NMEASource(try NMEASource.open([path]), speed: .max)
    let manager = LocationManager(source: source)
    let counter = Counter()
    manager.delegate = counter
    manager.startMonitoringDoubts(notBefore: notBefore)
    manager.startUpdatingSatellites()
    manager.startUpdatingLocation()
    #expect(await eventually { counter.hasEnded }, "\(path)")
    return counter
  }

  @Test func recordingsOfReceiversAreNotInDoubt() async throws {
    var (fixes, doubted) = (0, 0)
    for path in ([Checkout.file("Recordings/drive.nmea")] + Checkout.recordings).map(\.path) {
      // Recordings are older than this program, so their dates are judged from their own first one.
      let counter = try await count(path, notBefore: count(path).first)
      (fixes, doubted) = (fixes + counter.fixes, doubted + counter.doubted)
      if ProcessInfo.processInfo.environment["RXLOCATIOND_DOUBTS"] != nil {
        print(
          "| \((path as NSString).lastPathComponent) | \(counter.fixes) | \(counter.satelliteReports) "
            + "| \(counter.doubted) | \(counter.doubts.names) |")
      }
    }
    #expect(fixes > 600)
    #expect(doubted * 10_000 <= fixes, "\(doubted) of \(fixes)")
  }
}
