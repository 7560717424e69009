import Glibc
import Synchronization
import TestSupport
import Platform
import Testing

@testable import Serving

/// Answers that take long to compute.
@Suite struct HTTPWorkTests {
  /// A server whose answers take until they are let go, and what is being computed.
  private final class Fixture: Sendable {
    let loop = NetworkLoop()
    let running = Mutex<Set<String>>([])
    let released = Mutex<Set<String>>([])

    func serve(_ configure: (inout HTTPServer.Limits) -> Void = { _ in }, _ body: (Int) async throws -> Void)
      async throws
    {
      var limits = HTTPServer.Limits()
      configure(&limits)
      let server = HTTPServer(
        on: loop, limits: limits,
        routes: [
          "/long": .computed(weight: { $0.value(of: "weight").flatMap { Double($0) } ?? 0 }) { request in
            let name = request.query ?? ""
            self.running.withLock { _ = $0.insert(name) }
            // Without a deadline: the test decides when it goes on.
            while request.goesOn(), !self.released.withLock({ $0.contains(name) }) { usleep(1000) }
            self.running.withLock { _ = $0.remove(name) }
            return HTTPResponse(text: "\(name)\n")
          }
        ])
      try await server.listen(on: Endpoint(port: 0), name: "test")
      try await body(try #require(server.ports.first))
      await server.shutdown()
      await loop.shutdown()
    }

    func ask(_ port: Int, _ name: String) throws -> Client {
      let client = try Client.tcp(port)
      client.send("GET /long?\(name) HTTP/1.1\r\n\r\n")
      return client
    }

    func areRunning(_ names: Set<String>) async -> Bool {
      await eventually { self.running.withLock { $0 } == names }
    }
  }

  private let fixture = Fixture()

  @Test func computingEndsWhenTheClientLeaves() async throws {
    try await fixture.serve { port in
      var client: Client? = try fixture.ask(port, "a")
      #expect(await fixture.areRunning(["a"]))
      withExtendedLifetime(client) {}
      client = nil
      #expect(await fixture.areRunning([]))
    }
  }

  @Test func computingEndsWithTheServer() async throws {
    try await fixture.serve { port in
      _ = try fixture.ask(port, "a")
      let client = try fixture.ask(port, "b")
      #expect(await fixture.areRunning(["b"]))
      withExtendedLifetime(client) {}
    }
    #expect(await fixture.areRunning([]))
  }

  @Test func shorterAnswersComeFirst() async throws {
    try await fixture.serve { port in
      let long = try ["weight=7", "weight=8", "weight=9"].map { try fixture.ask(port, $0) }
      #expect(await fixture.areRunning(["weight=7", "weight=8"]))
      fixture.released.withLock { $0 = ["weight=7", "weight=8", "weight=9", "weight=1"] }
      #expect(await long[2].rest().hasSuffix("weight=9\n"))
    }
  }

  @Test func longAnswersWaitForAShorterOne() async throws {
    try await fixture.serve { port in
      let long = try fixture.ask(port, "weight=9")
      #expect(await fixture.areRunning(["weight=9"]))
      let short = try fixture.ask(port, "weight=1")
      #expect(await fixture.areRunning(["weight=9", "weight=1"]))
      // The long one is let go, and waits all the same.
      fixture.released.withLock { $0 = ["weight=9"] }
      fixture.released.withLock { _ = $0.insert("weight=1") }
      #expect(await short.rest().hasSuffix("weight=1\n"))
      #expect(await long.rest().hasSuffix("weight=9\n"))
    }
  }

  @Test func tooMuchWorkIsRefused() async throws {
    try await fixture.serve({ $0.works = 2 }) { port in
      let clients = try ["a", "b"].map { try fixture.ask(port, $0) }
      #expect(await fixture.areRunning(["a", "b"]))
      let refused = await (try fixture.ask(port, "c")).rest()
      #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("Retry-After: 10\r\n"))
      fixture.released.withLock { $0 = ["a", "c"] }
      #expect(await clients[0].rest().hasSuffix("\r\n\r\na\n"))
      #expect(await (try fixture.ask(port, "c")).rest().hasSuffix("\r\n\r\nc\n"))
    }
  }
}
