import Glibc
import Synchronization
import TestSupport
import Platform
import Testing

@testable import Serving

@Suite(.inTurn) struct HTTPWorkTests {
  /// A server whose answers take until they are let go, and what is being computed.
  private final class Fixture: Sendable {
    let running = Mutex<Set<String>>([])
    let released = Mutex<Set<String>>([])

    /// - Parameter body: Gets what asks for the answer of a name.
    func serve(
      _ configure: (inout HTTPServer.Limits) -> Void = { _ in },
      _ body: (_ ask: (String) throws -> Client) async throws -> Void
    ) async throws {
      let server = try await TestServer(
        routes: [
          "/long": .computed(weight: { $0.value(of: "weight").flatMap { Double($0) } ?? 0 }) { request in
            let name = request.query ?? ""
            self.running.withLock { _ = $0.insert(name) }
            // Without a deadline: the test decides when it goes on.
            while request.goesOn(), !self.released.withLock({ $0.contains(name) }) { usleep(1000) }
            self.running.withLock { _ = $0.remove(name) }
            return HTTPResponse(text: "\(name)\n")
          }
        ], configure)
      try await body { try server.get("/long?\($0)") }
      await server.close()
    }

    func areRunning(_ names: Set<String>) async -> Bool { await eventually { self.running.withLock { $0 } == names } }
  }

  private let fixture = Fixture()

  @Test func computingEndsWhenTheClientLeaves() async throws {
    try await fixture.serve { ask in
      var client: Client? = try ask("a")
      #expect(await fixture.areRunning(["a"]))
      withExtendedLifetime(client) {}
      client = nil
      #expect(await fixture.areRunning([]))
    }
  }

  @Test func computingEndsWithTheServer() async throws {
    try await fixture.serve { ask in
      _ = try ask("a")
      let client = try ask("b")
      #expect(await fixture.areRunning(["b"]))
      withExtendedLifetime(client) {}
    }
    #expect(await fixture.areRunning([]))
  }

  @Test func shorterAnswersComeFirst() async throws {
    try await fixture.serve { ask in
      let long = try ["weight=7", "weight=8", "weight=9"].map { try ask($0) }
      #expect(await fixture.areRunning(["weight=7", "weight=8"]))
      fixture.released.withLock { $0 = ["weight=7", "weight=8", "weight=9", "weight=1"] }
      #expect(await long[2].rest().hasSuffix("weight=9\n"))
    }
  }

  @Test func longAnswersWaitForAShorterOne() async throws {
    try await fixture.serve { ask in
      let long = try ask("weight=9")
      #expect(await fixture.areRunning(["weight=9"]))
      let short = try ask("weight=1")
      #expect(await fixture.areRunning(["weight=9", "weight=1"]))
      // The long one is let go, and waits all the same.
      fixture.released.withLock { $0 = ["weight=9"] }
      fixture.released.withLock { _ = $0.insert("weight=1") }
      #expect(await short.rest().hasSuffix("weight=1\n"))
      #expect(await long.rest().hasSuffix("weight=9\n"))
    }
  }

  @Test func tooMuchWorkIsRefused() async throws {
    try await fixture.serve({ $0.works = 2 }) { ask in
      let clients = try ["a", "b"].map { try ask($0) }
      #expect(await fixture.areRunning(["a", "b"]))
      let refused = await (try ask("c")).rest()
      #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("Retry-After: 10\r\n"))
      fixture.released.withLock { $0 = ["a", "c"] }
      #expect(await clients[0].rest().hasSuffix("\r\n\r\na\n"))
      #expect(await (try ask("c")).rest().hasSuffix("\r\n\r\nc\n"))
    }
  }
}
