import NIOCore
import NIOEmbedded
import Platform
import Records
import TestSupport
import Testing

@testable import Serving

/// A record buffer that holds text.
func record(_ text: String) -> RecordBuffer {
  var buffer = RecordBuffer()
  var text = text
  text.withUTF8 { buffer.append(contentsOf: UnsafeRawBufferPointer($0)) }
  return buffer
}

struct TestServer {
  let loop: NetworkLoop
  let server: HTTPServer
  let port: Int

  init(
    on loop: NetworkLoop = NetworkLoop(), hosts: HTTPHosts = .any, routes: [String: HTTPRoute],
    _ configure: (inout HTTPServer.Limits) -> Void = { _ in }
  ) async throws {
    var limits = HTTPServer.Limits()
    configure(&limits)
    self.loop = loop
    server = HTTPServer(on: loop, limits: limits, hosts: hosts, routes: routes)
    try await server.listen(on: Endpoint(port: 0), name: "test")
    port = try #require(server.ports.first)
  }

  func client(_ request: String) throws -> Client {
    let client = try Client.tcp(port)
    client.send(request)
    return client
  }

  func get(_ path: String, _ fields: String = "") throws -> Client {
    try client("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
  }

  func answer(to request: String) async throws -> String { await (try client(request)).rest() }

  func close() async {
    await server.shutdown()
    await loop.shutdown()
  }
}

/// A network that takes nothing while it is held up.
final class Network: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  var isHeldUp = false
  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
  func flush(context: ChannelHandlerContext) { if !isHeldUp { context.flush() } }

  /// Takes what waits, and nothing else.
  func takeOnce() { context?.flush() }
}

extension EmbeddedChannel {
  /// What has come since the last time.
  func readText() throws -> String {
    var text = ""
    while let bytes = try readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
    return text
  }
}
