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
      // The other side closed the connection without a reason.
      if hasBegun && text.contains("unexpected eof") { throw .closed }
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
}

/// The rules by which OpenSSL accepts a broker's certificate: it must be valid, from a known authority, and issued for the
/// broker's name. For the thread of the connection.
final class BrokerTLS {
  private let context: OpaquePointer
  private(set) var failure: BrokerFailure?
  private let host: String
  private let isAddress: Bool

  init(_ configuration: SessionConfiguration) throws(BrokerFailure) {
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw .system("no memory for TLS") }
    self.context = context
    host = configuration.address.server.host
    let rules = SSL_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_hostflags(rules, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    isAddress = X509_VERIFY_PARAM_set1_ip_asc(rules, host) == 1
    guard isAddress || X509_VERIFY_PARAM_set1_host(rules, host, 0) == 1 else {
      throw .system("a certificate cannot be checked for '\(host)'")
    }
    guard copenssl_require_version_1_2(context) == 1 else { throw .system("OpenSSL has no TLS 1.2") }
    copenssl_set_modes(context)
    SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque())
    setCallbacks()
    try load(configuration)
  }

  deinit { SSL_CTX_free(context) }

  /// A connection that begins with a handshake; `nil` without memory. The caller frees it.
  func session(over socket: Int32) -> OpaquePointer? {
    guard let session = SSL_new(context) else { return nil }
    SSL_set_connect_state(session)
    guard SSL_set_fd(session, socket) == 1, isAddress || copenssl_set_server_name(session, host) == 1 else {
      SSL_free(session)
      return nil
    }
    return session
  }

  private func setCallbacks() {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { isAccepted, store in
      let connection = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx())
      guard let store, let tls = BrokerTLS.of(connection.map { OpaquePointer($0) }) else { return 0 }
      return isAccepted == 1 || tls.accepts(store) ? 1 : 0
    }
  }

  private static func of(_ connection: OpaquePointer?) -> BrokerTLS? {
    guard let connection, let object = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), 0) else { return nil }
    return Unmanaged<BrokerTLS>.fromOpaque(object).takeUnretainedValue()
  }

  /// Whether a certificate that OpenSSL does not accept is good enough. One without alternative names is, if its common name
  /// is the broker's address: guides for brokers at home make such certificates, and mosquitto's clients accept them.
  private func accepts(_ store: OpaquePointer) -> Bool {
    let error = X509_STORE_CTX_get_error(store)
    if error == X509_V_ERR_IP_ADDRESS_MISMATCH, let certificate = X509_STORE_CTX_get_current_cert(store),
      X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1) < 0,
      X509_check_host(certificate, host, 0, UInt32(X509_CHECK_FLAG_NO_WILDCARDS), nil) == 1
    {
      X509_STORE_CTX_set_error(store, X509_V_OK)
      return true
    }
    let isOfAuthority = X509_STORE_CTX_get_error_depth(store) > 0
    failure = .certificate(of: .broker, host, error, isOfAuthority: isOfAuthority)
    return false
  }

  private func load(_ configuration: SessionConfiguration) throws(BrokerFailure) {
    if let authorities = configuration.authorities {
      try check(SSL_CTX_load_verify_locations(context, authorities, nil), authorities)
    } else {
      try check(SSL_CTX_set_default_verify_paths(context), "the system's authorities")
    }
    if let certificate = configuration.certificate {
      try check(SSL_CTX_use_certificate_chain_file(context, certificate), certificate)
    }
    if let key = configuration.key {
      try check(SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM), key)
      try check(SSL_CTX_check_private_key(context), key)
    }
  }

  /// Throws the library's newest error unless `result` is 1.
  private func check(_ result: Int32, _ file: String) throws(BrokerFailure) {
    defer { ERR_clear_error() }
    guard result != 1 else { return }
    let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) } ?? "unknown error"
    throw .file("\(file) cannot be used: \(reason)")
  }
}

extension BrokerFailure {
  /// A certificate that is not accepted, by OpenSSL's number of the reason. `host` is the name or the address that it
  /// has to be for; `isOfAuthority` tells whether its authority's certificate is the reason.
  static func certificate(
    of peer: PublishingAddress.Peer, _ host: String, _ error: Int32, isOfAuthority: Bool = false
  ) -> BrokerFailure {
    let reason =
      switch error {
      case X509_V_ERR_CERT_HAS_EXPIRED:
        isOfAuthority ? "the certificate of its authority has expired" : "it has expired"
      case X509_V_ERR_CERT_NOT_YET_VALID: "it is not valid yet"
      case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: "it is not for '\(host)'"
      case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
        X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
        X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        "its authority is unknown here"
      default: X509_verify_cert_error_string(Int(error)).map { String(cString: $0) } ?? "error \(error)"
      }
    return .tls("the \(peer)'s certificate is not accepted: \(reason)")
  }
}
