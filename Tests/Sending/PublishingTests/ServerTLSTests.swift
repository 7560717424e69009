import Foundation
import Writing
import TestSupport
import Testing

@testable import Publishing

@Suite(.startsPrograms, .enabled(if: RealServer.isInstalled, "there is no python3 on this host"))
struct ServerTLSTests {
  private let folder = TemporaryFolder()
  private let certificates: Certificates

  init() throws { certificates = try Certificates(in: folder) }

  private func server(
    for names: String = "DNS:localhost", isExpired: Bool = false, options: [String] = []
  ) throws -> RealServer {
    try certificates.issue("server", for: names, isExpired: isExpired)
    return try RealServer(certificate: "server", options: options, folder: folder)
  }

  private func configuration(_ port: UInt16, host: String = "localhost") -> PublisherConfiguration {
    var configuration = PublisherConfiguration(.server(host: host, port: port, usesTLS: true))
    configuration.session.authorities = folder.file("ca.pem")
    return configuration
  }

  /// Publishes one location, and returns what is said first.
  private func firstNotice(_ configuration: PublisherConfiguration) async throws -> OutputNotice {
    let publisher = try TestPublisher(configuration)
    #expect(await eventually { !publisher.said.isEmpty })
    await publisher.end()
    let notice = try #require(publisher.notices.values.first)
    #expect(publisher.cursor == (notice.severity == .notice ? 1 : 0))
    return notice
  }

  @Test func speaksTLS() async throws {
    let server = try server()
    #expect(try await firstNotice(configuration(server.port)).severity == .notice)
  }

  private enum Fault: CaseIterable { case authority, expired, name, address }

  @Test(arguments: Fault.allCases) private func refusesACertificate(fault: Fault) async throws {
    let isForAnother = fault == .name || fault == .address
    let server = try server(
      for: isForAnother ? "DNS:server.example.org" : "DNS:localhost", isExpired: fault == .expired)
    var configuration = configuration(server.port, host: fault == .address ? "127.0.0.1" : "localhost")
    if fault == .authority { configuration.session.authorities = nil }
    let words =
      switch fault {
      case .authority: "its authority is unknown here"
      case .expired: "it has expired"
      case .name: "it is not for 'localhost'"
      case .address: "it is not for '127.0.0.1'"
      }
    let notice = try await firstNotice(configuration)
    #expect(notice.message.contains("not accepted: \(words)"), "\(notice.message)")
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
