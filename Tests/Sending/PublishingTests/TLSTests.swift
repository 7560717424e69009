import Foundation
import Journal
import Writing
import Publishing
import TestSupport
import Testing

/// Certificates and passwords, with a real mosquitto.
@Suite(.startsPrograms) struct TLSTests {
  /// A publisher with one location, and what it says.
  private struct Attempt {
    let queue = MemoryQueue()
    let notices = Recorder<OutputNotice>()
    let publisher: Publisher

    init(_ configuration: PublisherConfiguration) throws {
      queue.append(.location(fix(0)))
      publisher = try Publisher(configuration, queue: queue) { [notices] in notices.record($0) }
    }

    /// Waits for the refusal and for several more tries, which are not spoken of.
    func expectRefusal(_ words: String, by broker: RealBroker, tries: String) async {
      #expect(await eventually { !notices.values.isEmpty })
      #expect(notices.values.first?.message.contains(words) == true, "\(notices.values.map(\.message))")
      #expect(await eventually { broker.log.components(separatedBy: tries).count > 4 }, "\(broker.log)")
      #expect(notices.values.count == 1, "\(notices.values.map(\.message))")
      #expect(queue.cursor == 0)
      await publisher.end()
    }
  }

  private func broker(
    _ certificate: String, for names: String? = "DNS:localhost", isExpired: Bool = false
  ) throws -> RealBroker {
    let folder = try TemporaryFolder()
    try Certificates(in: folder).issue(certificate, for: names, isExpired: isExpired)
    return try RealBroker(listener: ["allow_anonymous true"] + RealBroker.tls(certificate), folder: folder)
  }

  private func configuration(
    _ broker: RealBroker, host: String = "localhost", authority: String? = nil
  ) -> PublisherConfiguration {
    var configuration = PublisherConfiguration(port: broker.port, usesTLS: true, host: host)
    configuration.session.authorities = authority ?? broker.folder.file("ca.pem")
    return configuration
  }

  @Test func speaksTLS() async throws {
    let broker = try broker("good")
    let attempt = try Attempt(configuration(broker))
    #expect(await eventually { attempt.queue.cursor == 1 }, "\(attempt.notices.values.map(\.message))")
    await attempt.publisher.finish()
    withExtendedLifetime(broker) {}
  }

  @Test func refusesAnUnknownAuthority() async throws {
    let broker = try broker("good")
    let other = try TemporaryFolder()
    _ = try Certificates(in: other)
    let attempt = try Attempt(configuration(broker, authority: other.file("ca.pem")))
    await attempt.expectRefusal("its authority is unknown here", by: broker, tries: "New connection")
  }

  @Test func refusesAnAuthorityUnknownToTheSystem() async throws {
    let broker = try broker("good")
    var configuration = configuration(broker)
    configuration.session.authorities = nil
    await (try Attempt(configuration)).expectRefusal(
      "its authority is unknown here", by: broker, tries: "New connection")
  }

  @Test func refusesAnExpiredCertificate() async throws {
    let broker = try broker("old", isExpired: true)
    await (try Attempt(configuration(broker))).expectRefusal("it has expired", by: broker, tries: "New connection")
  }

  @Test func refusesAWrongName() async throws {
    let broker = try broker("other", for: "DNS:broker.example.org")
    await (try Attempt(configuration(broker))).expectRefusal(
      "it is not for 'localhost'", by: broker, tries: "New connection")
  }

  /// Guides for brokers at home write the address into the common name.
  @Test(arguments: ["IP:127.0.0.1", nil]) func anAddressIsInTheCertificate(names: String?) async throws {
    let broker = try broker("127.0.0.1", for: names)
    let attempt = try Attempt(configuration(broker, host: "127.0.0.1"))
    #expect(await eventually { attempt.queue.cursor == 1 }, "\(attempt.notices.values.map(\.message))")
    await attempt.publisher.finish()
    withExtendedLifetime(broker) {}
  }

  @Test(arguments: [
    ("127.0.0.1", "IP:127.0.0.2"), ("127.0.0.1", "DNS:localhost"), ("127.0.0.2", nil), ("*.0.0.1", nil),
  ])
  func refusesAnotherAddress(certificate: String, names: String?) async throws {
    let broker = try broker(certificate, for: names)
    await (try Attempt(configuration(broker, host: "127.0.0.1"))).expectRefusal(
      "it is not for '127.0.0.1'", by: broker, tries: "New connection")
  }

  /// The name that the client asks for, which chooses the certificate where a server has several.
  @Test func theHandshakeNamesTheHostNotAnAddress() async throws {
    for host in ["localhost", "127.0.0.1"] {
      let listener = try LoopbackSocket.listener()
      let attempt = try Attempt(PublisherConfiguration(port: listener.port, usesTLS: true, host: host))
      let client = try listener.accept()
      let hello = Data(client.receive() ?? [])
      #expect((hello.range(of: Data("localhost".utf8)) != nil) == (host == "localhost"))
      #expect(hello.range(of: Data("127.0.0.1".utf8)) == nil && !hello.isEmpty)
      client.close()
      attempt.publisher.stop()
      await attempt.publisher.finish()
    }
  }

  @Test(arguments: [false, true]) func aBrokerThatDoesNotListenIsReported(usesTLS: Bool) async throws {
    let attempt = try Attempt(
      PublisherConfiguration(port: try LoopbackSocket.unusedPort(), usesTLS: usesTLS, host: "localhost"))
    #expect(await eventually { !attempt.notices.values.isEmpty })
    #expect(attempt.notices.values.first?.message.contains("Connection refused") == true)
    attempt.publisher.stop()
    await attempt.publisher.finish()
  }

  @Test func aMissingFileIsReported() async throws {
    let broker = try broker("good")
    let attempt = try Attempt(configuration(broker, authority: "/nowhere/ca.pem"))
    #expect(await eventually { attempt.notices.values.first?.message.contains("/nowhere/ca.pem") == true })
    attempt.publisher.stop()
    await attempt.publisher.finish()
  }

  @Test func aWrongPasswordIsReportedAndARightOneCountsAtOnce() async throws {
    let folder = try TemporaryFolder()
    try RealBroker.addUser("ann", password: "right", in: folder)
    let password = try folder.write("wrong", to: "password")
    let broker = try RealBroker(listener: ["password_file FOLDER/users"], folder: folder)
    var configuration = PublisherConfiguration(port: broker.port)
    configuration.session.user = "ann"
    configuration.session.passwordFile = password
    let attempt = try Attempt(configuration)
    #expect(await eventually { !attempt.notices.values.isEmpty })
    #expect(await eventually { broker.log.components(separatedBy: "New connection").count > 4 })
    #expect(attempt.notices.values.count == 1)
    try folder.write("right\n", to: "password")
    #expect(await eventually { attempt.queue.cursor == 1 })
    #expect(attempt.notices.values.map(\.severity) == [.warning, .notice])
    #expect(!attempt.notices.values.contains { $0.message.contains("wrong") || $0.message.contains("right") })
    await attempt.publisher.finish()
  }

  @Test func aBrokerWithoutTLSIsReported() async throws {
    let broker = try RealBroker()
    var configuration = PublisherConfiguration(port: broker.port, usesTLS: true, host: "localhost")
    configuration.session.connectTimeout = 20
    let attempt = try Attempt(configuration)
    await attempt.expectRefusal("the peer does not speak TLS", by: broker, tries: "New connection")
  }
}
