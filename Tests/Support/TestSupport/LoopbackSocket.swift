import Glibc
import Synchronization

/// A blocking TCP socket on loopback, for tests. Closed when released.
package final class LoopbackSocket: @unchecked Sendable {
  // Sendable: the descriptor never changes, and the kernel serialises what is done with it.

  package let descriptor: Int32

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { Glibc.close(descriptor) }

  /// A listener on `port` of 127.0.0.1; 0 lets the system choose.
  package static func listener(port: UInt16 = 0, backlog: Int32 = 16) throws -> LoopbackSocket {
    let socket = try make()
    var yes: Int32 = 1
    setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    try check(withLoopback(port) { bind(socket.descriptor, $0, $1) }, "bind")
    try check(listen(socket.descriptor, backlog), "listen")
    return socket
  }

  /// The descriptor of a Unix socket at `path`, which the caller closes.
  package static func unix(_ path: String, type: __socket_type = SOCK_STREAM, listens: Bool = true) throws -> Int32 {
    let descriptor = unixSocket(path, type: type, bind)
    if listens { try check(listen(descriptor, 16), "listen") }
    return descriptor
  }

  private static let handedOut = Mutex<Set<UInt16>>([])

  /// A port of 127.0.0.1 on which nobody listens, and which no other test of this run was given.
  ///
  /// The system gives ports above 32767 to whoever connects and asks for any, so that one of them may be taken before a test
  /// listens on it. These are below, and each is given once: a test that waits for a broker to come, and one that starts one,
  /// would meet there.
  package static func unusedPort() -> UInt16 {
    while true {
      let port = UInt16.random(in: 10_000..<32_768)
      guard handedOut.withLock({ $0.insert(port).inserted }) else { continue }
      if (try? listener(port: port)) != nil { return port }
    }
  }

  /// A client connected to `port` of 127.0.0.1; throws at once when nobody listens.
  package static func client(port: UInt16) throws -> LoopbackSocket {
    let socket = try make()
    try check(withLoopback(port) { connect(socket.descriptor, $0, $1) }, "connect")
    return socket
  }

  /// A client that has begun to connect to `port` of 127.0.0.1 and does not wait for the answer.
  package static func startedClient(port: UInt16) throws -> LoopbackSocket {
    let socket = try make()
    _ = fcntl(socket.descriptor, F_SETFL, O_NONBLOCK)
    let result = withLoopback(port) { connect(socket.descriptor, $0, $1) }
    if errno != EINPROGRESS { try check(result, "connect") }
    return socket
  }

  package var port: UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  package func accept(within seconds: Double = 60) throws -> LoopbackSocket {
    guard isReadable(within: seconds) else { throw SupportError("no client connected within \(seconds) s") }
    let accepted = Glibc.accept(descriptor, nil, nil)
    try Self.check(accepted, "accept")
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    return LoopbackSocket(descriptor: accepted)
  }

  /// Whether there is something to read or accept, within `seconds`.
  package func isReadable(within seconds: Double) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, Int32(seconds * 1000)) > 0
  }

  package var isWritable: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Sends everything; false when the other end is gone or takes nothing for a minute.
  @discardableResult
  package func send(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  @discardableResult
  package func send(_ text: String) -> Bool {
    send(Array(text.utf8))
  }

  /// What arrives next; empty at the end of the stream, nil when nothing does within `seconds`.
  package func receive(within seconds: Double = 60) -> [UInt8]? {
    guard isReadable(within: seconds) else { return nil }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return Array(buffer.prefix(max(0, count)))
  }

  package func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Makes closing the socket send a reset instead of an end.
  package func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  private static func make() throws -> LoopbackSocket {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = Glibc.socket(AF_INET, type, 0)
    try check(descriptor, "socket")
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    return LoopbackSocket(descriptor: descriptor)
  }

  private static func check(_ result: Int32, _ call: String) throws {
    if result < 0 { throw SupportError("\(call): errno \(errno)") }
  }
}
