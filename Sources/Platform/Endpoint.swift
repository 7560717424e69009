/// A host and a TCP port, written `HOST:PORT`, of a server to connect to or to listen on.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  /// A name or an address; an IPv6 address has no brackets here.
  package var host: String
  package var port: UInt16

  package init(host: String = "127.0.0.1", port: UInt16) {
    self.host = host
    self.port = port
  }

  /// `HOST:PORT`, with an IPv6 address in brackets.
  public var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  /// Splits `HOST[:PORT[:REST]]` into its parts as they are written, without the brackets of an IPv6 address; `nil` if the
  /// text has no valid host, as in `[::1` or `two words`. An omitted host is empty.
  package static func parts(of text: Substring) -> (host: String, port: Substring?, rest: Substring?)? {
    var rest = text
    let host: Substring
    if rest.first == "[" {
      guard let bracket = rest.firstIndex(of: "]") else { return nil }
      host = rest[rest.index(after: rest.startIndex)..<bracket]
      rest = rest[rest.index(after: bracket)...]
      guard host.contains(":"), rest.isEmpty || rest.first == ":" else { return nil }
    } else {
      host = rest.prefix { $0 != ":" }
      rest = rest[host.endIndex...]
    }
    guard host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }) else { return nil }
    guard !rest.isEmpty else { return (String(host), nil, nil) }
    let port = rest.dropFirst().prefix { $0 != ":" }
    rest = rest[port.endIndex...]
    return (String(host), port, rest.isEmpty ? nil : rest.dropFirst())
  }

  /// Splits `HOST[:PORT]`, the part of a URL that names a server. The error names `example`, an address that would be right.
  package init(authority: Substring, defaultPort: UInt16, example: String) throws(AddressError) {
    // The likely mistake is an IPv6 address without brackets.
    guard let parts = Self.parts(of: authority), !parts.host.isEmpty, parts.rest == nil else {
      throw AddressError("there is no host; expected one as in \(example)")
    }
    self.init(host: parts.host, port: try parts.port.map(Self.port(connecting:)) ?? defaultPort)
  }

  /// Reads an address to listen on: `HOST:PORT`, or `PORT` on 127.0.0.1. The host `*` stands for every address of this machine,
  /// IPv4 and IPv6; the port 0 lets the system choose.
  package init(listening text: String) throws(AddressError) {
    let whole = text.contains(":") ? text : "127.0.0.1:\(text)"
    guard let parts = Self.parts(of: whole[...]), !parts.host.isEmpty, parts.rest == nil,
      let port = parts.port.flatMap(Self.port)
    else { throw AddressError("'\(text)' is not an address; expected HOST:PORT or PORT, the port from 0 to 65535") }
    self.init(host: parts.host, port: port)
  }

  /// The port, from 1 on, that the digits name.
  package static func port(connecting digits: Substring) throws(AddressError) -> UInt16 {
    guard let port = port(digits), port > 0 else {
      throw AddressError("'\(digits)' is not a port; expected a number from 1 to 65535")
    }
    return port
  }

  private static func port(_ digits: Substring) -> UInt16? {
    digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(digits) : nil
  }
}

/// Why a text is not an address.
public struct AddressError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One sentence with what was expected; never a password.
  public let description: String

  package init(_ description: String) { self.description = description }
}

/// Decodes the percent-encoded bytes of a URL's part; `nil` when a percent sign has no two hexadecimal digits behind it.
package func percentDecoded(_ text: Substring) -> [UInt8]? {
  var bytes: [UInt8] = []
  var rest = text.utf8
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    let digits = rest.prefix(2)
    guard digits.count == 2, digits.first != UInt8(ascii: "+"), let value = UInt8(String(Substring(digits)), radix: 16)
    else { return nil }
    bytes.append(value)
    rest = rest.dropFirst(2)
  }
  return bytes
}
