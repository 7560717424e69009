/// Where the metrics are served: `HOST:PORT`, or `PORT` on 127.0.0.1.
public struct MetricsAddress: Sendable, Hashable, CustomStringConvertible {
  /// A name or an address; IPv6 without brackets.
  public var host: String
  /// The TCP port; 0 lets the system choose.
  public var port: Int

  /// Creates an address.
  public init(host: String = "127.0.0.1", port: Int) {
    self.host = host
    self.port = port
  }

  /// Parses `HOST:PORT` or `PORT`; an IPv6 address is written in brackets.
  /// - Throws: `OutputError` of code `usage`.
  public init(parsing text: String) throws(OutputError) {
    let whole = text.contains(":") ? text : "127.0.0.1:\(text)"
    guard let (host, port) = splitHostAndPort(whole[...]) else {
      throw OutputError(
        .usage, "metrics address \"\(text)\": expected HOST:PORT or PORT, the port 0 … 65535")
    }
    self.init(host: host, port: port)
  }

  /// As the command line writes it.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
