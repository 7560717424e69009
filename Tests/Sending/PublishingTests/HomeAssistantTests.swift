import Foundation
import Journal
import LocationKit
import TestSupport
import Testing

@testable import Publishing

/// What Home Assistant is told of the device, with a real mosquitto where the broker matters.
@Suite(.startsPrograms) struct HomeAssistantTests {
  private static let topic = "owntracks/user/device"
  private static let node = "rxlocationd-owntracks-user-device"

  @Test func aSessionAnnouncesTheDeviceAndItsAbsence() async throws {
    let broker = try RealBroker()
    var location = fix(0)
    location.speed = 2.5
    location.quality = GNSSQuality(status: .rtkFixed, hdop: 0.7)
    let records: [JournalRecord] = [.location(location), .crossing(crossing(.inside, 1))]
    let publisher = try TestPublisher(port: broker.port, records, fences: [home]) { $0.announcesToHomeAssistant = true }
    #expect(await eventually { publisher.cursor == 2 })
    let subscriber = try BrokerSubscriber(broker, "#")
    func retained(_ topic: String) -> [String: Any] { subscriber.messages.last { $0.topic == topic }?.json ?? [:] }
    let state = "rxlocationd/\(Self.topic)/state"
    #expect(await eventually { (retained(state)["fences"] as? [String: Bool]) == ["home": true] })
    #expect(retained(state)["latitude"] as? Double == 37.7858 && retained(state)["gps_accuracy"] as? Double == 5)
    #expect(retained(state)["speed"] as? Double == 2.5 && retained(state)["fix"] as? Bool == true)
    #expect(retained(state)["status"] as? String == "rtkFixed" && retained(state)["hdop"] as? Double == 0.7)
    let tracker = retained("homeassistant/device_tracker/\(Self.node)/position/config")
    #expect(tracker["json_attributes_topic"] as? String == state && tracker["source_type"] as? String == "gps")
    #expect((tracker["device"] as? [String: Any])?["name"] as? String == "device")
    let identifiers = [
      ("device_tracker", "position"), ("sensor", "speed"), ("sensor", "accuracy"), ("binary_sensor", "fix"),
      ("binary_sensor", "fence-home"),
    ].compactMap { retained("homeassistant/\($0)/\(Self.node)/\($1)/config")["unique_id"] as? String }
    #expect(Set(identifiers).count == 5, "\(identifiers)")
    #expect(subscriber.contains("rxlocationd/\(Self.topic)/availability 1 online"))

    await publisher.finish()
    #expect(await eventually { subscriber.contains("rxlocationd/\(Self.topic)/availability 0 offline") })
    let late = try BrokerSubscriber(broker, "rxlocationd/+/+/+/availability")
    #expect(await eventually { late.contains(" 1 offline") })
  }

