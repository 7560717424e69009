import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

/// A small HTTP server for pages and figures about this program: GET and HEAD of a few paths, POST of commands, one
/// request per connection, and endless event streams.
///
/// Requests are bounded in size and time, connections in number. An invalid request gets a status: 400 if it is not
/// HTTP, 403 for a command by a page of another site, 404, 405, 421 for another host, 431 for a head that is too long,
/// 503 for too many connections, streams or computed answers, 505 for a version other than HTTP/1. Every answer is marked
/// `nosniff`.
///
///     let server = HTTPServer(on: loop, routes: ["/hello": .answer { _ in HTTPResponse(text: "Hello\n") }])
///     try await server.listen(on: Endpoint(port: 8080), name: "greeter")
package final class HTTPServer: Sendable {
  package struct Limits: Sendable {
    /// The longest head of a request in bytes, including the empty line.
    package var headBytes = 8 << 10
    /// The greatest number of connections, without event streams. A further one replaces the oldest that has sent no
    /// request or has its whole answer. Without such a connection it gets status 503.
    package var connections = 64
    package var works = 16
    /// The greatest number of answers that are computed at the same time, the shortest first.
    package var runningWorks = 2
    package var streams = 1000
    /// The time limit for a request, and for a client that reads nothing of an answer other than an event stream.
    package var timeout = Duration.seconds(10)

    package init() {}
  }

  private let loop: NetworkLoop
  private let listeners: Listeners
  private let connections: NIOLoopBoundBox<HTTPConnections>

  /// - Parameters:
  ///   - routes: The routes by path. A path that ends in a slash, other than `/` itself, stands for everything below
  ///     it.
  package init(
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
        // The system's default grows to megabytes, which would hide for too long that a client reads nothing.
        .childChannelOption(.socketOption(.so_sndbuf), value: 64 << 10)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            // A connection is closed if its initializer fails.
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

  /// Starts to serve. If an address does not exist yet, the server waits for it and reports that to `onEvent`.
  ///
  /// - Throws: A permanent error, such as a port that is in use.
  package func listen(on address: Endpoint, name: String) async throws(ListenError) {
    try await listeners.listen(on: .tcp(address), name: name)
  }

  package var ports: [Int] { listeners.ports }

  package func shutdown() async {
    await listeners.close()
    try? await loop.eventLoop.flatSubmit { [connections, loop] in connections.value.closeAll(on: loop.eventLoop) }.get()
  }

  private struct TooManyConnections: Error {}
}

package enum HTTPRoute: Sendable {
  /// An answer that is available at once, on the loop's thread.
  case answer(@Sendable (HTTPRequest) -> HTTPResponse)
  /// A command in the query of a POST, which is carried out at once on the loop's thread. Pages of other sites cannot give
  /// it. The body is ignored.
  case command(@Sendable (HTTPRequest) -> HTTPResponse)
  /// An answer that may block, such as one from a disk, on a thread of a pool.
  case blocking(@Sendable (HTTPRequest) -> HTTPResponse)
  /// An answer that may take seconds, on a thread of its own. `body` regularly calls the request's `goesOn()`. The
  /// answers with the least weight are computed first, and those whose clients have left are abandoned.
  case computed(weight: @Sendable (HTTPRequest) -> Double, _ body: @Sendable (HTTPRequest) -> HTTPResponse)
  /// Server-Sent Events, of an `EventStream`.
  case events(HTTPEvents)

  /// The same route, whose answers also have these fields.
  package func adding(_ fields: [(String, String)]) -> HTTPRoute {
    func added(to body: @escaping @Sendable (HTTPRequest) -> HTTPResponse) -> @Sendable (HTTPRequest) -> HTTPResponse {
      { request in
        var response = body(request)
        response.fields += fields
        return response
      }
    }
    switch self {
    case .answer(let body): return .answer(added(to: body))
    case .command(let body): return .command(added(to: body))
    case .blocking(let body): return .blocking(added(to: body))
    case .computed(let weight, let body): return .computed(weight: weight, added(to: body))
    case .events(var events):
      events.fields += fields
      return .events(events)
    }
  }
}
