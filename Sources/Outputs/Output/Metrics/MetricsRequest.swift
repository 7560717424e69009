/// What a client of the metrics endpoint asks, as far as it matters: the head of an HTTP/1 request, bounded.
struct MetricsRequest: Sendable {
  /// What is to be answered.
  enum Answer: Sendable, Hashable {
    case metrics(hasBody: Bool)
    case badRequest, notFound, methodNotAllowed, headerTooLarge, versionNotSupported
  }

  /// The longest head that is read.
  static let limit = 8 << 10

  private var line: [UInt8] = []
  private var isLineComplete = false
  private var length = 0
  /// How many bytes of the empty line that ends the head were seen.
  private var lineLength = 0

  /// Takes bytes; returns the answer when the head is complete, or hopeless.
  mutating func take(_ bytes: some Sequence<UInt8>) -> Answer? {
    for byte in bytes {
      length += 1
      if length > Self.limit { return .headerTooLarge }
      if byte == UInt8(ascii: "\n") {
        if isLineComplete && lineLength == 0 { return answer }
        if !isLineComplete {
          // Empty lines before a request are ignored (RFC 9112, 2.2).
          isLineComplete = !line.isEmpty
          if isLineComplete && answer == .badRequest { return .badRequest }
        }
        lineLength = 0
      } else if byte != UInt8(ascii: "\r") {
        lineLength += 1
        if !isLineComplete {
          // No request line has control characters: this is another protocol, and it may never send a line's end.
          if byte < 0x20 || byte > 0x7E { return .badRequest }
          line.append(byte)
        }
      }
    }
    return nil
  }

  private var answer: Answer {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard parts.count == 3, !parts[0].isEmpty, parts[0].utf8.allSatisfy(Self.isToken),
      !parts[1].isEmpty,
      parts[2].hasPrefix("HTTP/")
    else { return .badRequest }
    guard parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0" else { return .versionNotSupported }
    guard parts[1].prefix(while: { $0 != "?" }) == "/metrics" else { return .notFound }
    switch parts[0] {
    case "GET": return .metrics(hasBody: true)
    case "HEAD": return .metrics(hasBody: false)
    default: return .methodNotAllowed
    }
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
