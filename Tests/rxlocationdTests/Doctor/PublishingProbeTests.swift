import Collecting
import Foundation
import Platform
import Publishing
import TestSupport
import Testing

@testable import rxlocationd

@Suite(.startsPrograms) struct PublishingProbeTests {
  private func configuration(_ address: PublishingAddress, authority: String? = nil) -> PublisherConfiguration {
    var configuration = PublisherConfiguration(address: address, topic: "owntracks/user/device")
    configuration.session.authorities = authority
    return configuration
  }

  @Test("a broker accepts this client and a message, which comes back")
  func broker() async throws {
    let folder = TemporaryFolder()
    try Certificates(in: folder).issue("good", for: "DNS:localhost")
    let broker = try RealBroker(listener: ["allow_anonymous true"] + RealBroker.tls("good"), folder: folder)
    let address = PublishingAddress.broker(host: "localhost", port: broker.port, usesTLS: true)
    let findings = await BrokerProbe(configuration(address, authority: folder.file("ca.pem"))).run()
    #expect(findings.map(\.step) == ["broker name", "broker", "broker topic", "broker retained"])
    #expect(findings.allSatisfy { $0.outcome == .ok })
    #expect(findings.last?.message.hasSuffix("retains no message on 'owntracks/user/device' yet") == true)
    #expect(await BrokerProbe(configuration(address)).run().last?.step == "broker TLS")
    let nobody = PublishingAddress.broker(host: "localhost", port: LoopbackSocket.unusedPort())
    #expect(await BrokerProbe(configuration(nobody)).run().last?.step == "broker connection")
    #expect(await BrokerProbe(configuration(.broker(host: "name.invalid"))).run().last?.step == "broker name")
  }

  /// Talks to a client as a broker does, over MQTT 5 or 3.1.1: `answer` gets each of its packets after the first.
  private func run(
    isOld: Bool, probe: @escaping @Sendable (UInt16) async -> [Diagnosis],
    answer: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) async throws -> [Diagnosis] {
    let listener = try LoopbackSocket.listener()
    try Platform.Thread.start {
      guard var client = try? listener.accept() else { return }
      _ = client.receive()
      if isOld {
        client.send([0x20, 2, 0, 1])
        guard let next = try? listener.accept() else { return }
        client = next
        _ = client.receive()
      }
      client.send(isOld ? [0x20, 2, 0, 0] : [0x20, 3, 0, 0, 0])
      while let bytes = client.receive(), !bytes.isEmpty { client.send(answer(bytes)) }
    }
    return await probe(listener.port)
  }

  @Test(
    "an acknowledgement of MQTT 3.1.1 does not say that the message is accepted", arguments: [false, true])
  func unconfirmed(isOld: Bool) async throws {
    let findings = try await run(isOld: isOld) { port in
      await BrokerProbe(configuration(.broker(host: "127.0.0.1", port: port)), patience: 2).run()
    } answer: { bytes in
      // The subscription, which is refused, and the message.
      bytes[0] == 0x82
        ? [0x90, isOld ? 3 : 4, 0, 1] + (isOld ? [] : [0]) + [0x80] : bytes[0] == 0x32 ? [0x40, 2, 0, 2] : []
    }
    #expect(findings.suffix(2).map(\.step) == ["broker topic", "broker retained"], "\(findings)")
    #expect(findings.suffix(2).map(\.outcome) == [isOld ? .warning : .ok, .ok])
    #expect(findings.last?.message.contains("may not read") == true)
  }

  @Test("retained messages before the answer do not hide it")
  func manyRetainedMessages() async throws {
    let session = { @Sendable (port: UInt16) in
      SessionConfiguration(address: .broker(host: "127.0.0.1", port: port), clientID: "a")
    }
    let filter = try #require(TopicFilter("owntracks/+/+"))
    let findings = try await run(isOld: false) { port in
      await BrokerProbe(Collector.Configuration(session: session(port), filters: [filter]), patience: 20).run()
    } answer: { bytes in
      let message: [UInt8] = [0x31, 5, 0, 1, 0x74, 0, 0x78]
      return bytes[0] == 0x82 ? (0..<100_000).flatMap { _ in message } + [0x90, 4, 0, 1, 0, 1] : []
    }
    #expect(findings.last?.message.hasSuffix("sends this client the messages on owntracks/+/+") == true, "\(findings)")
  }

