import Platform
import Serving
import SystemPackage

/// What an output writes to or listens on. Two outputs with one destination would mix their formats.
struct Destination {
  private enum Place: Equatable {
    /// A file or a pipe that is there, whatever its name.
    case file(FileIdentity)
    /// A name that is free, or a socket's, in a folder.
    case name(String, in: FileIdentity)
    case address(Endpoint)
  }

  private let name: String
  private let place: Place?

  /// A file; "-" is standard output.
  init(_ output: String, file path: String) {
    (name, place) = ("\(output) \(path)", Self.place(ofFile: path == "-" ? "/dev/stdout" : path))
  }

  init(_ output: String, at address: Endpoint) {
    (name, place) = ("\(output) \(address)", address.port == 0 ? nil : .address(address))
  }

  init(_ output: String, at address: RegionSocketAddress) {
    switch address {
    case .tcp(let endpoint): self.init(output, at: endpoint)
    case .unix(let path): self.init(name: "\(output) \(address)", place: Self.place(ofName: path))
    }
  }

  init(_ output: String, at address: NMEAAddress) {
    switch address {
    case .socket(let address): self.init("\(output) socket", at: address)
    case .terminal(let link): self.init(name: "\(output) \(address)", place: Self.place(ofName: link))
    // Several may send to one address.
    case .datagrams: self.init(name: "\(output) \(address)", place: nil)
    }
  }

  private init(name: String, place: Place?) { (self.name, self.place) = (name, place) }

  private static func place(ofFile path: String) -> Place? {
    guard let type = (try? Stat(path))?.type else { return place(ofName: path) }
    // Devices such as /dev/null may have several writers.
    return type == .regular || type == .fifo ? FileIdentity(path: path).map { .file($0) } : nil
  }

  private static func place(ofName path: String) -> Place? {
    guard let name = FilePath(path).lastComponent?.string else { return nil }
    return FileIdentity(path: folder(of: path)).map { .name(name, in: $0) }
  }

  private func isSame(as other: Destination) -> Bool {
    guard let place, let otherPlace = other.place else { return false }
    guard case .address(let one) = place, case .address(let two) = otherPlace else { return place == otherPlace }
    // The wildcard includes each address of the machine.
    let everywhere = ["*", "0.0.0.0", "::"]
    let hosts = [one.host, two.host]
    return one.port == two.port
      && (one.host == two.host || hosts.contains(where: everywhere.contains)
        || hosts.contains("localhost") && hosts.allSatisfy(LocalHost.isLocal))
  }

  static func check(_ destinations: [Destination]) throws(SettingError) {
    for (index, one) in destinations.enumerated() {
      guard let other = destinations[..<index].first(where: one.isSame) else { continue }
      throw SettingError("\(other.name) and \(one.name) are the same destination; give each output its own")
    }
  }

  /// Checks the outputs of `run`, `replay` and `doctor`. The standard output of `doctor` is not that of the daemon.
  static func check(
    _ outputs: OutputOptions, _ sockets: RegionSocketOptions, _ map: MapOptions, record: String?,
    writesStandardOutput: Bool
  ) throws(SettingError) {
    var destinations: [Destination] = []
    if writesStandardOutput { destinations.append(Destination("standard output", file: "-")) }
    if let path = outputs.regionLog { destinations.append(Destination("region log", file: path)) }
    if let record { destinations.append(Destination("record", file: record)) }
    if let path = outputs.journal?.path { destinations.append(Destination("journal", file: path)) }
    destinations += sockets.locations.map { Destination("location socket", at: $0) }
    destinations += sockets.addresses.map { Destination("region socket", at: $0) }
    destinations += sockets.nmea.map { Destination("NMEA", at: $0) }
    if let address = map.address { destinations.append(Destination("map", at: address)) }
    if let address = outputs.metrics { destinations.append(Destination("metrics", at: address)) }
    try check(destinations)
  }
}
