import Glibc
import SystemPackage

package struct ResolvedAddress: Sendable {
  private var storage = sockaddr_storage()
  private let length: socklen_t

  /// Returns the addresses of a host, the preferred one first. It blocks, because a name server may be slow, unless the
  /// host must be a numeric address.
  package static func all(of endpoint: Endpoint, isNumeric: Bool = false) throws(ConnectFailure) -> [ResolvedAddress] {
    var hints = addrinfo()
    hints.ai_flags = (isNumeric ? AI_NUMERICHOST : 0) | AI_NUMERICSERV
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list)
    let systemError = errno
    defer { if let list { freeaddrinfo(list) } }
    guard status == 0 else {
      let message =
        status == EAI_SYSTEM ? Errno(rawValue: systemError).description : String(cString: gai_strerror(status))
      throw .noAddress("cannot look up '\(endpoint.host)': \(message)")
    }
    var addresses: [ResolvedAddress] = []
    var entry = list
    while let info = entry?.pointee {
      if let address = ResolvedAddress(info) { addresses.append(address) }
      entry = info.ai_next
    }
    return addresses
  }

  private init?(_ info: addrinfo) {
    guard let address = info.ai_addr, Int(info.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size else { return nil }
    length = info.ai_addrlen
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
    }
  }

  package var family: Int32 { Int32(storage.ss_family) }

  package func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// The numeric address without the port, such as "127.0.0.1" or "::1".
  package var numericHost: String? {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let status = withSocketAddress { getnameinfo($0, $1, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) }
    guard status == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
