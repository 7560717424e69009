import Foundation
import Journal
import LocationKit
import TestSupport
import Testing

@testable import Publishing

@Suite(.startsPrograms) struct OwnTracksMessageTests {
  private static let full = Location(
    coordinate: LocationCoordinate2D(latitude: 37.785834, longitude: -122.406417), altitude: 10.1,
    horizontalAccuracy: 0.4, verticalAccuracy: 9.2, course: 359.7, speed: 9.9,
    timestamp: Date(timeIntervalSince1970: 1_700_000_000.9))

  private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  @Test func aLocation() {
    #expect(
      text(OwnTracksMessage.location(Self.full, trackerID: "ca", regions: ["a\"b"], now: 1_700_000_000))
        == #"{"_type":"location","lat":37.785834,"lon":-122.406417,"tst":1700000000,"acc":1,"alt":10,"vac":10,"vel":36,"#
        + #""cog":0,"tid":"ca","inregions":["a\"b"],"inrids":["a\"b"],"time":"2023-11-14T22:13:20.900Z"}"#)
    #expect(
      text(OwnTracksMessage.location(fix(0, accuracy: nil), now: 1_700_000_007))
        == #"{"_type":"location","lat":37.7858,"lon":-122.4064,"tst":1700000000,"created_at":1700000007}"#)
  }

  @Test func aHeartbeat() {
    #expect(
      text(OwnTracksMessage.heartbeat(Self.full, trackerID: "ca", regions: ["home"], now: 1_700_000_007))
        == #"{"_type":"location","lat":37.785834,"lon":-122.406417,"tst":1700000007,"acc":1,"alt":10,"vac":10,"tid":"ca","#
        + #""inregions":["home"],"inrids":["home"],"t":"p","age":7}"#)
    // The host's clock may be behind the receiver's.
    #expect(
      text(OwnTracksMessage.heartbeat(fix(0, accuracy: nil), now: 1_699_999_999))
        == #"{"_type":"location","lat":37.7858,"lon":-122.4064,"tst":1699999999,"t":"p"}"#)
    #expect(OwnTracksMessage.heartbeat(Location(latitude: 1, longitude: 2), now: 0) == nil)
  }

  /// Home Assistant drops a location whose accuracy is 0.
  @Test func anAccuracyIsAMetreAtLeast() {
    let message = text(OwnTracksMessage.location(fix(0, accuracy: 0), now: 1_700_000_000))
    #expect(message?.contains(#","acc":1}"#) == true, "\(message ?? "")")
  }

  @Test func aLocationWithoutATimeIsNotPublished() {
    #expect(OwnTracksMessage.location(Location(latitude: 1, longitude: 2), now: 0) == nil)
    #expect(OwnTracksMessage.location(fix(.nan), now: 0) == nil)
    #expect(OwnTracksMessage.location(fix(0, latitude: .nan), now: 0) == nil)
  }

  @Test func absurdValuesAreLeftOut() throws {
    var location = fix(0, accuracy: .infinity)
    location.altitude = .nan
    location.speed = 1e300
    location.course = -.infinity
    #expect(
      text(OwnTracksMessage.location(location, now: 1_700_000_000))
        == #"{"_type":"location","lat":37.7858,"lon":-122.4064,"tst":1700000000}"#)
  }

  @Test func aTransition() {
    #expect(
      text(OwnTracksMessage.transition(crossing(.outside, 5), trackerID: "ca", waypointTime: 7))
        == #"{"_type":"transition","event":"leave","desc":"home","rid":"home","wtst":7,"lat":37.7858,"lon":-122.4064,"acc":5,"#
        + #""tst":1700000005,"tid":"ca"}"#)
    var unknown = crossing(.inside, 5)
    unknown.location.horizontalAccuracy = nil
    #expect(
      text(OwnTracksMessage.transition(unknown, waypointTime: 7))
        == #"{"_type":"transition","event":"enter","desc":"home","rid":"home","wtst":7,"lat":37.7858,"lon":-122.4064,"acc":0,"#
        + #""tst":1700000005}"#)
  }

