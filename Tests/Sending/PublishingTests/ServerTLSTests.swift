import Foundation
import Journal
import Writing
import TestSupport
import Testing

@testable import Publishing

/// Certificates of HTTP servers and their clients.
@Suite(.startsPrograms, .enabled(if: RealServer.isInstalled, "there is no python3 on this host"))
struct ServerTLSTests {
  private let folder: TemporaryFolder
  private let certificates: Certificates

  init() throws {
    folder = try TemporaryFolder()
    certificates = try Certificates(in: folder)
  }

  private func server(
    for names: String = "DNS:localhost", isExpired: Bool = false, options: [String] = []
  ) throws -> RealServer {
    try certificates.issue("server", for: names, isExpired: isExpired)
    return try RealServer(certificate: "server", options: options, folder: folder)
  }

  private func configuration(_ port: UInt16, host: String = "localhost", usesTLS: Bool = true) -> PublisherConfiguration
  {
    let address = PublishingAddress.server(host: host, port: port, usesTLS: usesTLS)
    var configuration = PublisherConfiguration(address: address, topic: "owntracks/ann/car")
    configuration.session.minimumRetryDelay = 0.05
    configuration.session.maximumRetryDelay = 0.2
    configuration.session.connectTimeout = 5
    if usesTLS { configuration.session.authorities = folder.file("ca.pem") }
    return configuration
  }

  /// Publishes one location, and returns what is said first.
  private func firstNotice(_ configuration: PublisherConfiguration) async throws -> OutputNotice {
    let queue = MemoryQueue()
    queue.append(.location(fix(0)))
    let notices = Recorder<OutputNotice>()
    let publisher = try Publisher(configuration, queue: queue) { notices.record($0) }
    #expect(await eventually { !notices.values.isEmpty })
    await publisher.end()
    let notice = try #require(notices.values.first)
    #expect(queue.cursor == (notice.severity == .notice ? 1 : 0))
    return notice
  }

  @Test func speaksTLS() async throws {
    let server = try server()
    #expect(try await firstNotice(configuration(server.port)).severity == .notice)
  }

  @Test func refusesAnAuthorityUnknownToTheSystem() async throws {
    let server = try server()
    var configuration = configuration(server.port)
    configuration.session.authorities = nil
    #expect(try await firstNotice(configuration).message.contains("not accepted: its authority is unknown here"))
    #expect(server.requests.isEmpty)
  }

  @Test func refusesAnExpiredCertificate() async throws {
    let server = try server(isExpired: true)
    #expect(try await firstNotice(configuration(server.port)).message.contains("not accepted: it has expired"))
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: ["localhost", "127.0.0.1"]) func refusesAWrongName(host: String) async throws {
    let server = try server(for: "DNS:server.example.org")
    let notice = try await firstNotice(configuration(server.port, host: host))
    #expect(notice.message.contains("not accepted: it is not for '\(host)'"), "\(notice.message)")
    #expect(server.requests.isEmpty)
  }

  @Test func presentsItsCertificate() async throws {
    let server = try server(options: ["client"])
    try certificates.issue("me")
    var configuration = configuration(server.port)
    #expect(try await firstNotice(configuration).severity == .warning)
    configuration.session.certificate = folder.file("me.pem")
    configuration.session.key = folder.file("me.key")
    #expect(try await firstNotice(configuration).severity == .notice)
    #expect(server.requests.count == 1)
  }

  @Test func aServerWithoutTLSIsReported() async throws {
    let server = try RealServer(folder: folder)
    #expect(try await firstNotice(configuration(server.port)).message.contains("does not speak TLS"))
  }
}
