import Foundation
import TestSupport
import Testing

/// What Home Assistant finds of a daemon that runs, was killed, or has other fences than before.
@Suite(.startsPrograms) struct DiscoveryProcessTests {
  private let folder = TemporaryFolder()
  private let broker: RealBroker

  init() throws { broker = try RealBroker() }

  private func daemon(_ fences: [String]) throws -> DaemonProcess {
    let process = try DaemonProcess(
      [
        "replay", "-", "--speed", "max", "--journal", folder.path("journal.db"), "--publish",
        "mqtt://127.0.0.1:\(broker.port)", "--publish-topic", "owntracks/ann/car", "--publish-discovery",
      ] + fences.flatMap { ["--fence", $0] }, keepsInputOpen: true)
    process.feed(0..<10)
    return process
  }

  private func retained() async throws -> [String: String] {
    let subscriber = try BrokerSubscriber(broker, "#")
    // It comes at once, and this behind it.
    #expect(await eventually { !subscriber.messages.isEmpty })
    try broker.publish("end", on: "end")
    #expect(await eventually { subscriber.contains("end 0 end") })
    return Dictionary(subscriber.messages.filter(\.isRetained).map { ($0.topic, $0.payload) }, uniquingKeysWith: { $1 })
  }

  @Test func whatIsRetainedSaysHowItIs() async throws {
    let availability = "rxlocationd/owntracks/ann/car/availability"
    let sensors = ["home", "far"].map { "homeassistant/binary_sensor/rxlocationd-owntracks-ann-car/fence-\($0)/config" }
    let first = try daemon(["home=51.1667,-0.125,1000", "far=10,20,50"])
    let subscriber = try BrokerSubscriber(broker, "rxlocationd/#")
    try await first.wait(for: "its fences' states") { subscriber.contains(#""fences":{"far":false,"home":true}}"#) }
    var messages = try await retained()
    #expect(messages[availability] == "online")
    #expect(sensors.allSatisfy { messages[$0] != nil }, "\(messages)")
    // Nobody but the broker can say it then.
    try await first.killAndWait()
    try await first.wait(for: "the will") { subscriber.contains("availability 0 offline") }
    messages = try await retained()
    #expect(messages[availability] == "offline")

    let second = try daemon(["home=51.1667,-0.125,1000"])
    try await second.wait(for: "its fence's state") { subscriber.contains(#""fences":{"home":true}}"#) }
    messages = try await retained()
    #expect(messages[availability] == "online")
    #expect(messages[sensors[0]] != nil && messages[sensors[1]] == nil, "\(messages.keys)")
    try await second.terminate()
    #expect(await eventually { subscriber.messages.count { $0.payload == "offline" } == 2 })
    messages = try await retained()
    #expect(messages[availability] == "offline")
  }
}
