import FoundationEssentials
import Glibc

/// Walks once from the address of a gpsd to a fix and says what it finds at each step.
public struct GPSDProbe: Sendable {
  private let endpoint: GPSDEndpoint
  private let patience: Double
  private let configuration = GPSDConfiguration()

  /// Creates a probe.
  ///
  /// - Parameters:
  ///   - endpoint: Which gpsd, and which of its devices.
  ///   - patience: How many seconds the receiver gets to say something and to have a fix.
  public init(endpoint: GPSDEndpoint, patience: Double = 10) {
    self.endpoint = endpoint
    self.patience = patience
  }

  /// Runs the probe on a thread of its own. The last finding is a failure, or about the fix and the clock.
  public func run() async -> [GPSDFinding] {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: findings()) }
      guard let thread else {
        continuation.resume(returning: [GPSDFinding(.name, .failure, "this process is out of threads")])
        return
      }
      thread.detach()
    }
  }

  private func findings() -> [GPSDFinding] {
    var findings: [GPSDFinding] = []
    do {
      try walk(&findings)
    } catch {
      findings.append(error.finding)
    }
    return findings
  }

  private func walk(_ findings: inout [GPSDFinding]) throws(ProbeFailure) {
    guard let wakeup = Wakeup(), let decoder = ReportDecoder() else {
      throw ProbeFailure(.name, "this process is out of descriptors or memory")
    }
    var resolver = Resolver(host: endpoint.host, port: endpoint.port)
    let addresses: [SocketAddress]
    do {
      addresses = try resolver.addresses(within: configuration.connectTimeout, wakeup: wakeup)
    } catch {
      throw ProbeFailure(.name, error.reason, mend: "check the spelling, or name an address: --gpsd 127.0.0.1:2947")
    }
    findings.append(GPSDFinding(.name, .ok, "'\(endpoint.host)' has \(addresses.count) addresses"))

    let link: Link
    do {
      link = try Link.connect(to: addresses, within: configuration.connectTimeout, wakeup: wakeup)
    } catch {
      throw ProbeFailure(.connection, "\(endpoint.address): \(error.reason)", mend: connectionMend(error))
    }
    findings.append(GPSDFinding(.connection, .ok, "\(endpoint.address) accepts connections"))

    var conversation = ProbeConversation(link: link, decoder: decoder, wakeup: wakeup)
    let release = try conversation.greeting(within: configuration.greetingTimeout)
    findings.append(GPSDFinding(.gpsd, .ok, "gpsd \(release) answers"))
    try conversation.watch(endpoint, within: configuration.greetingTimeout, &findings)
    try conversation.listen(endpoint, within: patience, &findings)
  }

  private func connectionMend(_ failure: LinkFailure) -> String {
    let isLocal = ["localhost", "127.0.0.1", "::1"].contains(endpoint.host)
    switch failure {
    case .denied:
      return "a firewall or this service's sandbox forbids it; see IPAddressAllow= in rxlocationd.service"
    case .unreachable(errorText(ECONNREFUSED)) where isLocal:
      return "start gpsd: systemctl enable --now gpsd.socket; where IPv6 is off that unit fails until its line "
        + "ListenStream=[::1]:2947 is removed"
    case .unreachable(errorText(ECONNREFUSED)):
      return "start gpsd there, with -G so that it listens beyond loopback"
    default:
      return "check the address, the network and firewalls between here and there"
    }
  }
}

/// Why a probe ends early.
struct ProbeFailure: Error {
  var finding: GPSDFinding

  init(_ step: GPSDFinding.Step, _ message: String, mend: String? = nil) {
    finding = GPSDFinding(step, .failure, message, mend: mend)
  }
}
