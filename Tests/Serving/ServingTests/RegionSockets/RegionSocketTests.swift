import Platform
import Writing
import Foundation
import Testing
import TestSupport

@testable import Serving

struct SocketFixture {
  let folder = TemporaryFolder()
  let loop = NetworkLoop()
  let socket: RegionSocket
  let path: String
  let notices = Recorder<OutputNotice>()

  init(_ configure: (inout RegionSocket.Configuration) -> Void = { _ in }) async throws {
    path = folder.file("regions")
    var configuration = RegionSocket.Configuration()
    configure(&configuration)
    socket = RegionSocket(loop: loop, configuration: configuration, onNotice: notices.record)
    try await socket.listen(on: .unix(path: path))
  }

  func publish(_ line: String) { socket.publish(record(line + "\n")) }

  func readers(_ count: Int) async -> Bool { await eventually { socket.statistics.readers == count } }

  func close() async {
    await socket.shutdown()
    await loop.shutdown()
  }
}

@Suite(.inTurn) struct RegionSocketTests {
  @Test func aReaderGetsTheCurrentRegionAndThenEachUpdate() async throws {
    let fixture = try await SocketFixture()
    fixture.publish("old")
    fixture.publish("current")
    let client = try Client.unix(fixture.path)
    #expect(await client.line() == "current")
    for number in 0..<100 { fixture.publish("\(number)") }
    for number in 0..<100 { #expect(await client.line() == "\(number)") }
    let statistics = fixture.socket.statistics
    #expect(statistics.readers == 1 && statistics.accepted == 1 && statistics.published == 102)
    #expect(statistics.account.lost == 0 && statistics.bytes == 8 + 190 + 100)
    await fixture.close()
    #expect(await client.line() == nil)
    #expect(access(fixture.path, F_OK) == -1)
  }

  @Test func aReaderBeforeTheFirstRegionGetsNothingUntilThereIsOne() async throws {
    let fixture = try await SocketFixture()
    let client = try Client.unix(fixture.path)
    #expect(await fixture.readers(1))
    fixture.publish("first")
    #expect(await client.line() == "first")
    await fixture.close()
    #expect(await client.rest() == "")
  }

  @Test func whatIsPublishedBeforeTheEndArrives() async throws {
    let fixture = try await SocketFixture()
    let clients = try (0..<20).map { _ in try Client.unix(fixture.path) }
    #expect(await fixture.readers(20))
    for number in 0..<500 { fixture.publish("\(number)") }
    await fixture.close()
    let all = (0..<500).map { "\($0)\n" }.joined()
    for client in clients { #expect(await client.rest() == all) }
  }

  @Test func aReaderThatFallsBehindIsToldHowManyItLost() async throws {
    let fixture = try await SocketFixture { $0.broadcast.byteLimit = 100_000 }
    let slow = try Client.unix(fixture.path)
    #expect(await fixture.readers(1))
    let count = 20_000
    let filler = String(repeating: "x", count: 94)
    for number in 0..<count { fixture.publish(String(format: "%05d", number) + filler) }
    // Every number once, or counted in a record at its place.
    var next = 0
    var lost = 0
    while next < count, let line = await slow.line() {
      if line.hasPrefix("{") {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["type"] as? String == "dropped")
        let dropped = try #require(object["count"] as? Int)
        lost += dropped
        next += dropped
      } else {
        try #require(line == String(format: "%05d", next) + filler)
        next += 1
      }
    }
    #expect(next == count)
    #expect(lost > 5_000 && lost < count)
    #expect(fixture.socket.statistics.account.lost == lost)
    await fixture.close()
  }

  @Test func aReaderThatTakesNothingIsClosedAndOneThatTakesEverythingIsNot() async throws {
    let fixture = try await SocketFixture { $0.broadcast.stallTimeout = .milliseconds(300) }
    let stalled = try Client.unix(fixture.path)
    let idle = try Client.unix(fixture.path)
    #expect(await fixture.readers(2))
    let line = String(repeating: "x", count: 999)
    var published = 0
    let isClosed = await eventually {
      for _ in 0..<100 {
        fixture.publish(line)
        published += 1
      }
      for _ in 0..<100 { #expect(await idle.line() == line) }
      return fixture.socket.statistics.stalled == 1
    }
    #expect(isClosed)
    // What it took stays readable, then comes the end: no more than the system and one high-water mark hold.
    #expect(await stalled.rest().utf8.count < published * 1000)
    fixture.publish("still here")
    #expect(await idle.line() == "still here")
    #expect(
      fixture.notices.values.map(\.message)
        == ["region socket: a reader read nothing for 0.3 seconds and was disconnected"])
    await fixture.close()
  }

  @Test func anEndWithoutALimitWaitsForSlowReadersAndASecondCallEndsIt() async throws {
    let fixture = try await SocketFixture()
    let client = try Client.unix(fixture.path)
    #expect(await fixture.readers(1))
    let line = String(repeating: "x", count: 999)
    for _ in 0..<800 { fixture.publish(line) }
    let end = Task { await fixture.socket.shutdown(within: nil) }
    #expect(await eventually { access(fixture.path, F_OK) == -1 })
    #expect(await client.rest().utf8.count == 800_000)
    await end.value

    let other = try await SocketFixture()
    let stuck = try Client.unix(other.path)
    #expect(await other.readers(1))
    for _ in 0..<800 { other.publish(line) }
    let waiting = Task { await other.socket.shutdown(within: nil) }
    #expect(await eventually { access(other.path, F_OK) == -1 })
    await other.socket.shutdown(within: .zero)
    await waiting.value
    #expect(await stuck.rest().utf8.count < 800_000)
    await fixture.loop.shutdown()
    await other.loop.shutdown()
  }

  @Test func whatReadersSendIsIgnored() async throws {
    let fixture = try await SocketFixture()
    let client = try Client.unix(fixture.path)
    #expect(await fixture.readers(1))
    client.send("GET / HTTP/1.1\r\n\r\n")
    fixture.publish("one")
    #expect(await client.line() == "one")
    // More than may be sent in a second; the reader is made to wait, not the others.
    let flooder = try Client.unix(fixture.path)
    let flags = fcntl(flooder.descriptor, F_GETFL)
    _ = fcntl(flooder.descriptor, F_SETFL, flags | O_NONBLOCK)
    var sent = 0
    let chunk = String(repeating: "y", count: 16 << 10)
    let start = Date.now
    while Date.now.timeIntervalSince(start) < 0.5 { sent += max(flooder.send(chunk), 0) }
    #expect(sent < 2 << 20)
    fixture.publish("two")
    #expect(await client.line() == "two")
    _ = fcntl(flooder.descriptor, F_SETFL, flags)
    let newest = await flooder.line()
    #expect(["one", "two"].contains(newest))
    await fixture.close()
  }

  @Test func aReaderThatOnlyStopsSendingKeepsReading() async throws {
    let fixture = try await SocketFixture()
    let client = try Client.unix(fixture.path)
    client.endSending()
    #expect(await fixture.readers(1))
    for number in 0..<10 {
      fixture.publish("\(number)")
      #expect(await client.line() == "\(number)")
    }
    await fixture.close()
  }

  @Test func theLimitIsToldOnceAndHalfClosedReadersGiveWay() async throws {
    let fixture = try await SocketFixture { $0.broadcast.readerLimit = 10 }
    let clients = try (0..<10).map { _ in try Client.unix(fixture.path) }
    #expect(await fixture.readers(10))
    for _ in 0..<5 {
      let refused = try Client.unix(fixture.path)
      #expect(await refused.line() == nil)
    }
    #expect(fixture.notices.values.filter { $0.message.contains("the limit of readers is 10") }.count == 1)
    #expect(fixture.socket.statistics.refused == 5)
    clients[3].endSending()
    let closed = await eventually {
      guard let next = try? Client.unix(fixture.path) else { return false }
      fixture.publish("x")
      return await next.line() == "x"
    }
    #expect(closed)
    #expect(await clients[0].line() == "x")
    await fixture.close()
  }

  @Test func aTCPReaderBehindACutWireIsFoundOut() async throws {
    let fixture = try await SocketFixture()
    try await fixture.socket.listen(on: .tcp(Endpoint(port: 0)))
    let port = try #require(fixture.socket.ports.first)
    let client = try Client.tcp(port)
    #expect(await fixture.readers(1))
    func address(_ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) -> in_port_t? {
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &length) }
      }
      return result == 0 && address.sin_family == sa_family_t(AF_INET) ? address.sin_port : nil
    }
    let own = address { getsockname(client.descriptor, $0, $1) }
    // The server's end of the connection is the one whose peer the client is.
    let served = try #require((3..<4096).first { descriptor in address { getpeername(descriptor, $0, $1) } == own })
    func option(_ level: Int32, _ name: Int32) -> Int32 {
      var value: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(served, level, name, &value, &length) == 0 ? value : -1
    }
    let tcp = Int32(IPPROTO_TCP)
    #expect(option(SOL_SOCKET, SO_KEEPALIVE) == 1)
    #expect([TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT].map { option(tcp, $0) } == [30, 15, 3])
    await fixture.close()
  }

  @Test func tcpReadersGetTheSame() async throws {
    let fixture = try await SocketFixture()
    try await fixture.socket.listen(on: .tcp(Endpoint(host: "localhost", port: 0)))
    let port = try #require(fixture.socket.ports.first)
    fixture.publish("current")
    let client = try Client.tcp(port)
    #expect(await client.line() == "current")
    #expect(fixture.notices.values.isEmpty)
    try await fixture.socket.listen(on: .tcp(Endpoint(host: "0.0.0.0", port: 0)))
    #expect(fixture.notices.values.map(\.severity) == [.warning])
    #expect(
      fixture.notices.values.first?.message
        == "region socket tcp:0.0.0.0:0 is not on loopback: other machines can reach it and see where the receiver is")
    await fixture.close()
  }
}
