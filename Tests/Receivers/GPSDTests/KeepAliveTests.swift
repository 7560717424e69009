import Glibc
import GPSD
import LocationKit
import Testing
import TestSupport

extension GPSDTests {
  @MainActor
  @Suite(.serialized, .timeLimit(.minutes(30)))
  struct KeepAliveTests {
    /// A network that died must not leave the source waiting for ever.
    @Test func aDeadNetworkIsNoticedWithinAMinute() async throws {
      let server = try LoopbackSocket.listener()
      let source = GPSDSource(endpoint: GPSDEndpoint(host: "127.0.0.1", port: server.port))
      let listener = Listener(source)
      let client = try await server.nextClient()
      // The options come right after the connection.
      try #require(await eventually { source.authorizationStatus == .authorizedAlways })
      let socket = try #require((0..<4096).first { Self.peerPort(of: $0) == server.port })
      func option(_ level: Int32, _ name: Int32) -> Int32 {
        var (value, size): (Int32, socklen_t) = (-1, 4)
        getsockopt(socket, level, name, &value, &size)
        return value
      }
      #expect(option(SOL_SOCKET, SO_KEEPALIVE) == 1)
      let tcp = Int32(IPPROTO_TCP)
      #expect(option(tcp, TCP_KEEPIDLE) + option(tcp, TCP_KEEPINTVL) * option(tcp, TCP_KEEPCNT) <= 60)
      source.detach(listener)
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
