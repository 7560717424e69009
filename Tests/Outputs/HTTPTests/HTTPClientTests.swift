import Glibc
import Platform
import Sockets
import TestSupport
import Testing

@testable import HTTP

@Suite struct HTTPClientTests {
  /// What the client makes of an answer, after which the server closes the connection; an answer that is `nil` never comes.
  private func result(
    of answer: String?, timeout: Double = 20, byteLimit: Int = 1 << 20
  ) async throws -> (document: String, request: String) {
    let server = try LoopbackSocket.listener()
    let loop = NetworkLoop()
    let client = HTTPClient(on: loop, timeout: timeout, byteLimit: byteLimit)
    let endpoint = Endpoint(host: "127.0.0.1", port: server.port)
    let document = Task { try await client.get("/metrics", from: endpoint) }
    #expect(await eventually { server.isReadable(within: 0) })
    var connection = Optional(try server.accept())
    #expect(await eventually { connection?.isReadable(within: 0) == true })
    let request = String(decoding: connection?.receive() ?? [], as: UTF8.self)
    if let answer {
      connection?.send(answer.utf8)
      connection = nil
    }
    let text: String
    do {
      text = String(decoding: try await document.value, as: UTF8.self)
    } catch {
      text = "\(error)".replacing("\(endpoint)", with: "SERVER")
    }
    await loop.shutdown()
    return (text, request.replacing("\(endpoint)", with: "SERVER"))
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\nmore", "body\r\n\r\nmore"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokay", "ok"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", "abc"),
    ("HTTP/1.1 404 Not Found\r\n\r\n", "SERVER: it answers 404 for /metrics"),
    ("HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nok", "SERVER: it answers 302 for /metrics"),
    ("", "SERVER: this is not an HTTP server"), ("SSH-2.0\r\n", "SERVER: this is not an HTTP server"),
    ("HTTP/1.1 200 OK\r\n", "SERVER: this is not an HTTP server"), ("HTTP/1.1", "SERVER: this is not an HTTP server"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nokay", "SERVER: this is not an HTTP server"),
  ])
  func onlyAWholeDocumentIsTakenForOne(answer: String, text: String) async throws {
    let result = try await result(of: answer)
    #expect(result.document == text)
    #expect(result.request == "GET /metrics HTTP/1.1\r\nHost: SERVER\r\nConnection: close\r\n\r\n")
  }

  @Test func aDocumentHasALimitOfSizeAndTime() async throws {
    let long = "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 11)
    #expect(try await result(of: long, byteLimit: 11).document.count == 11)
    #expect(try await result(of: long, byteLimit: 10).document == "SERVER: it answers more than 10 bytes for /metrics")
    #expect(try await result(of: nil, timeout: 0.5).document == "SERVER: no answer within 0.5 s")
  }

  @Test(arguments: ["200 OK\r\nContent-Length: 2\r\n\r\nok", "404 Not Found\r\nContent-Length: 0\r\n\r\n"])
  func theConnectionEndsWithTheAnswerWhateverTheServerDoes(answer: String) async throws {
    let server = try LoopbackSocket.listener()
    let loop = NetworkLoop()
    let client = HTTPClient(on: loop, timeout: 600)
    let document = Task { try? await client.get("/", from: Endpoint(host: "127.0.0.1", port: server.port)) }
    #expect(await eventually { server.isReadable(within: 0) })
    let connection = try server.accept()
    #expect(await eventually { connection.isReadable(within: 0) })
    _ = connection.receive()
    connection.send("HTTP/1.1 \(answer)")
    _ = await document.value
    #expect(await eventually { connection.isReadable(within: 0) })
    #expect(connection.receive() == [])
    await loop.shutdown()
  }

  @Test func ourServerIsUnderstood() async throws {
    let loop = NetworkLoop()
    let document = String(repeating: "metric 1\n", count: 50_000)
    let server = HTTPServer(on: loop, routes: ["/metrics": .answer { _ in HTTPResponse(text: document) }])
    try await server.listen(on: Endpoint(port: 0), name: "test")
    let endpoint = Endpoint(host: "localhost", port: UInt16(try #require(server.ports.first)))
    #expect(try await HTTPClient(on: loop).get("/metrics", from: endpoint) == Array(document.utf8))
    await server.shutdown()
    await loop.shutdown()
  }

  @Test func whereNobodyListensThereIsNoDocument() async throws {
    let loop = NetworkLoop()
    let client = HTTPClient(on: loop)
    await #expect(throws: HTTPClientError("127.0.0.1:9: Connection refused")) {
      try await client.get("/", from: Endpoint(host: "127.0.0.1", port: 9))
    }
    let failure = await #expect(throws: HTTPClientError.self) {
      try await client.get("/", from: Endpoint(host: "no-such-host.invalid", port: 80))
    }
    #expect(failure?.description.hasPrefix("no-such-host.invalid:80: cannot look up") == true)
    await loop.shutdown()
  }
}
