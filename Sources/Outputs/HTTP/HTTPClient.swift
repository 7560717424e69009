import NIOCore
import NIOHTTP1
import NIOPosix
public import Platform
public import Sockets

/// Gets small documents from nearby servers: one request per connection, with a limit of time and size.
public struct HTTPClient: Sendable {
  private let loop: NetworkLoop
  private let timeout: Double
  private let byteLimit: Int

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - timeout: The time limit in seconds, from the lookup of the server's name to the end of the answer.
  ///   - byteLimit: The longest document, in bytes.
  public init(on loop: NetworkLoop, timeout: Double = 5, byteLimit: Int = 1 << 20) {
    self.loop = loop
    self.timeout = timeout
    self.byteLimit = byteLimit
  }

  /// The document at a path.
  ///
  /// - Throws: `HTTPClientError` if the answer does not have status 200.
  public func get(_ path: String, from server: Endpoint) async throws(HTTPClientError) -> [UInt8] {
    let answer = loop.eventLoop.makePromise(of: [UInt8].self)
    do {
      let wakeup = try Wakeup()
      let alarm = loop.eventLoop.scheduleTask(in: .nanoseconds(Int64(timeout * 1e9))) {
        wakeup.signal()
        answer.fail(HTTPClientError("no answer within \(secondsText(timeout))"))
      }
      defer { alarm.cancel() }
      // A lookup and a connection attempt block, so they run neither on the loop nor in a task.
      try Thread.start {
        do throws(ConnectFailure) {
          var connector = Connector(to: server, within: timeout, wakeup: wakeup)
          ask(for: path, of: server, on: try connector.connect(), answer)
        } catch {
          answer.fail(HTTPClientError(error.reason))
        }
      }
      return try await answer.futureResult.get()
    } catch {
      answer.fail(error)
      throw HTTPClientError("\(server): \(error)")
    }
  }

  private func ask(
    for path: String, of server: Endpoint, on descriptor: Int32, _ answer: EventLoopPromise<[UInt8]>
  ) {
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: path, headers: ["Host": "\(server)", "Connection": "close"])
    ClientBootstrap(group: loop.eventLoop)
      .channelInitializer { channel in
        answer.futureResult.whenComplete { _ in channel.close(promise: nil) }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandler(
            HTTPAnswerHandler(to: head, byteLimit: byteLimit, answer))
        }
      }
      .withConnectedSocket(descriptor)
      .whenFailure { answer.fail(HTTPClientError("\($0)")) }
  }
}

/// Why there is no document: the server and the problem.
public struct HTTPClientError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One sentence.
  public var description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Requests one document and collects the answer.
private final class HTTPAnswerHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let request: HTTPRequestHead
  private let byteLimit: Int
  private let answer: EventLoopPromise<[UInt8]>
  private var body: [UInt8] = []

  init(to request: HTTPRequestHead, byteLimit: Int, _ answer: EventLoopPromise<[UInt8]>) {
    (self.request, self.byteLimit, self.answer) = (request, byteLimit, answer)
  }

  func channelActive(context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(.head(request)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      if head.status != .ok { answer.fail(HTTPClientError("it answers \(head.status.code) for \(request.uri)")) }
    case .body(let bytes):
      body += bytes.readableBytesView
      if body.count > byteLimit {
        answer.fail(HTTPClientError("it answers more than \(byteLimit) bytes for \(request.uri)"))
      }
    case .end: answer.succeed(body)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    // This has no effect after a complete answer.
    answer.fail(HTTPClientError("this is not an HTTP server"))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    answer.fail(HTTPClientError(error is HTTPParserError ? "this is not an HTTP server" : "\(error)"))
  }
}
