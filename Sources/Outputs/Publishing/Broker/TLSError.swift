/// OpenSSL's errors as libmosquitto logs them.
enum TLSError {
  /// The last part of a message such as "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed".
  static func words(_ log: String?) -> String? {
    guard let log else { return nil }
    guard let last = log.split(separator: ":").last else { return log }
    let text = last.drop { $0 == " " }
    if isOfOneWithoutTLS(log) { return "\(withoutTLS): \(text)" }
    return String(text)
  }

  static let withoutTLS = "what answers there does not speak TLS, or closes at once"

  /// Whether the other side closed the connection without a reason.
  static func isUnexpectedEnd(_ text: String) -> Bool { text.contains("unexpected eof") }

  /// Whether the other side appears not to use TLS.
  static func isOfOneWithoutTLS(_ text: String) -> Bool {
    [withoutTLS, "unexpected eof", "wrong version number", "packet length too long", "http request"]
      .contains { text.contains($0) }
  }
}
