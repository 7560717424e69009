import Foundation
import Writing
import Publishing
import TestSupport
import Testing

@Suite(.startsPrograms) struct TLSTests {
  /// Waits for the refusal of a publisher's broker, and for several more tries, which are not reported.
  private func expectRefusal(
    _ words: String, by broker: RealBroker, of configuration: PublisherConfiguration
  ) async throws {
    let publisher = try TestPublisher(configuration)
    #expect(await eventually { broker.log.components(separatedBy: "New connection").count > 4 }, "\(broker.log)")
    #expect(await eventually { !publisher.said.isEmpty })
    #expect(publisher.said.count == 1 && publisher.said[0].contains(words), "\(publisher.said)")
    #expect(publisher.cursor == 0)
    await publisher.end()
  }

  private func broker(
    _ certificate: String, for names: String? = "DNS:localhost", isExpired: Bool = false
  ) throws -> RealBroker {
    let folder = TemporaryFolder()
    try Certificates(in: folder).issue(certificate, for: names, isExpired: isExpired)
    return try RealBroker(listener: ["allow_anonymous true"] + RealBroker.tls(certificate), folder: folder)
  }

  private func configuration(_ broker: RealBroker, host: String = "localhost") -> PublisherConfiguration {
    var configuration = PublisherConfiguration(port: broker.port, usesTLS: true, host: host)
    configuration.session.authorities = broker.folder.file("ca.pem")
    return configuration
  }

  /// Guides for brokers at home write the address into the common name, which is that of the file here.
  @Test(
    arguments: [
      ("good", "DNS:localhost", "localhost"), ("127.0.0.1", "IP:127.0.0.1", "127.0.0.1"),
      ("127.0.0.1", nil, "127.0.0.1"),
    ] as [(String, String?, String)])
  func aCertificateForTheHostIsAccepted(certificate: String, names: String?, host: String) async throws {
    let broker = try broker(certificate, for: names)
    let publisher = try TestPublisher(configuration(broker, host: host))
    #expect(await eventually { publisher.cursor == 1 }, "\(publisher.said)")
    await publisher.finish()
    withExtendedLifetime(broker) {}
  }

  /// The authority of another folder, and those of the system.
  @Test(arguments: [false, true]) func refusesAnUnknownAuthority(isSystem: Bool) async throws {
    let broker = try broker("good")
    let other = TemporaryFolder()
    _ = try Certificates(in: other)
    var configuration = configuration(broker)
    configuration.session.authorities = isSystem ? nil : other.file("ca.pem")
    try await expectRefusal("its authority is unknown here", by: broker, of: configuration)
  }

  @Test func refusesAnExpiredCertificate() async throws {
    let broker = try broker("old", isExpired: true)
    try await expectRefusal("it has expired", by: broker, of: configuration(broker))
  }

  @Test(
    arguments: [
      ("other", "DNS:broker.example.org", "localhost"), ("127.0.0.1", "IP:127.0.0.2", "127.0.0.1"),
      ("127.0.0.1", "DNS:localhost", "127.0.0.1"), ("127.0.0.2", nil, "127.0.0.1"), ("*.0.0.1", nil, "127.0.0.1"),
    ] as [(String, String?, String)])
  func refusesACertificateForAnotherHost(certificate: String, names: String?, host: String) async throws {
    let broker = try broker(certificate, for: names)
    try await expectRefusal("it is not for '\(host)'", by: broker, of: configuration(broker, host: host))
  }

  /// The name that the client asks for, which chooses the certificate where a server has several.
  @Test func theHandshakeNamesTheHostNotAnAddress() async throws {
    for host in ["localhost", "127.0.0.1"] {
      let listener = try LoopbackSocket.listener()
      let publisher = try TestPublisher(PublisherConfiguration(port: listener.port, usesTLS: true, host: host))
      let client = try listener.accept()
      let hello = Data(client.receive() ?? [])
      #expect((hello.range(of: Data("localhost".utf8)) != nil) == (host == "localhost"))
      #expect(hello.range(of: Data("127.0.0.1".utf8)) == nil && !hello.isEmpty)
      client.close()
      await publisher.end()
    }
  }

  @Test func aMissingFileIsReported() async throws {
    let broker = try broker("good")
    var configuration = configuration(broker)
    configuration.session.authorities = "/nowhere/ca.pem"
    let publisher = try TestPublisher(configuration)
    #expect(await eventually { publisher.said.first?.contains("/nowhere/ca.pem") == true })
    await publisher.end()
  }

  @Test func aWrongPasswordIsReportedAndARightOneCountsAtOnce() async throws {
    let folder = TemporaryFolder()
    try RealBroker.addUser("ann", password: "right", in: folder)
    let password = try folder.write("wrong", to: "password")
    let broker = try RealBroker(listener: ["password_file FOLDER/users"], folder: folder)
    let publisher = try TestPublisher(port: broker.port) {
      ($0.session.user, $0.session.passwordFile) = ("ann", password)
    }
    #expect(await eventually { !publisher.said.isEmpty })
    #expect(await eventually { broker.log.components(separatedBy: "New connection").count > 4 })
    #expect(publisher.said.count == 1)
    try folder.write("right\n", to: "password")
    #expect(await eventually { publisher.cursor == 1 })
    #expect(publisher.severities == [.warning, .notice])
    #expect(!publisher.said.contains { $0.contains("wrong") || $0.contains("right") })
    await publisher.finish()
  }

  @Test func aBrokerWithoutTLSIsReported() async throws {
    let broker = try RealBroker()
    var configuration = PublisherConfiguration(port: broker.port, usesTLS: true, host: "localhost")
    configuration.session.connectTimeout = 20
    try await expectRefusal("the peer does not speak TLS", by: broker, of: configuration)
  }
}
