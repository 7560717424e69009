import Platform
import SystemPackage

/// One thing that a `BrokerProbe` found between here and a broker that lets this client in.
public enum BrokerFinding: Sendable, Hashable {
  /// The host has that many addresses.
  case addresses(Int)
  /// The broker let this client in, over TLS where that is wanted.
  case accepted
  /// It goes no further than here.
  case failed(BrokerFailure)
}

/// Walks once from a broker's address to a session, without publishing anything, and says what it finds.
public struct BrokerProbe: Sendable {
  private var configuration: PublisherConfiguration

  /// Creates a probe; no step takes longer than `patience` seconds.
  public init(_ configuration: PublisherConfiguration, patience: Double = 5) {
    self.configuration = configuration
    self.configuration.connectTimeout = patience
    // The daemon has a session of its own name; this one must not end it.
    self.configuration.clientID += "-doctor"
  }

  /// Runs the probe on a thread of its own.
  public func run() async -> [BrokerFinding] {
    await withCheckedContinuation { continuation in
      do throws(Errno) {
        try Thread.start { continuation.resume(returning: findings()) }
      } catch {
        continuation.resume(returning: [.failed(.system("\(error)"))])
      }
    }
  }

  private func findings() -> [BrokerFinding] {
    var findings: [BrokerFinding] = []
    do throws(BrokerFailure) {
      try walk(&findings)
    } catch {
      findings.append(.failed(error))
    }
    return findings
  }

  private func walk(_ findings: inout [BrokerFinding]) throws(BrokerFailure) {
    let wakeup: Wakeup
    do throws(Errno) { wakeup = try Wakeup() } catch { throw .system("\(error)") }
    var resolver = Resolver(host: configuration.address.host, port: configuration.address.port)
    let addresses: [ResolvedAddress]
    do throws(LookupFailure) {
      addresses = try resolver.addresses(within: configuration.connectTimeout, wakeup: wakeup)
    } catch {
      throw BrokerFailure(error)
    }
    findings.append(.addresses(addresses.count))
    let connection = try BrokerConnection(configuration, will: nil)
    try connection.connect(to: addresses.first)
    try connection.waitUntilAccepted(stop: wakeup)
    findings.append(.accepted)
    connection.disconnect()
  }
}
