import GPSD
import LocationKit
import Platform
import Testing
import TestSupport

/// Two receivers under one real gpsd: one is followed, and they do not mix.
@MainActor
@Suite(.startsPrograms, .timeLimit(.minutes(30)), .enabled(if: RealGPSD.path != nil, "gpsd is not installed"))
struct TwoReceiversTests {
  /// A gpsd with two receivers that the test plays, and a manager that follows it with a stale limit of 4 s, whose time
  /// the test moves.
  @MainActor private final class TwoReceivers: LocationManagerDelegate {
    let gpsd: RealGPSD
    let devices: [String]
    let clock = VirtualClock()
    let manager: LocationManager
    private let feed: LoopbackSocket
    private let secondListener: LoopbackSocket
    private var index = 0
    private var fed = 0.0
    var sources: [String] = []
    var errors: [LocationError] = []

    init() throws {
      gpsd = try RealGPSD()
      secondListener = try LoopbackSocket.listener()
      devices = [try #require(gpsd.device), "tcp://127.0.0.1:\(secondListener.port)"]
      #expect(try gpsd.control("+" + devices[1]))
      feed = try secondListener.accept()
      manager = LocationManager(
        source: GPSDSource(endpoint: GPSDEndpoint(host: "localhost", port: gpsd.port), clock: clock))
      manager.staleAfter = 4
      manager.delegate = self
      manager.startUpdatingLocation()
    }

    /// What a receiver does.
    enum Play { case fix, void, silence }

    /// Lets both play until `condition` holds.
    func play(_ first: Play, _ second: Play, until condition: () -> Bool) async -> Bool {
      await eventually {
        if monotonicSeconds() - fed > 0.05 {
          fed = monotonicSeconds()
          index += 1
          if first != .silence { gpsd.feed(NMEA.epoch(index, rate: 5, hasFix: first == .fix)) }
          if second != .silence { feed.send(NMEA.epoch(index + 1000, rate: 5, hasFix: second == .fix)) }
        }
        return condition()
      }
    }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      sources += locations.compactMap { $0.sourceInformation?.device }
    }

    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
      errors.append(error)
    }
  }

  @Test func voidsOfOneReceiverAreNotReportedWhileAnotherHasAFix() async throws {
    let stage = try TwoReceivers()
    try #require(await stage.play(.void, .fix) { stage.sources.count >= 10 })
    #expect(Set(stage.sources) == [stage.devices[1]])
    #expect(stage.errors.isEmpty)
    // The location is unknown when neither has a fix, and that is said once.
    try #require(await stage.play(.void, .void) { !stage.errors.isEmpty })
    #expect(await stage.play(.fix, .void) { stage.sources.last == stage.devices[0] })
    #expect(stage.errors.map(\.code) == [.locationUnknown])
  }

  @Test func anotherReceiverIsFollowedWithinTheStaleLimitWithoutFlapping() async throws {
    let stage = try TwoReceivers()
    try #require(await stage.play(.fix, .silence) { stage.sources.count >= 3 })
    try #require(await stage.play(.fix, .fix) { stage.sources.count >= 15 })
    #expect(Set(stage.sources) == [stage.devices[0]], "two with a fix do not mix")
    // Silence of more than half the stale limit is enough, and comes before the location counts as unknown.
    var count = -1
    let hasTurned = await stage.play(.silence, .fix) {
      if stage.sources.last == stage.devices[1] { return true }
      // A fix that was still on its way is one of the moment in which it comes.
      if stage.sources.count != count {
        count = stage.sources.count
        stage.clock.advance(by: 2.1)
      }
      return false
    }
    try #require(hasTurned)
    // The first one's return turns nothing back.
    count = stage.sources.count
    try #require(await stage.play(.fix, .fix) { stage.sources.count >= count + 15 })
    #expect(Set(stage.sources[count...]) == [stage.devices[1]])
    // A loss turns to the first one at once.
    try #require(await stage.play(.fix, .void) { stage.sources.last == stage.devices[0] })
    #expect(stage.errors.isEmpty)
  }
}