  @Test func aCard() {
    #expect(
      text(OwnTracksMessage.card(DeviceCard(name: "Ann's car", picture: Array("foob".utf8)), trackerID: "ca"))
        == #"{"_type":"card","name":"Ann's car","tid":"ca","face":"Zm9vYg=="}"#)
    #expect(text(OwnTracksMessage.card(DeviceCard())) == #"{"_type":"card"}"#)
  }

  @Test func aWaypointAndAWill() {
    #expect(
      text(OwnTracksMessage.waypoint(Waypoint(region: home, time: 7)))
        == #"{"_type":"waypoint","desc":"home","rid":"home","lat":37.7858,"lon":-122.4064,"rad":50,"tst":7}"#)
    #expect(
      text(OwnTracksMessage.waypoints([Waypoint(region: home, time: 7)]))
        == #"{"_type":"waypoints","_creator":"rxlocationd","waypoints":[{"_type":"waypoint","desc":"home","rid":"home","#
        + #""lat":37.7858,"lon":-122.4064,"rad":50,"tst":7}]}"#)
    #expect(text(OwnTracksMessage.will(time: 7)) == #"{"_type":"lwt","tst":7}"#)
  }

  /// Each kind of message as a broker has it, by OwnTracks' own schema, where it and Python's jsonschema are.
  @Test(.enabled(if: Schema.isAvailable)) func messagesConformToTheSchema() async throws {
    let broker = try RealBroker()
    let subscriber = try BrokerSubscriber(broker, "#")
    var unknown = crossing(.outside, 5)
    unknown.location.horizontalAccuracy = nil
    let records: [JournalRecord] = [
      .location(Self.full), .crossing(crossing(.inside, 1)), .crossing(unknown), .location(fix(6, accuracy: nil)),
    ]
    let proxy = try Proxy(to: broker.port)
    let publisher = try TestPublisher(port: proxy.port, records, fences: [home]) { configuration in
      configuration.trackerID = "ca"
      configuration.card = DeviceCard(name: "Ann", picture: [1, 2, 3])
      configuration.takesCommands = true
      configuration.heartbeat = 0.1
    }
    func has(_ text: String) -> Bool { subscriber.contains(text) }
    #expect(await eventually { has(#""t":"p""#) && broker.log.contains("1 owntracks/user/device/cmd") })
    let command = #"{"_type":"cmd","action":"reportLocation"}"#
    try broker.publish(command, on: "owntracks/user/device/cmd")
    #expect(await eventually { has(#""t":"r""#) })
    publisher.append(.error(LocationError(.locationUnknown, "x"), nil))
    #expect(await eventually { has(#""_type":"status""#) })
    proxy.cut()
    #expect(await eventually { has(#""_type":"lwt""#) })
    await publisher.end()
    let messages = subscriber.messages.filter { !$0.isRetained }
    let types = Set(messages.compactMap { $0.json["_type"] as? String })
    #expect(types == ["location", "transition", "waypoint", "waypoints", "card", "status", "lwt", "cmd"])
    #expect(try Schema.complaints(messages.map(\.payload)) == "")
    #expect(try Schema.complaints([#"{"_type":"location","lat":1}"#]) != "")
  }
}

/// ../shared/owntracks beside the checkout.
enum Schema {
  static let path = Checkout.shared.appending(path: "owntracks/message.schema.json").path

  static var isAvailable: Bool { FileManager.default.fileExists(atPath: path) && Python.has("jsonschema") }

  /// What the schema says against messages, one a line.
  static func complaints(_ messages: [String]) throws -> String {
    let program = """
      import json, jsonschema, sys
      validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
      for line in sys.stdin:
          for error in validator.iter_errors(json.loads(line)): print(line.strip(), error.message)
      """
    return try Python.run(program, [path], input: messages.joined(separator: "\n") + "\n")
  }
}
