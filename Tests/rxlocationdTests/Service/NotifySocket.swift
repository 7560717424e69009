import Foundation
import Testing

/// A datagram socket at a path, as systemd listens on it.
final class NotifySocket {
  let path: String
  private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)

  /// An address that begins with `@` is an abstract one, which has no file.
  init(path: String = NSTemporaryDirectory() + "notify-\(UUID().uuidString.prefix(8))") {
    self.path = path
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: path.utf8.map { $0 == UInt8(ascii: "@") ? 0 : $0 })
    }
    let length = MemoryLayout<sa_family_t>.size + path.utf8.count
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
    }
    #expect(result == 0)
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// A message that has been sent; datagrams of this host are there when `sendto` returns.
  func receive() -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
  }
}
