import Glibc
import SystemPackage

/// Looks up host names without making its thread wait longer than it wants to: `getaddrinfo` cannot be stopped, so a name
/// that is not an address is an `Errand`.
public struct Resolver {
  private let host: String
  private let port: UInt16
  private var errand = Errand<Result<[ResolvedAddress], LookupFailure>>()

  /// Creates a resolver for one host and port.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// The host's addresses, the preferred first.
  ///
  /// - Parameters:
  ///   - seconds: How long the caller waits. A lookup that takes longer goes on, and the next call takes its result.
  ///   - wakeup: Ends the waiting when it is signalled.
  public mutating func addresses(within seconds: Double, wakeup: Wakeup) throws(LookupFailure) -> [ResolvedAddress] {
    if !errand.isPending, let numeric = try? Self.lookUp(host, port, flags: AI_NUMERICHOST) { return numeric }
    let result: Result<[ResolvedAddress], LookupFailure>
    do throws(ErrandFailure) {
      result = try errand.run(within: seconds, wakeup: wakeup) { [host, port] in
        Result { () throws(LookupFailure) in try Self.lookUp(host, port, flags: 0) }
      }
    } catch {
      switch error {
      case .stopped: throw .stopped
      case .timedOut: throw .failed("looking up '\(host)' takes longer than \(secondsText(seconds))")
      case .system(let error): throw .system("cannot look up '\(host)': \(error)")
      }
    }
    return try result.get()
  }

  private static func lookUp(
    _ host: String, _ port: UInt16, flags: Int32
  ) throws(LookupFailure) -> [ResolvedAddress] {
    var hints = addrinfo()
    hints.ai_flags = flags | AI_NUMERICSERV
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &list)
    let systemError = errno
    defer { if let list { freeaddrinfo(list) } }
    guard status == 0 else {
      let message =
        status == EAI_SYSTEM ? Errno(rawValue: systemError).description : String(cString: gai_strerror(status))
      throw .failed("cannot look up '\(host)': \(message)")
    }
    var addresses: [ResolvedAddress] = []
    var entry = list
    while let info = entry?.pointee {
      if let address = ResolvedAddress(info) { addresses.append(address) }
      entry = info.ai_next
    }
    guard !addresses.isEmpty else { throw .failed("no address for '\(host)'") }
    return addresses
  }
}

/// Where a socket connects to.
public struct ResolvedAddress: Sendable {
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

  /// The address in digits, without the port, such as "127.0.0.1" or "::1".
  public var numericHost: String? {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let status = withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getnameinfo($0, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      }
    }
    guard status == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A new non-blocking stream socket for this address; -1 and errno on failure.
  public func makeSocket() -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    return socket(Int32(storage.ss_family), type, Int32(IPPROTO_TCP))
  }

  /// Starts connecting; 0, or -1 and errno.
  public func connect(_ descriptor: Int32) -> Int32 {
    withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
    }
  }
}

/// Why a name has no addresses.
public enum LookupFailure: Error, Sendable, Equatable {
  /// The wakeup was signalled.
  case stopped
  /// The name has none, or nobody could say within the time.
  case failed(String)
  /// This process is out of threads or descriptors.
  case system(String)
}
