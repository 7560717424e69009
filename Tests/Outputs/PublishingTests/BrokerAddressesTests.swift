import Glibc
import Platform
import TestSupport
import Testing

@testable import Publishing

/// A broker's name with several addresses, of which one leads to a broker.
@Suite struct BrokerAddressesTests {
  private func session(with broker: RealBroker, after host: String) throws -> BrokerConnection {
    var session = PublisherConfiguration(port: broker.port, host: "name.invalid").session
    session.connectTimeout = 2
    var choice = MQTTVersionChoice()
    let addresses = try [host, "127.0.0.1"].flatMap { try ResolvedAddress.all(of: .init(host: $0, port: broker.port)) }
    return try BrokerConnection.accepted(
      session, password: nil, will: nil, at: addresses, &choice, stop: try Wakeup())
  }

  @Test func oneWhereNobodyListensIsPassedOver() throws {
    let connection = try session(with: try RealBroker(), after: "127.0.0.2")
    #expect(connection.state == .accepted)
    connection.disconnect()
  }

  @Test func oneThatIsSilentIsPassedOverAndSaysNothingOfTheVersion() throws {
    let broker = try RealBroker()
    let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(silent) }
    let address = try #require(ResolvedAddress.all(of: .init(host: "127.0.0.3", port: broker.port)).first)
    try #require(address.withSocketAddress { bind(silent, $0, $1) } == 0 && listen(silent, 1) == 0)
    let connection = try session(with: broker, after: "127.0.0.3")
    #expect(connection.state == .accepted && connection.version == .v5)
    connection.disconnect()
  }
}
