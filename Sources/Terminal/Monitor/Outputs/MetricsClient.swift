import Glibc
import Platform
import Rx
import SystemPackage

/// Reads the metrics of a running daemon, by a plain HTTP GET on a thread of its own.
struct MetricsClient: Sendable {
  /// Why there are none, in words.
  struct Failure: Error, Equatable {
    var message: String
  }

  let host: String
  let port: UInt16
  private static let patience = 5.0
  private static let limit = 1 << 20

  /// The text of one page, for each subscription.
  func page() -> Single<String> {
    Single.create { [self] observer in
      do {
        let wakeup = try Wakeup()
        try Thread.start {
          do throws(Failure) {
            observer(.success(try read(wakeup)))
          } catch {
            observer(.failure(error))
          }
        }
        return Disposables.create { wakeup.signal() }
      } catch {
        observer(.failure(Failure(message: "no thread or pipe is left: \(error)")))
        return Disposables.create()
      }
    }
  }

  private func read(_ wakeup: Wakeup) throws(Failure) -> String {
    let deadline = monotonicSeconds() + Self.patience
    var resolver = Resolver(host: host, port: port)
    let addresses: [ResolvedAddress]
    do throws(LookupFailure) {
      addresses = try resolver.addresses(within: Self.patience, wakeup: wakeup)
    } catch {
      throw Failure(message: "\(host): no address (\(error))")
    }
    var failure = Failure(message: "no address")
    for address in addresses {
      do throws(Failure) {
        return try read(address, wakeup, until: deadline)
      } catch {
        failure = error
      }
    }
    throw Failure(message: "\(host):\(port): \(failure.message)")
  }

  private func read(_ address: ResolvedAddress, _ wakeup: Wakeup, until deadline: Double) throws(Failure) -> String {
    let descriptor = address.makeSocket()
    guard descriptor >= 0 else { throw Failure(message: Errno(rawValue: errno).description) }
    defer { close(descriptor) }
    func wait(_ events: Int32) throws(Failure) {
      switch wakeup.wait(for: descriptor, events: events, seconds: deadline - monotonicSeconds()) {
      case .ready: return
      case .signalled: throw Failure(message: "stopped")
      case .timedOut: throw Failure(message: "no answer within \(secondsText(Self.patience))")
      }
    }
    if address.connect(descriptor) != 0 {
      guard errno == EINPROGRESS else { throw Failure(message: Errno(rawValue: errno).description) }
      try wait(POLLOUT)
      var (error, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
      guard error == 0 else { throw Failure(message: Errno(rawValue: error).description) }
    }
    // Short enough for any socket's buffer.
    let request = "GET /metrics HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n\r\n"
    guard send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count else {
      throw Failure(message: Errno(rawValue: errno).description)
    }
    var answer: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while answer.count < Self.limit {
      let count = recv(descriptor, &block, block.count, 0)
      if count > 0 {
        answer += block.prefix(count)
      } else if count == 0 {
        break
      } else if errno == EAGAIN || errno == EINTR {
        try wait(POLLIN)
      } else {
        throw Failure(message: Errno(rawValue: errno).description)
      }
    }
    return try Self.body(of: String(decoding: answer, as: UTF8.self))
  }

  /// What follows the head, which says 200.
  static func body(of answer: String) throws(Failure) -> String {
    let lines = answer.split(separator: "\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let words = lines[0].split(separator: " ")
    guard words.count >= 2, words[0].hasPrefix("HTTP/1.") else { throw Failure(message: "this is no HTTP server") }
    guard words[1] == "200", let end = answer.firstRange(of: "\r\n\r\n") else {
      throw Failure(message: "it answers \(words[1]) for /metrics")
    }
    return String(answer[end.upperBound...])
  }
}
