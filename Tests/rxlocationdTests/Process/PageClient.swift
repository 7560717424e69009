import Foundation
import TestSupport

/// Asks the program's HTTP server at a port of loopback, as a browser does.
struct PageClient {
  let port: UInt16

  func ask(
    _ path: String, method: String = "GET", host: String = "localhost", fields: String = ""
  ) async throws -> String {
    let client = try Client.tcp(Int(port))
    client.send("\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n")
    return await client.rest()
  }

  func get(_ path: String) async throws -> String {
    try await ask(path).components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
  }

  func object(_ path: String = "/state.json") async throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(try await get(path).utf8)) as? [String: Any] ?? [:]
  }

  func post(_ path: String, _ fields: String = "") async throws -> (status: Int, body: String) {
    let answer = try await ask(
      path, method: "POST", host: "localhost:\(port)", fields: fields + "Content-Length: 0\r\n")
    return (Int(answer.dropFirst(9).prefix(3)) ?? 0, answer.components(separatedBy: "\r\n\r\n").last ?? "")
  }
}
