import Platform
import Serving

/// Where `--nmea` serves or sends sentences: a socket, a pseudo-terminal or datagrams.
enum NMEAAddress: Sendable, Hashable, CustomStringConvertible {
  case socket(RegionSocketAddress)
  /// A pseudo-terminal, with a link to it at this path.
  case terminal(link: String)
  /// UDP datagrams to a host, or to all hosts of a network by its broadcast address.
  case datagrams(Endpoint)

  init(parsing text: String) throws(AddressError) {
    if text.hasPrefix("pty:") {
      let link = String(text.dropFirst(4))
      guard !link.isEmpty, !link.hasSuffix("/"), !link.utf8.contains(0) else {
        throw AddressError("'\(text)' has no path for the link; expected pty:PATH such as pty:/run/rxlocationd/gps")
      }
      self = .terminal(link: link)
    } else if text.hasPrefix("udp:") {
      let rest = text.dropFirst(4)
      guard rest.contains(":"), let endpoint = try? Endpoint(listening: String(rest)), endpoint.port > 0,
        endpoint.host != "*"
      else {
        throw AddressError(
          "'\(text)' has no host, or no port from 1 to 65535; expected udp:HOST:PORT such as udp:255.255.255.255:10110")
      }
      self = .datagrams(endpoint)
    } else {
      do {
        self = .socket(try RegionSocketAddress(parsing: text))
      } catch {
        throw AddressError("\(error), pty:PATH or udp:HOST:PORT")
      }
    }
  }

  /// The form that `init(parsing:)` reads.
  var description: String {
    switch self {
    case .socket(let address): address.description
    case .terminal(let link): "pty:\(link)"
    case .datagrams(let endpoint): "udp:\(endpoint)"
    }
  }

  var socket: RegionSocketAddress? { if case .socket(let address) = self { address } else { nil } }
}
