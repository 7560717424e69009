import COpenSSL

/// The reason why a broker's or a server's certificate is not accepted.
enum CertificateFault: Equatable {
  case expired
  case notYetValid
  /// It was issued for other names.
  case wrongName
  /// No known authority vouches for it.
  case unknownAuthority
  /// The certificate of its authority has expired.
  case expiredAuthority
  /// OpenSSL's number of another reason.
  case other(Int32)

  /// Reads OpenSSL's number of a fault.
  ///
  /// - Parameter isOfAuthority: Whether the fault is in an authority's certificate.
  init(_ error: Int32, isOfAuthority: Bool = false) {
    switch error {
    case X509_V_ERR_CERT_HAS_EXPIRED: self = isOfAuthority ? .expiredAuthority : .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .wrongName
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
      X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      self = .unknownAuthority
    default: self = .other(error)
    }
  }

  /// The fault in words.
  ///
  /// - Parameters:
  ///   - peer: "broker" or "server".
  ///   - host: The name or the address that the certificate has to be for.
  func words(of peer: String, _ host: String) -> String {
    let reason =
      switch self {
      case .expired: "it has expired"
      case .notYetValid: "it is not valid yet"
      case .wrongName: "it is not for '\(host)'"
      case .unknownAuthority: "its authority is unknown here"
      case .expiredAuthority: "the certificate of its authority has expired"
      case .other(let error): X509_verify_cert_error_string(Int(error)).map { String(cString: $0) } ?? "error \(error)"
      }
    return "the \(peer)'s certificate is not accepted: \(reason)"
  }
}
