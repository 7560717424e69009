import CCurl
import Platform

extension BrokerFailure {
  /// Creates a failure from a code of libcurl.
  ///
  /// - Parameters:
  ///   - text: The library's message.
  ///   - isEstablished: Whether the server has accepted a message over this connection.
  ///   - certificate: OpenSSL's code for the server's certificate; 0 or 1 if only its names do not match, because the
  ///   library compares them itself.
  ///   - host: The server's name or address.
  ///   - patience: The time limit for connecting.
  init(curl code: CURLcode, text: String, isEstablished: Bool, certificate: Int, host: String, patience: Double) {
    switch code {
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: self = .system("no memory")
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .noAddress(text)
    case CURLE_COULDNT_CONNECT, CURLE_PROXY: self = .unreachable(text)
    case CURLE_OPERATION_TIMEDOUT: self = .unreachable("no connection within \(secondsText(patience))")
    case CURLE_PEER_FAILED_VERIFICATION where certificate > 1:
      self = .tls(CertificateFault(Int32(truncatingIfNeeded: certificate)).words(of: "server", host))
    case CURLE_PEER_FAILED_VERIFICATION where text.contains("match"):
      self = .tls(CertificateFault.wrongName.words(of: "server", host))
    case CURLE_PEER_FAILED_VERIFICATION: self = .tls("the server's certificate is not accepted: \(text)")
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE:
      self = .file("the certificates cannot be used: \(text)")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
      self = .tls(TLSError.isOfOneWithoutTLS(text) ? TLSError.words(text) ?? text : text)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      self = .noMQTT("what answers there does not speak HTTP: \(text)")
    default: self = isEstablished ? .lost(text) : .noMQTT(text)
    }
  }
}
