import Foundation
import Synchronization
import TestSupport
import Platform
import Testing

@testable import Serving

/// Server-Sent Events to real sockets: a number, and how much was added to it.
@Suite(.inTurn) struct EventStreamTests {
  private struct Fixture {
    let stream: EventStream<Int>
    let served: TestServer

    init(
      backlog: Int = 1 << 20, patience: Double = 30, stallTimeout: Duration = .seconds(10),
      _ configure: (inout HTTPServer.Limits) -> Void = { _ in }
    ) async throws {
      let loop = NetworkLoop()
      stream = EventStream(
        on: loop, value: 0, backlogBytes: backlog, patience: patience, stallTimeout: stallTimeout
      ) { Array("\($0)".utf8) }
      served = try await TestServer(
        on: loop, routes: ["/events": stream.route, "/page": .answer { _ in HTTPResponse(text: "page\n") }], configure)
    }

    func add(_ number: Int, padding: Int = 0) {
      let blank = String(repeating: " ", count: padding)
      stream.update {
        $0 += number
        return [ServerEvent("add", data: Array("\(number)\(blank)".utf8))]
      }
    }

    func isFollowed(by count: Int) -> Bool { stream.clientCount == count }

    func follow(after id: String? = nil) throws -> Follower {
      Follower(try served.get("/events", id.map { "Last-Event-ID: \($0)\r\n" } ?? ""))
    }

    func close() async { await served.close() }
  }

  /// A client that adds up what it is sent.
  private final class Follower {
    let client: Client
    private(set) var value = 0
    private(set) var wholes = 0
    private(set) var id = ""
    private var event = ""

    init(_ client: Client) { self.client = client }

    /// Reads until the value is `target`; false after half a minute of anything else, such as signs of life.
    func reach(_ target: Int) async -> Bool {
      await eventually(within: 30) {
        while wholes == 0 && value == 0 || value != target {
          guard let line = client.arrivedLine() else { return false }
          take(line)
        }
        return true
      }
    }

    private func take(_ line: String) {
      let line = line.hasSuffix("\r") ? String(line.dropLast()) : line
      func rest(_ name: String) -> String? { line.hasPrefix(name) ? String(line.dropFirst(name.count)) : nil }
      if let text = rest("id: ") { id = text }
      if let text = rest("event: ") { event = text }
      guard let text = rest("data: "), let number = Int(text.prefix { $0 != " " }) else { return }
      if event == "state" {
        value = number
        wholes += 1
      } else {
        value += number
      }
    }
  }

  @Test func aClientGetsTheWholeAndThenTheChanges() async throws {
    let fixture = try await Fixture()
    fixture.add(5)
    let follower = try fixture.follow()
    #expect(await follower.reach(5))
    fixture.add(2)
    fixture.add(3)
    #expect(await follower.reach(10))
    #expect(follower.wholes == 1)
    await fixture.close()
  }

