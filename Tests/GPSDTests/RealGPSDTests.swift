import GPSD
import GPSDTestSupport
import LocationKit
import Testing

/// Tests that share the machine's gpsd and the main actor's time run one after the other.
@Suite(.serialized) enum GPSDTests {}

extension GPSDTests {
  @MainActor
  @Suite(.serialized, .enabled(if: RealGPSD.path != nil, "there is no gpsd on this host"))
  struct RealGPSDTests {
    @Test(.timeLimit(.minutes(1))) func streams() async throws {
      let gpsd = try RealGPSD()
      let source = GPSDSource(endpoint: GPSDEndpoint(host: "127.0.0.1", port: gpsd.port))
      let listener = Listener(source)
      try await wait(for: "connection") { listener.connections > 0 }
      var index = 0
      try await wait(for: "locations") {
        gpsd.feed(NMEA.epoch(index))
        index += 1
        return listener.locations.count > 20
      }
      source.detach(listener)
    }
  }
}