  @Test(
    "a broker's failure has its step and its hint",
    arguments: [
      (.noAddress("why"), "broker name", "--publish mqtt://"),
      (.unreachable("why"), "broker connection", "IPAddressAllow= in rxlocationd.service"),
      (.tls("why"), "broker TLS", "--publish-ca"), (.login("why"), "broker login", "--publish-user"),
      (.refused("why"), "broker topic", "write to the topic"), (.takenOver("why"), "broker", "--publish-client-id"),
      (.noMQTT("why"), "broker", "1883 is usual without TLS"), (.file("why"), "broker", "file's path"),
      (.system("why"), "broker", "limits of processes"),
    ] as [(BrokerFailure, String, String)])
  func brokerFailure(failure: BrokerFailure, step: String, part: String) {
    let finding = BrokerProbe(configuration(.broker(host: "a"))).failed(failure)
    #expect(finding.step == step && finding.outcome == .failure && finding.message == "mqtt://a:1883: why")
    #expect(finding.hint?.contains(part) == true, "\(finding)")
  }

  @Test("the hints for a subscriber name its flags and its service")
  func subscriberHints() throws {
    let session = SessionConfiguration(address: .broker(host: "a", usesTLS: true), clientID: "a")
    let probe = BrokerProbe(Collector.Configuration(session: session, filters: [try #require(TopicFilter("a/+"))]))
    #expect(probe.failed(.unreachable("why")).hint?.hasSuffix("rxlocationd-collect.service") == true)
    #expect(probe.failed(.refused("why")).hint?.contains("read these topics") == true)
    #expect(probe.failed(.noMQTT("why")).hint?.contains("8883 is usual for TLS") == true)
    for failure: BrokerFailure in [.noAddress("why"), .tls("why"), .login("why"), .takenOver("why")] {
      let hint = probe.failed(failure).hint ?? "no hint"
      #expect(hint.contains("--subscribe") && !hint.contains("publish"), "\(hint)")
    }
    let here = BrokerProbe(configuration(.broker(host: "localhost"))).failed(.unreachable("refused")).hint
    #expect(here?.contains("systemctl enable --now mosquitto") == true && here?.contains("beyond") == false)
  }

  @Test("each step of a server is found", .enabled(if: RealServer.isInstalled, "there is no python3 on this host"))
  func server() async throws {
    let folder = TemporaryFolder()
    try Certificates(in: folder).issue("server", for: "DNS:localhost")
    let server = try RealServer(certificate: "server", options: [], folder: folder)
    let address = PublishingAddress.server(host: "localhost", port: server.port, usesTLS: true)
    func probe(isKnown: Bool = true) async -> [Diagnosis] {
      await ServerProbe(configuration(address, authority: isKnown ? folder.file("ca.pem") : nil)).run()
    }
    let good = await probe()
    #expect(good.map(\.step) == ["server name", "server connection", "server TLS", "server answer"], "\(good)")
    #expect(good.allSatisfy { $0.outcome == .ok })
    #expect(server.requests.map { $0.json["_type"] as? String } == ["status"])
    try server.plan(["422", "401", "404", "503", "302"])
    let refused = await probe().last
    #expect(refused?.outcome == .warning && refused?.message.hasSuffix("422 Unprocessable Content") == true)
    let login = await probe().last
    #expect(login?.step == "server login" && login?.message.hasSuffix("the server says: 401 Unauthorized") == true)
    for hint in ["check the address", "server's log", "check the address"] {
      #expect(await probe().last?.hint?.contains(hint) == true)
    }
    #expect(await probe(isKnown: false).map(\.step) == ["server name", "server connection", "server TLS"])
    let nobody = PublishingAddress.server(host: "localhost", port: LoopbackSocket.unusedPort(), usesTLS: false)
    #expect(await ServerProbe(configuration(nobody)).run().map(\.step) == ["server name", "server connection"])
    let nowhere = PublishingAddress.server(host: "name.invalid", usesTLS: false)
    #expect(await ServerProbe(configuration(nowhere)).run().map(\.step) == ["server name"])
  }

  @Test("a file system that hangs is a failure of the file", .mountsStalled)
  func stalledFile() async throws {
    let mount = try StalledMount()
    var configuration = configuration(.broker(host: "127.0.0.1", port: LoopbackSocket.unusedPort()))
    (configuration.session.user, configuration.session.passwordFile) = ("ann", mount.file("password"))
    #expect(
      await BrokerProbe(configuration, patience: 0.2).run().last?.hint == "check the file's path and who may read it")
    withExtendedLifetime(mount) {}
  }
}
