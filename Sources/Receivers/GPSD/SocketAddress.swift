import Glibc

/// Where a socket connects to.
struct SocketAddress: Sendable {
  private var storage = sockaddr_storage()
  private let length: socklen_t

  /// Copies an address of the resolver's.
  init?(_ info: addrinfo) {
    guard let address = info.ai_addr, Int(info.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size else { return nil }
    length = info.ai_addrlen
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
    }
  }

  /// A new non-blocking stream socket for this address; -1 and errno on failure.
  func makeSocket() -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    return socket(Int32(storage.ss_family), type, Int32(IPPROTO_TCP))
  }

  /// Starts connecting; 0, or -1 and errno.
  func connect(_ descriptor: Int32) -> Int32 {
    withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
    }
  }
}
