import Glibc
import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import Serving

/// How long a connection may last, in virtual time.
@Suite(.inTurn) struct HTTPConnectionTests {
  private let loop = EmbeddedEventLoop()
  private let channel: EmbeddedChannel
  private let network = Network()

  init() throws {
    let stream = EventStream(on: NetworkLoop(on: loop), value: 0) { Array("\($0)".utf8) }
    let connections = HTTPConnections(
      limits: HTTPServer.Limits(), hosts: .any,
      routes: [
        "/page": .answer { _ in HTTPResponse(text: "page\n") }, "/events": stream.route.adding([("X-Policy", "p")]),
      ])
    channel = EmbeddedChannel(handler: network, loop: loop)
    channel.allowRemoteHalfClosure = true
    let connection = try #require(connections.add(channel))
    try channel.pipeline.syncOperations.addHandlers([
      ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)), HTTPResponseEncoder(), connection,
    ])
    _ = channel.connect(to: try SocketAddress(unixDomainSocketPath: "/client"))
    loop.run()
  }

  private func send(_ text: String) throws {
    try channel.writeInbound(ByteBuffer(string: text))
    loop.run()
  }

  private func received() throws -> String { try channel.readText() }

  /// Whether it says nothing or goes on saying something.
  @Test(arguments: ["", "X"]) func aClientHasTenSecondsForItsRequest(words: String) throws {
    if !words.isEmpty { try send("GET /page HTTP/1.1\r\nX: ") }
    for _ in 0..<5 {
      loop.advanceTime(by: .seconds(1))
      if !words.isEmpty { try send(words) }
    }
    loop.advanceTime(by: .milliseconds(4999))
    #expect(channel.isActive)
    loop.advanceTime(by: .milliseconds(1))
    #expect(!channel.isActive)
  }

  @Test func aClientHasTenSecondsForItsAnswerWhenItHasAskedLate() throws {
    loop.advanceTime(by: .seconds(9))
    network.isHeldUp = true
    try send("GET /page HTTP/1.1\r\n\r\n")
    loop.advanceTime(by: .milliseconds(19_999))
    #expect(channel.isActive, "something waits the first time; after as long again nothing of it was taken")
    loop.advanceTime(by: .milliseconds(1))
    #expect(!channel.isActive)
  }

  @Test func aStreamHasNoEnd() throws {
    try send("GET /events HTTP/1.1\r\n\r\n")
    loop.advanceTime(by: .seconds(3600))
    #expect(channel.isActive)
    let answer = try received()
    for field in ["X-Policy: p", "X-Content-Type-Options: nosniff", "X-Accel-Buffering: no", "Connection: close"] {
      #expect(answer.contains("\r\n\(field)\r\n"), "\(field)")
    }
    #expect(answer.ranges(of: "event: alive\n").count == 240)
    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    #expect(!channel.isActive, "a client that has ended its side has left")
  }

  @Test func whatFollowsARequestIsIgnored() throws {
    try send("GET /events HTTP/1.1\r\n\r\n")
    channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
    channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNRESET, reason: "read"))
    #expect(channel.isActive)
    #expect(try !received().contains("HTTP/1.1 400 "))
  }
}