  @Test func theBrokerReportsTheAbsenceOfAKilledClient() async throws {
    let broker = try RealBroker()
    let proxy = try Proxy(to: broker.port)
    let publisher = try TestPublisher(port: proxy.port) { $0.announcesToHomeAssistant = true }
    #expect(await eventually { publisher.cursor == 1 })
    let subscriber = try BrokerSubscriber(broker, "rxlocationd/+/+/+/availability")
    #expect(await eventually { subscriber.contains("availability 1 online") })
    proxy.cut()
    // The next session says at once that it is back.
    #expect(
      await eventually {
        subscriber.contains("availability 0 offline\nrxlocationd/\(Self.topic)/availability 0 online")
      })
    await publisher.end()
  }

  private func delivery(_ fences: [Waypoint]) -> Delivery {
    var delivery = Delivery { $0.announcesToHomeAssistant = true }
    delivery.startSession()
    delivery.setFences(fences)
    return delivery
  }

  private func states(_ messages: [OutgoingMessage]) -> [String] {
    messages.filter { $0.topic == "rxlocationd/\(Self.topic)/state" }.map {
      String(decoding: $0.payload, as: UTF8.self)
    }
  }

  @Test func unknownValuesAreAbsentFromTheState() {
    var delivery = delivery([Waypoint(region: home, time: 7)])
    delivery.receive([], newest: 0)
    #expect(states(delivery.deliver()) == [#"{"fix":false,"fences":{}}"#])
    #expect(delivery.deliver().isEmpty)
    // Those of the queue that are not the newest are none of its state.
    delivery.receive(entries([.location(fix(0)), .location(fix(1, accuracy: nil))]), newest: 2)
    let where1 = #""time":"2023-11-14T22:13:21.000Z","latitude":37.7858,"longitude":-122.4064"#
    #expect(states(delivery.deliver()) == [#"{"fix":true,\#(where1),"fences":{}}"#])
    delivery.receive([], newest: 2, states: ["home": false, "a fence of yesterday": true])
    #expect(states(delivery.deliver()) == [#"{"fix":true,\#(where1),"fences":{"home":false}}"#])
    let loss = JournalRecord.error(LocationError(.locationUnknown, "x"), nil)
    delivery.receive(entries([loss, loss], from: 3), newest: 4, states: ["home": false])
    #expect(states(delivery.deliver()) == [#"{"fix":false,"fences":{"home":false}}"#])
    // A new session says it once more, for the broker may have forgotten it.
    delivery.startOver()
    delivery.startSession()
    delivery.receive([], newest: 4, states: ["home": false])
    #expect(states(delivery.deliver()) == [#"{"fix":false,"fences":{"home":false}}"#])
  }

  @Test func aNewFixDoesNotBringBackTheLocationBeforeTheLoss() {
    var delivery = Delivery(interval: 10) { $0.announcesToHomeAssistant = true }
    delivery.isDraining = true
    delivery.receive(entries(fixes(1)), newest: 1)
    #expect(states(delivery.deliver()).count == 1)
    delivery.isDraining = false
    delivery.receive(entries([.error(LocationError(.locationUnknown, "x"), nil)], from: 2), newest: 2)
    #expect(states(delivery.deliver()) == [#"{"fix":false,"fences":{}}"#])
    delivery.startOver()
    delivery.startSession()
    // The location of the new fix waits for the end of its interval.
    delivery.receive(entries([.location(fix(60))], from: 3), newest: 3)
    #expect(states(delivery.deliver()).isEmpty)
  }

  @Test func aFenceThatIsNoLongerWatchedIsRemoved() {
    var delivery = delivery([Waypoint(region: home, time: 7)])
    delivery.receive([], newest: 0)
    _ = delivery.deliver()
    delivery.setFences([], earlier: ["it's"])
    let withdrawn = delivery.deliver().filter { $0.topic.hasSuffix("/config") }
    #expect(withdrawn.allSatisfy { $0.payload.isEmpty && $0.isRetained })
    #expect(
      withdrawn.map(\.topic)
        == ["fence-home", "fence-it_27s"].map { "homeassistant/binary_sensor/\(Self.node)/\($0)/config" })
  }

  @Test func aNameTooLongForATopicIsShortened() {
    let long = String(repeating: "ü", count: 30_000)
    let sensors = [long, long + "x"].map { HomeAssistant(topic: long).fence($0).topic }
    #expect(sensors.allSatisfy { $0.utf8.count < 200 } && sensors[0] != sensors[1])
  }

  @Test func theDeviceHasTheNameOfItsCard() {
    func name(_ assistant: HomeAssistant) -> String? {
      (assistant.device()[0].json["device"] as? [String: Any])?["name"] as? String
    }
    #expect(name(HomeAssistant(topic: Self.topic)) == "device")
    #expect(name(HomeAssistant(topic: Self.topic, name: "Ann's car")) == "Ann's car")
  }

  /// The templates, in the language that Home Assistant reads them in, where that is.
  @Test(.enabled(if: Python.has("jinja2"))) func theTemplatesRenderTheState() throws {
    let name = #"a"b'}} \ é"#
    let assistant = HomeAssistant(topic: Self.topic)
    let templates = (assistant.device() + [assistant.fence(name)]).compactMap { $0.json["value_template"] as? String }
    #expect(templates.count == 4)
    var moving = fix(0)
    moving.speed = 2.5
    let states = [
      assistant.state(moving, fences: [name: true]), assistant.state(moving, fences: [name: false]),
      assistant.state(fix(0, accuracy: nil), fences: [:]), assistant.state(nil, fences: [:]),
    ].map { String(decoding: $0.payload, as: UTF8.self) }
    let program = """
      import jinja2, json, sys
      templates, states = json.load(sys.stdin)
      environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
      for state in states:
          print(*(environment.from_string(t).render(value_json=json.loads(state)) for t in templates))
      """
    let input = try JSONSerialization.data(withJSONObject: [templates, states])
    #expect(
      try Python.run(program, input: String(decoding: input, as: UTF8.self)) == """
        2.5 5.0 ON ON
        2.5 5.0 ON OFF
        None None ON None
        None None OFF None

        """)
  }
}
