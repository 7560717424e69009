import Foundation
import Synchronization
import Platform
import Testing
import TestSupport

@testable import Serving

@Suite(.inTurn) struct HTTPServerTests {
  private static let large = [UInt8](repeating: UInt8(ascii: "x"), count: 16 << 20)

  /// A server with a small page and a large one.
  private func served(_ configure: (inout HTTPServer.Limits) -> Void = { _ in }) async throws -> TestServer {
    try await TestServer(
      routes: [
        "/page": .answer { HTTPResponse(text: "page \($0.query ?? "") \($0[field: "x-name"] ?? "")\n") },
        "/command": .command { HTTPResponse(text: "done \($0.query ?? "")\n") },
        "/large": .answer { _ in HTTPResponse(contentType: "text/plain", body: Self.large) },
      ], configure)
  }

  @Test func answersGETAndHEAD() async throws {
    let fixture = try await served()
    let get = try await fixture.answer(to: "GET /page?a=? HTTP/1.1\r\nHost: localhost\r\nX-Name: me\r\n\r\n")
    #expect(
      get == """
        HTTP/1.1 200 OK\r
        Content-Type: text/plain; charset=utf-8\r
        X-Content-Type-Options: nosniff\r
        Content-Length: 12\r
        Connection: close\r
        \r
        page a=? me

        """)
    let head = try await fixture.answer(to: "HEAD /page HTTP/1.1\r\n\r\n")
    #expect(head.contains("Content-Length: 7\r\n") && head.hasSuffix("\r\n\r\n"))
    await fixture.close()
  }

  @Test(arguments: [
    ("GET /page HTTP/1.0\r\n\r\n", 200), ("\r\n\r\nGET /page HTTP/1.1\r\n\r\n", 200), ("GET / HTTP/1.1\r\n\r\n", 404),
    ("GET /pagex HTTP/1.1\r\n\r\n", 404), ("POST /page HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", 405),
    ("PUT /page HTTP/1.1\r\n\r\n", 405), ("get /page HTTP/1.1\r\n\r\n", 400), ("GET /page HTTP/2.0\r\n\r\n", 505),
    ("hello\r\n", 400), ("GET /page HTTP/1.1 x\r\n\r\n", 505), ("\u{16}\u{3}\u{1}", 400), ("\0", 400),
    ("GET /page HTTP/1.1\r\nX: " + String(repeating: "y", count: 9000), 431),
    ("GET /" + String(repeating: "y", count: 9000), 431),
    ("GET /page HTTP/1.1\r\n\r\n" + String(repeating: "z", count: 100_000), 200),
    ("GET /page HTTP/1.1\r\n\r\nGET /page HTTP/1.1\r\n\r\n", 200),
    ("GET /command HTTP/1.1\r\n\r\n", 405), ("HEAD /command HTTP/1.1\r\n\r\n", 405),
    ("POST /command?x HTTP/1.1\r\n\r\n", 200),
    ("POST /command HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", 200),
  ])
  func statuses(_ request: String, _ status: Int) async throws {
    let fixture = try await served()
    let answer = try await fixture.answer(to: request)
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    #expect(answer.components(separatedBy: "HTTP/1.1 \(status) ").count == 2, "one answer")
    if status == 405 { #expect(answer.contains("Allow: \(request.contains("/command") ? "POST" : "GET, HEAD")\r\n")) }
    // Byte by byte it is the same.
    let slow = try Client.tcp(fixture.port)
    for byte in request.utf8.prefix(200) { slow.send(String(UnicodeScalar(byte))) }
    slow.send(String(request.dropFirst(200)))
    #expect(await slow.rest().hasPrefix("HTTP/1.1 \(status) "))
    await fixture.close()
  }

  /// A browser names the site of the page that sends a command.
  @Test(arguments: [
    ("Origin: http://a.example:80", 200), ("Origin: https://a.example:80", 200), ("Origin: http://b.example:80", 403),
    ("Origin: http://a.example", 403), ("Origin: null", 403), ("Origin: http://a.example:80.b.example", 403),
    ("Origin: http://a.example:80\r\nOrigin: http://b.example:80", 403), ("Sec-Fetch-Site: same-origin", 200),
    ("Sec-Fetch-Site: same-site", 403), ("Sec-Fetch-Site: cross-site\r\nOrigin: http://a.example:80", 403),
    ("Sec-Fetch-Site: none", 403),
  ])
  func onlyOwnPagesGiveCommands(_ field: String, _ status: Int) async throws {
    let fixture = try await served()
    let answer = try await fixture.answer(to: "POST /command HTTP/1.1\r\nHost: a.example:80\r\n\(field)\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.contains("done") == (status == 200), "\(answer)")
    await fixture.close()
  }

  @Test func theLongestHeadIsExact() async throws {
    let fixture = try await served { ($0.headBytes, $0.timeout) = (1000, .seconds(600)) }
    func request(_ count: Int) -> String {
      let start = "GET /page HTTP/1.1\r\nX: "
      return start + String(repeating: "y", count: count - start.utf8.count - 4) + "\r\n\r\n"
    }
    #expect(try await fixture.answer(to: request(1000)).hasPrefix("HTTP/1.1 200 "))
    #expect(try await fixture.answer(to: request(1001)).hasPrefix("HTTP/1.1 431 "))
    // Also when its last byte comes alone.
    let client = try Client.tcp(fixture.port)
    client.send(String(decoding: request(1000).utf8.dropLast(1), as: UTF8.self))
    // The loop answers one that comes later after it has read this.
    #expect(try await fixture.answer(to: request(100)).hasPrefix("HTTP/1.1 200 "))
    client.send("\n")
    #expect(await client.rest().hasPrefix("HTTP/1.1 200 "))
    await fixture.close()
  }

  @Test(arguments: ["GET /page HTTP/1.1", "GET /page HTTP/1.0", "HEAD /page HTTP/1.1", "GET /none HTTP/1.1", "x"])
  func theConnectionEndsWithTheAnswer(request: String) async throws {
    let fixture = try await served { $0.timeout = .seconds(600) }
    let client = try fixture.client("\(request)\r\n\r\n")
    #expect(await client.line()?.hasPrefix("HTTP/1.1 ") == true)
    _ = await client.rest()
    #expect(isAtEnd(client))
    await fixture.close()
  }

  /// How a client ends its side of a connection.
  enum Leaving: CaseIterable {
    case withoutAsking, withTheRequest, withTheAnswer
  }

  @Test(arguments: Leaving.allCases) func aClientThatEndsItsSideMakesRoom(leaving: Leaving) async throws {
    let fixture = try await served {
      $0.connections = 1
      $0.timeout = .seconds(600)
    }
    let client = try Client.tcp(fixture.port)
    switch leaving {
    case .withoutAsking: client.endSending()
    case .withTheRequest:
      client.send("GET /large HTTP/1.1\r\n\r\n")
      client.endSending()
      #expect(await client.rest().utf8.count > Self.large.count)
    case .withTheAnswer:
      client.send("GET /page HTTP/1.1\r\n\r\n")
      _ = await client.rest()
      client.endSending()
    }
    let isServed = await eventually {
      (try? await fixture.answer(to: "GET /page HTTP/1.1\r\n\r\n"))?.hasPrefix("HTTP/1.1 200 ") == true
    }
    #expect(isServed)
    withExtendedLifetime(client) {}
    await fixture.close()
  }

  @Test func aClientThatGoesOnTalkingGetsTheWholeAnswer() async throws {
    let fixture = try await served()
    let client = try fixture.client("GET /large HTTP/1.1\r\n\r\n")
    let count = await take(client, atOnce: 16 << 10) { send($0, "x", 1, Int32(MSG_NOSIGNAL)) }
    #expect(count > Self.large.count)
    await fixture.close()
  }

  /// Takes an answer on a thread of its own, which other tests cannot hold up, and does something after each piece of it.
  private func take(_ client: Client, atOnce most: Int, after: @escaping @Sendable (Int32) -> Void) async -> Int {
    let taken = Mutex((bytes: 0, isDone: false))
    Thread.detachNewThread { [descriptor = client.descriptor] in
      var chunk = [UInt8](repeating: 0, count: most)
      while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 {
        taken.withLock { $0.bytes += count }
        after(descriptor)
      }
      taken.withLock { $0.isDone = true }
    }
    #expect(await eventually { taken.withLock { $0.isDone } })
    withExtendedLifetime(client) {}
    return taken.withLock { $0.bytes }
  }

  @Test func noiseIsAnsweredOrClosedAndNeverACrash() async throws {
    let fixture = try await served()
    var random = SplitMix(state: 5)
    for _ in 0..<200 {
      let client = try Client.tcp(fixture.port)
      let length = Int.random(in: 0...300, using: &random)
      client.send(String(decoding: (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }, as: UTF8.self))
      client.endSending()
      let answer = await client.rest()
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 431 "))
    }
    #expect(try await fixture.answer(to: "GET /page HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    await fixture.close()
  }

  @Test func clientsBeyondTheLimitAreToldSo() async throws {
    let fixture = try await served {
      $0.connections = 8
      // Nobody is closed while the machine is busy.
      $0.timeout = .seconds(600)
    }
    // They have asked, and take nothing of the answer.
    let clients = try (0..<8).map { _ in try fixture.get("/large") }
    for client in clients { #expect(await client.line()?.hasPrefix("HTTP/1.1 200 ") == true) }
    // As many more are told so. They make room as they go, and when another one comes.
    for _ in 0..<20 {
      let refused = try await fixture.answer(to: "GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("Retry-After: 10\r\n"))
      #expect(refused.hasSuffix("too many connections; try again later\n"))
    }
    let silent = try (0..<8).map { _ in try Client.tcp(fixture.port) }
    #expect(try await fixture.answer(to: "GET /page HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 503 "))
    withExtendedLifetime((clients, silent)) {}
    await fixture.close()
  }

  @Test(arguments: ["", "GET /page HTTP/1.1\r\nX: ", "GET /page HTTP/1.1\r\n\r\n"])
  func halfOpenConnectionsLeaveRoomForOthers(start: String) async throws {
    let fixture = try await served { $0.timeout = .seconds(600) }
    let clients = try (0..<128).map { _ in try fixture.client(start) }
    for _ in 0..<20 {
      #expect(try await fixture.answer(to: "GET /page HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    }
    withExtendedLifetime(clients) {}
    await fixture.close()
  }

  private func isAtEnd(_ client: Client) -> Bool {
    var byte: UInt8 = 0
    let count = recv(client.descriptor, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK))
    return count == 0 || (count < 0 && errno != EAGAIN)
  }

  @Test func aClientThatTakesTheAnswerSlowlyGetsAllOfIt() async throws {
    let fixture = try await served { $0.timeout = .seconds(1) }
    let slow = try fixture.get("/large")
    let stalled = try fixture.get("/large")
    let start = ContinuousClock.now
    // Far longer than the timeout, in steps that are far shorter.
    let count = await take(slow, atOnce: 64 << 10) { _ in usleep(10_000) }
    #expect(count > Self.large.count)
    #expect(ContinuousClock.now - start > .seconds(2))
    // Who took nothing was closed meanwhile.
    #expect(await stalled.rest().utf8.count < Self.large.count)
    await fixture.close()
  }
}
