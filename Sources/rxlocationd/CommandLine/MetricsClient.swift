import Glibc
import Platform
import SystemPackage

/// Gets the metrics of a daemon, with one connection for each request.
struct MetricsClient: Sendable {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  let server: Endpoint
  /// Seconds from the lookup of the server's name to the end of the answer.
  var patience = 5.0
  /// The longest answer in bytes.
  var limit = 1 << 20

  /// The text, which a thread of its own waits for.
  func text() async throws(Failure) -> String {
    let answer: Result<String, Failure>
    do throws(BlockingWorkFailure) {
      answer = try await Thread.result(within: patience) { self.answer() }
    } catch {
      throw failure(error == .timedOut ? "no answer within \(secondsText(patience))" : "\(error)")
    }
    return try answer.get()
  }

  private func answer() -> Result<String, Failure> {
    let deadline = monotonicSeconds() + patience
    do {
      var connector = Connector(to: server, within: patience, wakeup: try Wakeup())
      let socket = FileDescriptor(rawValue: try connector.connect())
      return try socket.closeAfter {
        // The server closes the connection after its answer, and does not write it in pieces.
        try socket.writeAll("GET /metrics HTTP/1.0\r\nHost: \(server)\r\n\r\n".utf8)
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 16 << 10)
        while monotonicSeconds() < deadline {
          var entry = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
          guard poll(&entry, 1, 100) > 0 else { continue }
          let count = try block.withUnsafeMutableBytes { try socket.read(into: $0) }
          guard count > 0 else { return document(bytes) }
          bytes += block.prefix(count)
          guard bytes.count <= limit else { return .failure(failure("it answers more than \(limit) bytes")) }
        }
        return .failure(failure("no answer within \(secondsText(patience))"))
      }
    } catch {
      return .failure(failure((error as? ConnectFailure)?.reason ?? "\(error)"))
    }
  }

  private func document(_ bytes: [UInt8]) -> Result<String, Failure> {
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n\r\n", maxSplits: 1)
    let words = parts.first?.prefix { $0 != "\r\n" }.split(separator: " ") ?? []
    guard words.count > 1, words[0].hasPrefix("HTTP/1.") else { return .failure(failure("this is not an HTTP server")) }
    guard words[1] == "200" else { return .failure(failure("it answers \(words[1]) for /metrics")) }
    return parts.count > 1 ? .success(String(parts[1])) : .failure(failure("its answer ends too early"))
  }

  private func failure(_ problem: String) -> Failure { Failure(description: "\(server): \(problem)") }
}
