import Foundation
import Journal
import LocationKit
import Writing
import TestSupport
import Testing

@testable import Publishing

@Suite(.startsPrograms) struct CommandTests {
  private static let topic = "owntracks/user/device"

  private func command(_ text: String) -> Publishing.Command? { Publishing.Command(Array(text.utf8)) }

  private func setting(_ waypoints: String) -> String {
    #"{"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":[\#(waypoints)]}}"#
  }

  private func setWaypoints(_ waypoints: String) -> Publishing.Command? { command(setting(waypoints)) }

  @Test func commandsAreReadInOwnTracksFormat() {
    #expect(command(#"{"_type":"cmd","action":"reportLocation"}"#) == .reportLocation)
    #expect(command(#" {"action":"status", "_type":"cmd"} "#) == .status)
    #expect(command(#"{"_type":"cmd","action":"waypoints"}"#) == .waypoints)
    #expect(setWaypoints("") == .setWaypoints([]))
    #expect(
      setWaypoints(
        #"{"_type":"waypoint","desc":"a \"b\"","lat":37.7858,"lon":-122.4064,"rad":50,"tst":7,"rid":"x"},"#
          + #"{"_type":"waypoint","desc":"c","lat":-1000000,"lon":1,"rad":50},"#
          + #"{"_type":"waypoint","desc":"d","lat":"foo","lon":1,"rad":50},{"_type":"waypoint","desc":"e","lat":1,"lon":1},"#
          + #"{"_type":"waypoint","desc":"f","lat":1,"lon":1,"rad":0}"#)
        == .setWaypoints([
          .set(CircularRegion(center: home.center, radius: 50, identifier: #"a "b""#)), .remove("c"), .remove("d"),
          .remove("e"), .remove("f"),
        ]))
  }

  @Test(arguments: [
    "", "{}", "[]", "null", #"{"_type":"cmd"}"#, #"{"_type":"cmd","action":"dump"}"#, #"{"_type":"cmd","action":7}"#,
    #"{"_type":"location","action":"status"}"#, #"{"action":"status"}"#, #"{"_type":"cmd","action":"status"} x"#,
    #"{"_type":"cmd","action":"setWaypoints"}"#, #"{"_type":"cmd","action":"setWaypoints","waypoints":[]}"#,
    #"{"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":{}}}"#,
    #"{"_type":"encrypted","data":"AAEC"}"#, #"{"_type":"cmd","action":"status","x":"#, "\u{0}", #"{"a":"\u12"}"#,
  ])
  func whatIsNoneIsNone(text: String) {
    #expect(command(text) == nil)
  }

  @Test func anInvalidWaypointIsSkipped() {
    #expect(
      setWaypoints(#"1,null,[],{},{"_type":"waypoint"},{"_type":"waypoint","desc":""},{"_type":"cmd","desc":"x"}"#)
        == .setWaypoints([]))
    // Nothing that somebody sends takes the memory of this machine.
    let long = String(repeating: " ", count: Publishing.Command.limit)
    #expect(command(long + #"{"_type":"cmd","action":"status"}"#) == nil)
    #expect(setWaypoints(String(repeating: "[", count: 100_000)) == nil)
  }

  @Test func withAKeyOnlyEncryptedCommandsCount() throws {
    let key = try #require(PayloadKey([1]))
    let other = try #require(PayloadKey([2]))
    let status = Array(#"{"_type":"cmd","action":"status"}"#.utf8)
    #expect(Publishing.Command(status, key: key) == nil)
    #expect(Publishing.Command(key.encrypted(status), key: key) == .status)
    #expect(Publishing.Command(other.encrypted(status), key: key) == nil)
    #expect(Publishing.Command(key.encrypted(key.encrypted(status)), key: key) == nil)
    #expect(Publishing.Command(key.encrypted(status)) == nil)
  }

  @Test func commandsAreAnsweredOnTheirTopics() async throws {
    let broker = try RealBroker()
    // A session does not begin with what somebody has asked for on another day.
    try broker.publish(#"{"_type":"cmd","action":"waypoints"}"#, on: Self.topic + "/cmd", isRetained: true)
    let subscriber = try BrokerSubscriber(broker, Self.topic + "/#")
    let changes = Recorder<[FenceChange]>()
    var configuration = PublisherConfiguration(port: broker.port)
    configuration.takesCommands = true
    let publisher = try TestPublisher(configuration, [], fences: [home], onFences: changes.record)
    #expect(await eventually { broker.log.contains("1 owntracks/user/device/cmd") })
    func send(_ text: String, on level: String = "/cmd") throws { try broker.publish(text, on: Self.topic + level) }
    func answers(_ level: String) -> [[String: Any]] {
      subscriber.messages.filter { $0.topic == Self.topic + level }.map(\.json)
    }
    // Where it is, nobody knows yet.
    try send(#"{"_type":"cmd","action":"reportLocation"}"#)
    #expect(await eventually { answers("/status").count == 1 })
    #expect(answers("/status").first?["fix"] as? Bool == false)
    publisher.append(.location(fix(0)))
    #expect(await eventually { answers("").count == 1 })
    try send(#"{"_type":"cmd","action":"reportLocation"}"#)
    #expect(await eventually { answers("").count == 2 })
    #expect(answers("").map { $0["t"] as? String } == [nil, "r"])
    #expect(answers("").map { $0["tst"] as? Int } == [1_700_000_000, 1_700_000_000])
    try send(#"{"_type":"cmd","action":"status"}"#)
    #expect(await eventually { answers("/status").count == 2 })
    #expect(answers("/status").last?["fix"] as? Bool == true)
    #expect(answers("/waypoints").count == 1)
    try send(#"{"_type":"cmd","action":"waypoints"}"#)
    #expect(await eventually { answers("/waypoints").count == 2 })
    // What is on another topic is nothing that this client has asked for.
    try send(#"{"_type":"cmd","action":"status"}"#, on: "")
    try send(#"{"_type":"cmd","action":"dump"}"#)
    try send("nonsense")
    try send(setting(#"{"_type":"waypoint","desc":"far","lat":10,"lon":20,"rad":50}"#))
    #expect(await eventually { changes.values.count == 1 })
    let far = LocationCoordinate2D(latitude: 10, longitude: 20)
    #expect(changes.values == [[.set(CircularRegion(center: far, radius: 50, identifier: "far"))]])
    #expect(answers("/status").count == 2)
    let warnings = publisher.warnings
    #expect(
      warnings.count == 1 && warnings[0].contains("'owntracks/user/device/cmd' is not a known command"), "\(warnings)")
    await publisher.finish()
  }

  @Test func aClientThatMayNotReadTheTopicReportsIt() async throws {
    // An access list of mosquitto's lets everybody subscribe, and sends nothing then.
    let listener = try LoopbackSocket.listener()
    let publisher = try TestPublisher(port: listener.port) { $0.takesCommands = true }
    let client = try listener.accept()
    client.send(acceptance(of: client.receive() ?? []))
    let question = client.receive() ?? []
    try #require(question.count > 4 && question[0] == 0x82, "\(question)")
    // MQTT 5's reason "not authorized" to the question of that number.
    client.send([0x90, 0x04, question[2], question[3], 0x00, 0x87])
    #expect(await eventually { publisher.said.contains { $0.contains("commands are not executed") } })
    await publisher.end()
  }

  @Test func commandsFasterThanTheirAnswersAreIgnored() {
    var delivery = Delivery()
    for _ in 0..<100 { delivery.answer(.status, time: 0) }
    #expect(delivery.drain().count == 20)
    // They are of the session that they were asked in.
    delivery.startOver()
    #expect(delivery.next(at: 0, time: 0) == nil)
  }
}
