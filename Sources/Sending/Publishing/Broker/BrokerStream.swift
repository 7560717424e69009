import COpenSSL
import Glibc
import Platform
import SystemPackage

/// The bytes of a connection to a broker, encrypted or not. It never waits. Not thread-safe.
final class BrokerStream {
  /// The events of `poll` for which a read and a write have to wait. With TLS either may need the other direction.
  private(set) var (readEvents, writeEvents) = (Int32(POLLIN), Int32(POLLOUT))
  /// The connection's, which this object closes.
  let socket: Int32
  private let tls: BrokerTLS?
  /// OpenSSL's state of the connection; `nil` without TLS.
  private let session: OpaquePointer?

  /// Takes a connected socket that does not block.
  init(_ socket: Int32, _ tls: BrokerTLS?) throws(BrokerFailure) {
    (self.socket, self.tls) = (socket, tls)
    session = tls?.session(over: socket)
    if tls != nil && session == nil { throw .system("no memory for TLS") }
  }

  deinit {
    SSL_free(session)
    close(socket)
  }

  /// Reads what has come, at most `buffer.count` bytes; `nil` if nothing has.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(BrokerFailure) -> Int? {
    let count: Int
    if let session {
      ERR_clear_error()
      count = Int(SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count)))
    } else {
      count = Glibc.recv(socket, buffer.baseAddress, buffer.count, 0)
      if count == 0 { throw .closed }
    }
    readEvents = count > 0 ? POLLIN : try events(after: count) ?? POLLIN
    return count > 0 ? count : nil
  }

  /// Writes as much as the system takes, and returns how many bytes that are.
  func write(_ bytes: [UInt8]) throws(BrokerFailure) -> Int {
    let count: Int
    if let session {
      ERR_clear_error()
      count = Int(SSL_write(session, bytes, Int32(clamping: bytes.count)))
    } else {
      count = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
    writeEvents = count > 0 ? POLLOUT : try events(after: count) ?? POLLOUT
    return max(0, count)
  }

  /// The events for which OpenSSL waits after a call that moved no bytes, `nil` without TLS. Throws if there is another
  /// reason.
  private func events(after result: Int) throws(BrokerFailure) -> Int32? {
    let error = Errno(rawValue: errno)
    guard let session else {
      if ![.wouldBlock, .interrupted].contains(error) { throw Self.failure(error) }
      return nil
    }
    switch SSL_get_error(session, Int32(result)) {
    case SSL_ERROR_WANT_READ: return POLLIN
    case SSL_ERROR_WANT_WRITE: return POLLOUT
    case SSL_ERROR_ZERO_RETURN: throw .closed
    case SSL_ERROR_SSL:
      if let failure = tls?.failure { throw failure }
      let text = ERR_reason_error_string(ERR_peek_error()).map { String(cString: $0) } ?? "unknown error"
      ERR_clear_error()
      let hasBegun = SSL_is_init_finished(session) == 1
      if hasBegun && TLSError.isUnexpectedEnd(text) { throw .closed }
      throw hasBegun ? .lost(text) : .tls(TLSError.words(text))
    default:
      // OpenSSL has no text for a connection that was reset.
      throw SSL_is_init_finished(session) == 1 ? Self.failure(error) : .tls(TLSError.withoutTLS)
    }
  }

  /// The failures of a connection that the other side has ended.
  static let ends = [BrokerFailure.closed] + [.connectionReset, .brokenPipe, .connectionAbort].map(failure)

  private static func failure(_ error: Errno) -> BrokerFailure { .lost(error.description) }
}

enum TLSError {
  static let withoutTLS = "the peer does not speak TLS, or closes at once"

  static func words(_ text: String) -> String {
    let signs = ["unexpected eof", "wrong version number", "packet length too long", "http request"]
    return signs.contains { text.contains($0) } ? "\(withoutTLS): \(text)" : text
  }

  /// Whether the other side closed the connection without a reason.
  static func isUnexpectedEnd(_ text: String) -> Bool { text.contains("unexpected eof") }
}
