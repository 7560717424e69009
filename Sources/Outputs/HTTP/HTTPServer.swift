import NIOCore
import NIOHTTP1
import NIOPosix
public import Platform
public import Sockets

/// A small HTTP server for pages and figures about this program: GET and HEAD of a few paths, one request a connection,
/// and event streams without an end.
///
/// Requests are bounded in size and time, connections in number. What is wrong gets a status: 400 for what is no HTTP,
/// 404, 405, 421 for a host that is not this one, 431 for a head that is too long, 503 for a connection or a stream too
/// many and for too much that is computed at once, 505 for another version than HTTP/1. Every answer is marked `nosniff`.
///
///     let server = HTTPServer(on: loop, routes: ["/hello": .answer { _ in HTTPResponse(text: "Hello\n") }])
///     try await server.listen(on: Endpoint(port: 8080), name: "greeter")
public final class HTTPServer: Sendable {
  /// What a client may use up.
  public struct Limits: Sendable {
    /// The longest head of a request, in bytes, empty line included.
    public var headBytes = 8 << 10
    /// The most connections at once, event streams apart. A further one takes the place of the oldest that has asked nothing
    /// yet or has its whole answer. When there is none, it gets status 503.
    public var connections = 64
    /// The most answers that are being computed or wait for that.
    public var works = 16
    /// The most answers that are being computed at the same time, those that take the shortest.
    public var runningWorks = 2
    /// The most event streams at once.
    public var streams = 1000
    /// How long a client may take for its request, and for taking anything of an answer that is no event stream.
    public var timeout = Duration.seconds(10)

    /// Creates the usual limits.
    public init() {}
  }

  private let loop: NetworkLoop
  private let listeners: Listeners
  private let connections: NIOLoopBoundBox<HTTPConnections>

  /// Creates a server that listens nowhere yet.
  ///
  /// - Parameters:
  ///   - hosts: The hosts that a request may be for; by default any.
  ///   - routes: What to answer, by path. A path that ends in a slash, other than `/` itself, stands for all below it.
  ///   - onEvent: What happens to a listening socket.
  public init(
    on loop: NetworkLoop, limits: Limits = Limits(), hosts: HTTPHosts = .any, routes: [String: HTTPRoute],
    onEvent: @escaping Listeners.EventHandler = { _, _ in }
  ) {
    self.loop = loop
    var limits = limits
    // Other parts of the program need descriptors as well.
    let spare = DescriptorLimit.current - DescriptorLimit.reserve
    limits.connections = min(limits.connections, max(1, spare / 4))
    limits.streams = min(limits.streams, max(1, spare - 2 * limits.connections))
    let headBytes = limits.headBytes
    let connections = NIOLoopBoundBox<HTTPConnections>.makeBoxSendingValue(
      HTTPConnections(limits: limits, hosts: hosts, routes: routes), eventLoop: loop.eventLoop)
    self.connections = connections
    listeners = Listeners(on: loop, onEvent: onEvent) { bootstrap, _ in
      bootstrap
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
        // The system's own grows to megabytes: a slow client would take nothing that can be seen for too long.
        .childChannelOption(.socketOption(.so_sndbuf), value: 64 << 10)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            // An initializer that fails closes its connection.
            guard let connection = connections.value.add(channel) else { throw TooManyConnections() }
            try channel.pipeline.syncOperations.addHandlers([
              HTTPHeadLimit(bytes: headBytes),
              ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
              HTTPResponseEncoder(),
              connection,
            ])
          }
        }
    }
  }

  /// Starts to serve. An address that is not there yet is waited for; `onEvent` hears of it.
  ///
  /// - Parameter name: What events call this socket.
  /// - Throws: What time will not change, such as a port that is in use.
  public func listen(on address: Endpoint, name: String) async throws(ListenError) {
    try await listeners.listen(on: address, name: name)
  }

  /// The TCP ports that are listened on.
  public var ports: [Int] { listeners.ports }

  /// Stops listening and closes the connections.
  public func shutdown() async {
    await listeners.close()
    try? await loop.eventLoop.flatSubmit { [connections, loop] in connections.value.closeAll(on: loop.eventLoop) }.get()
  }

  private struct TooManyConnections: Error {}
}

/// What a path answers.
public enum HTTPRoute: Sendable {
  /// An answer that is at hand, on the loop's thread.
  case answer(@Sendable (HTTPRequest) -> HTTPResponse)
  /// An answer that may have to be waited for, as one from a disk, on a thread of a pool.
  case blocking(@Sendable (HTTPRequest) -> HTTPResponse)
  /// An answer that may take seconds, on a thread of its own. `body` asks the request again and again whether it goes on. The
  /// answers of the least weight are computed first, and those of clients that have left are given up.
  case computed(weight: @Sendable (HTTPRequest) -> Double, _ body: @Sendable (HTTPRequest) -> HTTPResponse)
  /// Server-Sent Events, of an `EventStream`.
  case events(HTTPEvents)
}
