import Platform
import TestSupport
import Testing

@testable import rxlocationd

@Suite(.inTurn) struct MetricsClientTests {
  /// The text that the client makes of an answer, after which the server closes the connection; an answer that is `nil` never
  /// comes.
  private func text(of answer: String?, patience: Double = 600, limit: Int = 1 << 20) async throws -> String {
    let server = try LoopbackSocket.listener()
    let endpoint = Endpoint(host: "127.0.0.1", port: server.port)
    let text = Task { try await MetricsClient(server: endpoint, patience: patience, limit: limit).text() }
    #expect(await eventually { server.isReadable(within: 0) })
    var connection = Optional(try server.accept())
    #expect(await eventually { connection?.isReadable(within: 0) == true })
    let request = String(decoding: connection?.receive() ?? [], as: UTF8.self)
    #expect(request == "GET /metrics HTTP/1.0\r\nHost: \(endpoint)\r\n\r\n")
    if let answer {
      connection?.send(answer.utf8)
      connection = nil
    }
    do {
      return try await text.value
    } catch {
      return "\(error)".replacing("\(endpoint)", with: "SERVER")
    }
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\nmore", "body\r\n\r\nmore"),
    ("HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nokay", "okay"),
    ("HTTP/1.1 404 Not Found\r\n\r\n", "SERVER: it answers 404 for /metrics"),
    ("HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nok", "SERVER: it answers 302 for /metrics"),
    ("", "SERVER: this is not an HTTP server"), ("SSH-2.0\r\n", "SERVER: this is not an HTTP server"),
    ("HTTP/1.1 200 OK\r\n", "SERVER: its answer ends too early"), ("HTTP/1.1", "SERVER: this is not an HTTP server"),
  ])
  func onlyADocumentIsTakenForOne(answer: String, text: String) async throws {
    #expect(try await self.text(of: answer) == text)
  }

  @Test func aDocumentHasALimitOfSizeAndTime() async throws {
    let answer = "HTTP/1.1 200 OK\r\n\r\nxx"
    #expect(try await text(of: answer, limit: answer.utf8.count) == "xx")
    let limit = answer.utf8.count - 1
    #expect(try await text(of: answer, limit: limit) == "SERVER: it answers more than \(limit) bytes")
    #expect(try await text(of: nil, patience: 0.5) == "SERVER: no answer within 0.5 s")
  }

  @Test func aServerThatIsGoneIsNamed() async throws {
    let endpoint = Endpoint(host: "127.0.0.1", port: LoopbackSocket.unusedPort())
    let failure = await #expect(throws: MetricsClient.Failure.self) { try await MetricsClient(server: endpoint).text() }
    #expect(failure?.description == "\(endpoint): Connection refused")
  }
}