  @Test func theAnswerIsAStreamThatNobodyKeeps() async throws {
    let fixture = try await Fixture()
    let follower = try fixture.served.get("/events")
    var head: [String] = []
    while let line = await follower.line(), line != "\r" { head.append(line) }
    for field in ["HTTP/1.1 200 OK", "Content-Type: text/event-stream", "Cache-Control: no-store"] {
      #expect(head.contains(field + "\r"), "\(head)")
    }
    let asked = try await fixture.served.answer(to: "HEAD /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(asked.hasSuffix("\r\n\r\n"))
    await fixture.close()
  }

  @Test func anOlderClientGetsTheEventsWithoutChunks() async throws {
    let fixture = try await Fixture()
    fixture.add(4)
    let follower = try fixture.served.client("GET /events HTTP/1.0\r\nHost: localhost\r\n\r\n")
    var lines: [String] = []
    while let line = await follower.line(), line != "data: 4" { lines.append(line) }
    #expect(!lines.contains { $0.lowercased().hasPrefix("transfer-encoding") })
    let body = try #require(lines.firstIndex(of: "\r"))
    #expect(lines[(body + 1)...].first?.hasPrefix("id: ") == true, "\(lines)")
    await fixture.close()
  }

  @Test func theEndOfTheServerIsTheEndOfItsStreams() async throws {
    let fixture = try await Fixture()
    let follower = try fixture.follow()
    #expect(await follower.reach(0))
    await fixture.served.server.shutdown()
    #expect(await eventually { fixture.isFollowed(by: 0) })
    await fixture.served.loop.shutdown()
  }

  @Test func whoComesBackGetsWhatIsMissed() async throws {
    let fixture = try await Fixture()
    fixture.add(1)
    let first = try fixture.follow()
    #expect(await first.reach(1))
    let id = first.id
    for _ in 0..<100 { fixture.add(1) }
    #expect(await first.reach(101))
    let second = try fixture.follow(after: id)
    #expect(await second.reach(100), "what is missed, and no whole")
    #expect(second.wholes == 0)
    // With the last event's number there is nothing to send until something happens.
    let third = try fixture.follow(after: first.id)
    #expect(await eventually { fixture.isFollowed(by: 3) })
    fixture.add(7)
    #expect(await third.reach(7) && third.wholes == 0)
    await fixture.close()
  }

  @Test(arguments: ["", "x-1", "EPOCH-", "EPOCH-99", "EPOCH--1", "EPOCH-9999999999999999999999", "OTHER-1"])
  func aNumberThatIsNotKeptGetsTheWhole(id: String) async throws {
    let fixture = try await Fixture()
    fixture.add(4)
    let first = try fixture.follow()
    #expect(await first.reach(4))
    let epoch = String(first.id.split(separator: "-")[0])
    // Of an earlier run, and as long as this one's.
    let other = (epoch.hasPrefix("a") ? "b" : "a") + epoch.dropFirst()
    let second = try fixture.follow(after: id.replacing("EPOCH", with: epoch).replacing("OTHER", with: other))
    #expect(await second.reach(4) && second.wholes == 1, "it has \(second.value) of 4")
    await fixture.close()
  }

  @Test func whatIsReplacedIsSentWhole() async throws {
    let fixture = try await Fixture()
    fixture.add(4)
    let follower = try fixture.follow()
    #expect(await follower.reach(4))
    fixture.stream.replace { $0 = 40 }
    #expect(await follower.reach(40) && follower.wholes == 2)
    let late = try fixture.follow(after: follower.id)
    fixture.add(1)
    #expect(await late.reach(1) || late.value == 41)
    await fixture.close()
  }

  @Test func aClientThatIsBehindTheBacklogGetsTheWholeAgain() async throws {
    let fixture = try await Fixture(backlog: 4000, stallTimeout: .seconds(600))
    let slow = try fixture.follow()
    #expect(await slow.reach(0))
    // Far more than the backlog and the socket's buffers hold.
    for _ in 0..<2000 { fixture.add(1, padding: 3000) }
    let fast = try fixture.follow()
    #expect(await fast.reach(2000))
    #expect(await slow.reach(2000))
    #expect(slow.wholes > 1)
    await fixture.close()
  }

  private static let many = runsLongTests ? 1000 : 200

  /// Nobody else loses anything, and what the stalled one costs is bounded and ends.
  @Test func manyClientsOfWhomOneStalls() async throws {
    DescriptorLimit.raise()
    let fixture = try await Fixture(stallTimeout: .seconds(1)) { $0.streams = Self.many }
    var followers: [Follower] = []
    for _ in 1..<Self.many { followers.append(try fixture.follow()) }
    for follower in followers { #expect(await follower.reach(0)) }
    let stalled = try fixture.served.get("/events")
    #expect(await eventually { fixture.isFollowed(by: Self.many) })
    #expect(await (try fixture.served.get("/events")).rest().hasPrefix("HTTP/1.1 503 "), "one too many")
    let before = residentBytes()
    // The stalled one is closed when its buffers are full and it has taken nothing for the timeout.
    var rounds = 0
    while rounds < 200, !fixture.isFollowed(by: Self.many - 1) {
      for _ in 0..<20 { fixture.add(1, padding: 5000) }
      let sum = fixture.stream.value
      for follower in followers { #expect(await follower.reach(sum)) }
      rounds += 1
    }
    #expect(fixture.isFollowed(by: Self.many - 1))
    #expect(followers.allSatisfy { $0.wholes == 1 }, "nothing was lost")
    #expect(residentBytes() - before < 200 << 20)
    #expect(await (try fixture.served.get("/page")).rest().hasSuffix("page\n"), "pages are served beside the streams")
    withExtendedLifetime(stalled) {}
    await fixture.close()
  }

  @Test func withoutAnAudienceNoEventIsMade() async throws {
    let fixture = try await Fixture(patience: 0.05)
    let changes = Mutex<[Bool]>([])
    fixture.stream.onAudience { isThere in changes.withLock { $0.append(isThere) } }
    try #require(await eventually(within: 10) { !fixture.stream.hasAudience }, "the audience has not left")
    fixture.stream.update { value, hasAudience in
      #expect(!hasAudience)
      value += 5
      return []
    }
    let first = try fixture.follow()
    #expect(await first.reach(5), "the whole has what happened meanwhile")
    fixture.add(2)
    #expect(await first.reach(7) && first.wholes == 1)
    first.client.endSending()
    try #require(await eventually(within: 10) { !fixture.stream.hasAudience }, "the audience has not left")
    fixture.add(1)
    let second = try fixture.follow(after: first.id)
    #expect(await second.reach(8) && second.wholes == 1, "what is missed was not kept")
    #expect(changes.withLock { $0 }.suffix(3) == [true, false, true])
    await fixture.close()
  }

  @Test func aClientThatLeavesMakesRoom() async throws {
    let fixture = try await Fixture { $0.streams = 1 }
    let follower = try fixture.follow()
    #expect(await follower.reach(0))
    #expect(await (try fixture.served.get("/events")).rest().contains("Retry-After: 10\r\n"))
    follower.client.endSending()
    #expect(await eventually { fixture.isFollowed(by: 0) })
    let next = try fixture.follow()
    #expect(await next.reach(0))
    await fixture.close()
  }

  private func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }
}
