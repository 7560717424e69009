import Foundation
import Glibc
import Synchronization

/// A client of a socket, with a time limit on everything. It keeps no thread of the pool waiting: there are two.
package final class Client {
  package let descriptor: Int32
  private var received: [UInt8] = []

  /// Connects to a unix socket, with a descriptor of the caller's if there is one.
  package static func unix(_ path: String, descriptor: Int32? = nil) throws -> Client {
    try Client(descriptor ?? newSocket(AF_UNIX)) { client in withUnixAddress(path) { connect(client, $0, $1) } }
  }

  /// Connects to a port of 127.0.0.1, or of ::1.
  package static func tcp(_ port: Int, isIPv6: Bool = false) throws -> Client {
    if isIPv6 {
      return try Client(newSocket(AF_INET6)) { client in withLoopback6(UInt16(port)) { connect(client, $0, $1) } }
    }
    return try Client(newSocket(AF_INET)) { client in withLoopback(UInt16(port)) { connect(client, $0, $1) } }
  }

  private static func newSocket(_ domain: Int32) -> Int32 {
    socket(domain, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  private init(_ descriptor: Int32, _ connect: (Int32) -> Int32) throws {
    self.descriptor = descriptor
    guard connect(descriptor) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }

  /// Sends a text, as much as the socket takes; returns how many bytes that was, -1 for an error.
  @discardableResult
  package func send(_ text: String) -> Int {
    Array(text.utf8).withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The next line without its end; `nil` at the end or after a minute.
  package func line() async -> String? {
    while true {
      if let line = takeLine() { return line }
      guard await readMore() else { return nil }
    }
  }

  /// The next line without its end, if it is here already.
  package func arrivedLine() -> String? {
    if let line = takeLine() { return line }
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
    received += chunk[..<max(0, count)]
    return takeLine()
  }

  private func takeLine() -> String? {
    guard let end = received.firstIndex(of: 10) else { return nil }
    defer { received.removeFirst(end + 1) }
    return String(decoding: received[..<end], as: UTF8.self)
  }

  package func rest() async -> String {
    while await readMore() {}
    defer { received = [] }
    return String(decoding: received, as: UTF8.self)
  }

  private func readMore() async -> Bool {
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    var count = 0
    _ = await eventually {
      count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
      return count >= 0 || errno != EAGAIN
    }
    guard count > 0 else { return false }
    received += chunk[..<count]
    return true
  }
}
