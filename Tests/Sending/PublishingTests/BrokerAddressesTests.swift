import Glibc
import Platform
import TestSupport
import Testing

@testable import Publishing

/// A broker's name with several addresses, of which one leads to a broker.
@Suite(.startsPrograms) struct BrokerAddressesTests {
  /// The publisher's thread blocks it.
  init() { signal(SIGPIPE, SIG_IGN) }

  private func session(with broker: RealBroker, after host: String, usesTLS: Bool = false) throws -> BrokerConnection {
    var session = PublisherConfiguration(port: broker.port, usesTLS: usesTLS, host: "name.invalid").session
    session.connectTimeout = 2
    if usesTLS { session.authorities = broker.folder.file("ca.pem") }
    let addresses = try [host, "127.0.0.1"].flatMap { try ResolvedAddress.all(of: .init(host: $0, port: broker.port)) }
    var connector = BrokerConnector(session, stop: try Wakeup())
    return try connector.connection(at: addresses, SessionFiles.Secrets())
  }

  @Test func anAddressWithoutAListenerIsSkipped() throws {
    let connection = try session(with: try RealBroker(), after: "127.0.0.2")
    #expect(connection.isEstablished)
    connection.disconnect()
  }

  private func broker(for names: String) throws -> RealBroker {
    let folder = TemporaryFolder()
    try Certificates(in: folder).issue("broker", for: names)
    return try RealBroker(listener: ["allow_anonymous true"] + RealBroker.tls("broker"), folder: folder)
  }

  @Test func withTLSTheNextAddressIsTriedAndTheCertificateIsForTheName() throws {
    let connection = try session(with: try broker(for: "DNS:name.invalid"), after: "127.0.0.2", usesTLS: true)
    #expect(connection.isEstablished)
    connection.disconnect()
  }

  @Test func aCertificateForTheAddressIsNotValidForTheName() throws {
    let failure = #expect(throws: BrokerFailure.self) {
      _ = try session(with: try broker(for: "IP:127.0.0.1,DNS:localhost"), after: "127.0.0.2", usesTLS: true)
    }
    #expect(failure == .tls("the broker's certificate is not accepted: it is not for 'name.invalid'"))
  }

  @Test func aSilentAddressIsSkippedAndDoesNotDecideTheVersion() throws {
    let broker = try RealBroker()
    let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(silent) }
    let address = try #require(ResolvedAddress.all(of: .init(host: "127.0.0.3", port: broker.port)).first)
    try #require(address.withSocketAddress { bind(silent, $0, $1) } == 0 && listen(silent, 1) == 0)
    let connection = try session(with: broker, after: "127.0.0.3")
    #expect(connection.isEstablished && connection.version == .v5)
    connection.disconnect()
  }
}
