import Glibc
import GPSD
import LocationKit
import Platform
import Testing
import TestSupport

extension GPSDTests {
  /// Stopping takes no time whatever the source is doing: it waits for none of the limits of five seconds.
  @MainActor
  @Suite(.serialized, .timeLimit(.minutes(30)))
  struct StopTests {
    private func expectQuickStop(
      _ endpoint: GPSDEndpoint, _ configuration: GPSDConfiguration = GPSDConfiguration(),
      sourceLocation: SourceLocation = #_sourceLocation,
      once condition: (Listener) -> Bool
    ) async throws {
      let source = GPSDSource(endpoint: endpoint, configuration: configuration)
      let listener = Listener(source)
      try #require(await eventually { condition(listener) }, sourceLocation: sourceLocation)
      let start = monotonicSeconds()
      source.detach(listener)
      let took = monotonicSeconds() - start
      #expect(took < 4, sourceLocation: sourceLocation)
      // And nothing comes afterwards, while another source begins.
      listener.clear()
      let other = GPSDSource(endpoint: endpoint, configuration: configuration)
      let later = Listener(other)
      try #require(await eventually { !later.events.isEmpty }, sourceLocation: sourceLocation)
      other.detach(later)
      #expect(listener.events.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func whileNobodyListens() async throws {
      // Descriptors of ports that are bound but not listening refuse.
      let port = try LoopbackSocket.unusedPort()
      var slow = GPSDConfiguration(minimumRetryDelay: 60, maximumRetryDelay: 60)
      slow.quietTries = 0
      try await expectQuickStop(GPSDEndpoint(host: "127.0.0.1", port: port), slow) {
        $0.statuses.contains { if case .waiting(reason: "Connection refused", _) = $0 { true } else { false } }
      }
    }

    @Test func whileAConnectHangs() async throws {
      // A listener whose queue is full does not answer.
      let listener = try LoopbackSocket.listener(backlog: 0)
      let fillers = try (0..<3).map { _ in try LoopbackSocket.startedClient(port: listener.port) }
      try await expectQuickStop(GPSDEndpoint(host: "127.0.0.1", port: listener.port)) {
        $0.statuses == [.connecting]
      }
      let impatient = GPSDConfiguration(connectTimeout: 0.1)
      try await expectQuickStop(GPSDEndpoint(host: "127.0.0.1", port: listener.port), impatient) {
        $0.statuses.contains { if case .waiting(reason: "no answer within 0.1 s", _) = $0 { true } else { false } }
      }
      withExtendedLifetime(fillers) {}
    }

    @Test func whileNobodyGreets() async throws {
      let listener = try LoopbackSocket.listener()
      try await expectQuickStop(GPSDEndpoint(host: "127.0.0.1", port: listener.port)) { $0.statuses == [.connecting] }
    }

    @Test func whileAHostHasNoAddress() async throws {
      let configuration = GPSDConfiguration(quietTries: 0)
      try await expectQuickStop(GPSDEndpoint(host: "no-such-host.invalid", port: 2947), configuration) {
        guard let failure = $0.failures.first else { return false }
        return failure.code == .network && failure.message.contains("no-such-host.invalid")
      }
    }

    @Test func rightAfterTheStart() async throws {
      for _ in 0..<20 { try await expectQuickStop(GPSDEndpoint(host: "localhost", port: 9)) { _ in true } }
    }

    @Test func localhostIsTriedOnAllItsAddresses() async throws {
      // Only IPv4 listens; a resolver may name ::1 first.
      let server = try LoopbackSocket.listener()
      let source = GPSDSource(endpoint: GPSDEndpoint(host: "localhost", port: server.port))
      let listener = Listener(source)
      _ = try await server.nextClient()
      source.detach(listener)
    }
  }
}
