import Foundation
import Glibc
import Synchronization

/// A client of a socket, with a time limit on everything. It keeps no thread of the pool waiting: there are two.
public final class Client {
  /// The socket.
  public let descriptor: Int32
  private var received: [UInt8] = []

  /// Connects to a unix socket, with a descriptor of the caller's if there is one.
  public static func unix(_ path: String, descriptor: Int32? = nil) throws -> Client {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: path.utf8.prefix($0.count - 1))
    }
    return try Client(AF_UNIX, address, descriptor)
  }

  /// Connects to a port of 127.0.0.1, or of ::1.
  public static func tcp(_ port: Int, isIPv6: Bool = false) throws -> Client {
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = UInt16(port).bigEndian
      address.sin6_addr = in6addr_loopback
      return try Client(AF_INET6, address)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return try Client(AF_INET, address)
  }

  private init<Address>(_ domain: Int32, _ address: Address, _ existing: Int32? = nil) throws {
    descriptor =
      existing ?? socket(domain, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }

  /// Sends a text, as much as the socket takes; returns how many bytes that was, -1 for an error.
  @discardableResult
  public func send(_ text: String) -> Int {
    Array(text.utf8).withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Ends the sending side.
  public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The next line without its end; `nil` at the end or after a minute.
  public func line() async -> String? {
    while true {
      if let line = takeLine() { return line }
      guard await readMore() else { return nil }
    }
  }

  /// The next line without its end, if it is here already.
  public func arrivedLine() -> String? {
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

  /// Everything until the end.
  public func rest() async -> String {
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
