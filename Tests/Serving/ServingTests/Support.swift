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

/// An HTTP server on a port of loopback.
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

  /// A client that has sent a request.
  func client(_ request: String) throws -> Client {
    let client = try Client.tcp(port)
    client.send(request)
    return client
  }

  /// A client that has asked for a path.
  func get(_ path: String, _ fields: String = "") throws -> Client {
    try client("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
  }

  func answer(to request: String) async throws -> String { await (try client(request)).rest() }

  func close() async {
    await server.shutdown()
    await loop.shutdown()
  }
}
