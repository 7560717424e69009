import Glibc
import GPSD
import LocationKit
import Testing
import TestSupport

extension GPSDTests {
  /// Stopping takes no time whatever the source is doing: it waits for none of the limits of five seconds. It also ends by
  /// itself when the network is gone.
  @MainActor @Suite(.serialized, .timeLimit(.minutes(30)))
  struct StopTests {
    private func expectQuickStop(
      _ endpoint: GPSDEndpoint, _ configuration: GPSDConfiguration = GPSDConfiguration(),
      sourceLocation: SourceLocation = #_sourceLocation,
      once condition: (Listener) -> Bool
    ) async throws {
      let listener = Listener(GPSDSource(endpoint: endpoint, configuration: configuration))
      try #require(await eventually { condition(listener) }, sourceLocation: sourceLocation)
      #expect(listener.stop() < 4, sourceLocation: sourceLocation)
      // And nothing comes afterwards, while another source begins.
      listener.clear()
      let later = Listener(GPSDSource(endpoint: endpoint, configuration: configuration))
      try #require(await eventually { !later.events.isEmpty }, sourceLocation: sourceLocation)
      later.stop()
      #expect(listener.events.isEmpty, sourceLocation: sourceLocation)
    }

    @Test func whileNobodyListens() async throws {
      let port = LoopbackSocket.unusedPort()
      let slow = GPSDConfiguration(minimumRetryDelay: 60, maximumRetryDelay: 60, quietTries: 0)
      try await expectQuickStop(GPSDEndpoint(host: "127.0.0.1", port: port), slow) {
        $0.pauses.first?.reason == "Connection refused"
      }
    }

    @Test func whileAConnectHangs() async throws {
      // A listener whose queue is full does not answer.
      let listener = try LoopbackSocket.listener(backlog: 0)
      let fillers = try (0..<3).map { _ in try LoopbackSocket.startedClient(port: listener.port) }
      let endpoint = GPSDEndpoint(host: "127.0.0.1", port: listener.port)
      try await expectQuickStop(endpoint) { $0.statuses == [.connecting] }
      try await expectQuickStop(endpoint, GPSDConfiguration(connectTimeout: 0.1)) {
        $0.pauses.first?.reason == "no answer within 0.1 s"
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
      let listener = Listener(GPSDSource(endpoint: GPSDEndpoint(host: "localhost", port: server.port)))
      _ = try await server.nextClient()
      listener.stop()
    }

    /// A network that died must not leave the source waiting for ever.
    @Test func aDeadNetworkIsNoticedWithinAMinute() async throws {
      let server = try LoopbackSocket.listener()
      let listener = Listener(GPSDSource(endpoint: GPSDEndpoint(host: "127.0.0.1", port: server.port)))
      let client = try await server.nextClient()
      // The options come right after the connection.
      try #require(await eventually { listener.source.authorizationStatus == .authorizedAlways })
      let socket = try #require((0..<4096).first { Self.peerPort(of: $0) == server.port })
      func option(_ level: Int32, _ name: Int32) -> Int32 {
        var (value, size): (Int32, socklen_t) = (-1, 4)
        getsockopt(socket, level, name, &value, &size)
        return value
      }
      #expect(option(SOL_SOCKET, SO_KEEPALIVE) == 1)
      let tcp = Int32(IPPROTO_TCP)
      #expect(option(tcp, TCP_KEEPIDLE) + option(tcp, TCP_KEEPINTVL) * option(tcp, TCP_KEEPCNT) <= 60)
      withExtendedLifetime(client) {}
    }

    private static func peerPort(of descriptor: Int32) -> UInt16? {
      var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
      let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
      }
      return result == 0 && address.sin_family == AF_INET ? UInt16(bigEndian: address.sin_port) : nil
    }
  }
}
