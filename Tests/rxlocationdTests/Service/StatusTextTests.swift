import LocationKit
import TestSupport
import Testing

@testable import rxlocationd

@Suite(.inTurn) struct StatusTextTests {
  private func line(
    _ status: LocationSourceStatus, _ location: Location? = nil, _ satellites: (seen: Int, used: Int)? = nil,
    lostTo reason: FixLoss.Reason? = nil
  ) -> String {
    let fix = reason.map { FixState.lost(FixLoss($0)) } ?? (location == nil ? .searching : .current)
    return StatusText(name: "localhost:2947", status: status, fix: fix, location: location, satellites: satellites).line
  }

  @Test func saysWhatTheFixIs() {
    var location = Location(latitude: 1, longitude: 2)
    let connected = LocationSourceStatus.connected(devices: ["/dev/ttyUSB0"])
    #expect(line(connected, location) == "2D fix")
    location.mode = .threeDimensional
    location.horizontalAccuracy = 2.14
    location.satellitesUsed = 9
    #expect(line(connected, location) == "3D fix, ±2.1 m, 9 satellites")
    location.satellitesUsed = 1
    #expect(line(connected, location) == "3D fix, ±2.1 m, 1 satellite")
    location.satellitesUsed = 9
    location.horizontalAccuracy = 2.96
    #expect(line(connected, location) == "3D fix, ±3.0 m, 9 satellites")
  }

  @Test func saysWhatIsMissing() {
    #expect(line(.connecting) == "connecting to localhost:2947")
    #expect(line(.waiting(reason: "refused", retryIn: 3.6)) == "no gpsd at localhost:2947, next try in 4 s")
    #expect(line(.waiting(reason: "refused", retryIn: .nan)).hasPrefix("no gpsd at localhost:2947"))
    // Never "in 0 s", and a day at the most.
    #expect(line(.waiting(reason: "refused", retryIn: 0.2)).hasSuffix("next try in 1 s"))
    #expect(line(.waiting(reason: "refused", retryIn: 1e9)).hasSuffix("next try in 86400 s"))
    #expect(line(.connected(devices: [])) == "no fix, no device")
    #expect(line(.connected(devices: ["a"])) == "no fix")
    #expect(line(.connected(devices: ["a"]), nil, (7, 2)) == "no fix, 7 satellites seen, 2 used")
    #expect(line(.connected(devices: ["a"]), nil, (1, 1)) == "no fix, 1 satellite seen, 1 used")
    #expect(line(.connected(devices: ["a"]), nil, (7, 2), lostTo: .receiver) == "no fix, 7 satellites seen, 2 used")
    #expect(line(.connected(devices: ["a"]), nil, (7, 2), lostTo: .silence) == "no fix, the receiver is silent")
    #expect(line(.connected(devices: []), nil, nil, lostTo: .silence) == "no fix, no device")
    // The last location stays known, and is no fix.
    let last = Location(latitude: 1, longitude: 2)
    #expect(line(.connected(devices: ["a"]), last, nil, lostTo: .receiver) == "no fix")
    #expect(line(.finished) == "localhost:2947 has ended")
  }
}
