import Foundation
import Journal
import LocationKit
import Testing
@testable import Publishing

/// What is sent besides rows: fences, the card and heartbeats.
extension DeliveryTests {
  @Test func fencesAreAnnouncedEachAndTogether() {
    var delivery = Delivery()
    delivery.setFences([])
    #expect(delivery.drain().isEmpty)
    let work = CircularRegion(center: home.center, radius: 70, identifier: "work")
    delivery.setFences([Waypoint(region: home, time: 7), Waypoint(region: work, time: 9)])
    let messages = delivery.drain()
    #expect(messages.map(\.topic) == ["/waypoint", "/waypoint", "/waypoints"].map { Self.topic + $0 })
    #expect(messages.allSatisfy { !$0.isRetained })
    #expect(messages.map { $0.json["tst"] as? Int } == [7, 9, nil])
    #expect(messages.map { $0.json["rad"] as? Int } == [50, 70, nil])
    let list = messages[2].json["waypoints"] as? [[String: Any]]
    #expect(list?.map { $0["rid"] as? String } == ["home", "work"])
    #expect(list?.map { $0["tst"] as? Int } == [7, 9])
    // That there are none any more is worth a message, and those before, which are on their way, are not repeated.
    delivery.setFences([])
    delivery.startOver()
    let none = delivery.drain(from: 10)
    #expect(none.map(\.topic) == [Self.topic + "/waypoints"])
    #expect((none.first?.json["waypoints"] as? [Any])?.isEmpty == true)
  }

  @Test func theCardIsSentInEachSession() {
    var delivery = Delivery { $0.card = DeviceCard(name: "Ann") }
    for _ in 0..<2 {
      delivery.startSession()
      let card = delivery.next(at: 0, time: 0)
      #expect(card?.topic == Self.topic + "/info" && card?.isRetained == true)
      #expect(card?.json["name"] as? String == "Ann")
      #expect(delivery.next(at: 0, time: 0) == nil)
      // One that was not acknowledged is not sent twice in the next one.
      if let card { delivery.sent(card, as: 1) }
      delivery.startOver()
    }
  }

  /// Where nobody remembers fences, a restart must not give one another time, nor two the same.
  @Test func aFenceTimeDerivedFromItsNameStays() {
    #expect(Waypoint.time(of: "home") == 1_087_889_774)
    #expect(Waypoint.time(of: "work") != Waypoint.time(of: "home"))
    #expect(Waypoint.time(of: "") >= 1_000_000_000)
  }

  @Test func theWaypointOfACrossingIsNamedByItsTime() {
    var delivery = Delivery()
    delivery.setFences([Waypoint(region: home, time: 7)])
    let elsewhere = CircularRegion(center: home.center, radius: 50, identifier: "elsewhere")
    delivery.receive(
      entries([.crossing(crossing(.inside, 3)), .crossing(crossing(.inside, 4, region: elsewhere))]), newest: 2)
    // Entering and leaving a fence that is not watched any more agree.
    let times = delivery.drain().map { $0.json["wtst"] as? Int }
    #expect(times == [nil, nil, 7, Waypoint.time(of: "elsewhere")])
  }

  @Test func repeatsTheLastLocationWhenNothingWasSent() {
    var delivery = Delivery(heartbeat: 60)
    #expect(delivery.deadline == nil)
    var moving = fix(0)
    (moving.speed, moving.course) = (10, 90)
    delivery.receive(entries([.location(moving)]), newest: 1)
    let first = delivery.drain(at: 100)
    #expect(first.first?.json["t"] == nil)
    #expect(first.first?.json["vel"] as? Int == 36)
    // Not while something is on its way.
    #expect(delivery.deadline == nil)
    delivery.acknowledge(1)
    #expect(delivery.deadline == 160)
    #expect(delivery.next(at: 159, time: 0) == nil)
    let beat = delivery.next(at: 160, time: 1_700_000_061)
    #expect(beat?.topic == Self.topic && beat?.isRetained == true)
    #expect(beat?.json["t"] as? String == "p")
    // A time that was there before would look like a message that came twice.
    #expect(beat?.number == 61)
    #expect(beat?.json["age"] as? Int == 61)
    #expect(beat?.json["acc"] as? Int == 5)
    #expect(["vel", "cog", "created_at"].allSatisfy { beat?.json[$0] == nil })
    #expect(delivery.cursor == 1)
    #expect(delivery.deadline == 220)
  }

  @Test func heartbeatsWithoutAFixHaveNoPosition() throws {
    var delivery = Delivery(heartbeat: 60)
    func beat(at now: Double) throws -> OutgoingMessage {
      let message = delivery.next(at: now, time: 1_700_000_000)
      #expect(delivery.next(at: now, time: 1_700_000_000) == nil)
      return try #require(message)
    }
    // Before the first fix, from the beginning on.
    #expect(delivery.next(at: 0, time: 0) == nil)
    var message = try beat(at: 60)
    #expect(message.topic == Self.topic + "/status" && !message.isRetained)
    #expect(String(decoding: message.payload, as: UTF8.self) == #"{"_type":"status","tst":1700000000,"fix":false}"#)
    delivery.receive(locations([0]), newest: 1)
    #expect(delivery.drain(at: 61).count == 1)
    delivery.acknowledge(1)
    message = try beat(at: 121)
    #expect(message.topic == Self.topic)
    // A fence that cannot be watched is no loss of the fix; what cannot be located is.
    delivery.receive(entries([.error(LocationError(.regionMonitoringFailure, "x"), nil)], from: 2), newest: 2)
    message = try beat(at: 181)
    #expect(message.topic == Self.topic)
    for code in [LocationError.Code.locationUnknown, .network] {
      delivery.receive(entries([.error(LocationError(code, "x"), nil)], from: 3), newest: 3)
      message = try beat(at: 1000)
      #expect(message.topic == Self.topic + "/status")
      delivery.receive(locations([2], from: 4), newest: 4)
      #expect(delivery.drain(from: 2, at: 1001).map(\.topic) == [Self.topic])
      delivery.acknowledge(2)
      message = try beat(at: 2000)
      #expect(message.topic == Self.topic)
      delivery = Delivery(cursor: 2, heartbeat: 60)
      #expect(delivery.next(at: 0, time: 0) == nil)
    }
  }
}
