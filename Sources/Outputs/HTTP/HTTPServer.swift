import NIOCore
import NIOHTTP1
import NIOPosix
import Sockets

/// A small HTTP server for pages and figures about this program: GET and HEAD of a few paths, one request a connection.
///
/// Requests are bounded in size and time, connections in number. What is wrong gets a status: 400 for what is no HTTP,
/// 404, 405, 431 for a head that is too long, 505 for another version than HTTP/1.
///
///     let server = HTTPServer(on: loop, routes: ["/hello": { _ in HTTPResponse(text: "Hello\n") }])
///     try await server.listen(on: TCPAddress(port: 8080), name: "greeter")
public final class HTTPServer: Sendable {
  /// What a client may use up.
  public struct Limits: Sendable {
    /// The longest head of a request, in bytes, empty line included.
    public var headBytes = 8 << 10
    /// The most connections at once. Further ones are closed at once.
    public var connections = 64
    /// How long a client may take for its request, and for taking anything of the answer.
    public var timeout = Duration.seconds(10)

    /// Creates the usual limits.
    public init() {}
  }

  /// Answers a request, on the loop's thread.
  public typealias Route = @Sendable (HTTPRequest) -> HTTPResponse

  private let loop: NetworkLoop
  private let listeners: Listeners
  private let connections: NIOLoopBoundBox<[ObjectIdentifier: any Channel]>

  /// Creates a server that listens nowhere yet.
  ///
  /// - Parameters:
  ///   - routes: What to answer, by path.
  ///   - onEvent: What happens to a listening socket.
  public init(
    on loop: NetworkLoop, limits: Limits = Limits(), routes: [String: Route],
    onEvent: @escaping Listeners.EventHandler = { _, _ in }
  ) {
    self.loop = loop
    let connections = NIOLoopBoundBox<[ObjectIdentifier: any Channel]>.makeBoxSendingValue(
      [:], eventLoop: loop.eventLoop)
    self.connections = connections
    listeners = Listeners(on: loop, onEvent: onEvent) { bootstrap, _ in
      bootstrap
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
        // The system's own grows to megabytes: a slow client would take nothing that can be seen for too long.
        .childChannelOption(.socketOption(.so_sndbuf), value: 64 << 10)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let key = ObjectIdentifier(channel)
            // An initializer that fails closes its connection.
            guard connections.value.count < limits.connections else { throw TooManyConnections() }
            connections.value[key] = channel
            channel.closeFuture.assumeIsolated().whenComplete { _ in connections.value[key] = nil }
            try channel.pipeline.syncOperations.addHandlers([
              HTTPHeadLimit(bytes: limits.headBytes),
              ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
              HTTPResponseEncoder(),
              HTTPConnection(routes: routes, timeout: TimeAmount(limits.timeout)),
            ])
          }
        }
    }
  }

  /// Starts to serve. An address that is not there yet is waited for; `onEvent` hears of it.
  ///
  /// - Parameter name: What events call this socket.
  /// - Throws: What time will not change, such as a port that is in use.
  public func listen(on address: TCPAddress, name: String) async throws(ListenError) {
    try await listeners.listen(on: address, name: name)
  }

  /// The TCP ports that are listened on.
  public var ports: [Int] { listeners.ports }

  /// Stops listening and closes the connections.
  public func shutdown() async {
    await listeners.close()
    try? await loop.eventLoop.submit { [connections] in
      for channel in connections.value.values { channel.close(promise: nil) }
    }.get()
  }

  private struct TooManyConnections: Error {}
}

/// What a client asks for.
public struct HTTPRequest: Sendable {
  /// The path, as it was sent: `/metrics`.
  public var path: String
  /// What follows the first question mark.
  public var query: String?
  private let headers: HTTPHeaders

  init(_ head: HTTPRequestHead) {
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    path = parts.first ?? ""
    query = parts.count > 1 ? parts[1] : nil
    headers = head.headers
  }

  /// The first field of that name, in any case.
  public subscript(field name: String) -> String? { headers.first(name: name) }
}

/// An answer.
public struct HTTPResponse: Sendable {
  /// The status: 200 and so on.
  public var status: Int
  /// The fields besides Content-Length and Connection.
  public var fields: [(name: String, value: String)]
  /// The body. It is left out for HEAD, not its length.
  public var body: [UInt8]

  /// Creates an answer.
  public init(status: Int = 200, contentType: String, body: [UInt8]) {
    self.status = status
    fields = [("Content-Type", contentType)]
    self.body = body
  }

  /// Creates an answer of text in UTF-8.
  public init(status: Int = 200, contentType: String = "text/plain; charset=utf-8", text: String) {
    self.init(status: status, contentType: contentType, body: Array(text.utf8))
  }
}
