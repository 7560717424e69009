import Foundation
import Journal
import LocationKit
import TestSupport
import Testing

@testable import Collecting
@testable import Publishing

@Suite(.inTurn) struct DeviceMessageTests {
  private func read(_ text: String, key: PayloadKey? = nil) throws -> DeviceMessage {
    try DeviceMessage(Array(text.utf8), from: "ann/car", key: key)
  }

  @Test func readsTheLocationsOfThisProgram() throws {
    let location = Location(
      coordinate: LocationCoordinate2D(latitude: 37.785834, longitude: -122.406417), altitude: 10,
      horizontalAccuracy: 4, verticalAccuracy: 9, course: 270, speed: 10,
      timestamp: Date(timeIntervalSince1970: 1_700_000_000.25), mode: .threeDimensional,
      sourceInformation: LocationSourceInformation(deviceIdentifier: "ann/car"))
    let payload = try #require(OwnTracksMessage.location(location, now: 1_700_000_000))
    #expect(try DeviceMessage(payload, from: "ann/car") == .location(location))
  }

  @Test(arguments: [("80", 80), ("100.0", 100), ("-1", nil), ("255", nil), ("\"80\"", nil)] as [(String, Int?)])
  func aBatteryHasAChargeInPercent(text: String, charge: Int?) throws {
    let payload = #"{"_type":"location","lat":1,"lon":2,"tst":1700000000,"batt":\#(text)}"#
    #expect(try DeviceMessage.read(Array(payload.utf8), from: "ann/car", key: nil).battery == charge)
  }

  @Test func aRepeatedMessageIsTheSameRecord() throws {
    let location = Location(
      coordinate: LocationCoordinate2D(latitude: 37.785834, longitude: -122.406417), altitude: 10,
      timestamp: Date(timeIntervalSince1970: 1_700_000_000.25))
    let key = try #require(PayloadKey(Array("secret".utf8)))
    let first = try #require(OwnTracksMessage.location(location, now: 1_700_000_000))
    let later = try #require(OwnTracksMessage.location(location, now: 1_700_000_600))
    #expect(first != later, "it says when it was sent")
    let payloads = [first, later, key.encrypted(first), key.encrypted(first)]
    let numbers = try payloads.map { payload in
      let message = try DeviceMessage(payload, from: "ann/car", key: key)
      return DeviceRecord(message, received: Date())?.message
    }
    #expect(Set(numbers).count == 1)
    var other = location
    other.coordinate.latitude += 1e-6
    let different = try DeviceMessage(#require(OwnTracksMessage.location(other, now: 1_700_000_000)), from: "ann/car")
    #expect(DeviceRecord(different, received: Date())?.message != numbers[0])
  }

  @Test func absentMembersAreUnknown() throws {
    let place = Location(
      coordinate: LocationCoordinate2D(latitude: 1, longitude: 2), timestamp: Date(timeIntervalSince1970: 3),
      sourceInformation: LocationSourceInformation(deviceIdentifier: "ann/car"))
    #expect(
      try read(#"{"_type":"location","lat":1,"lon":2,"tst":3,"acc":0,"vac":-1,"vel":-1,"cog":-1}"#) == .location(place))
    #expect(
      try read(#"{"_type":"location","lat":1,"lon":2,"tst":3,"acc":-1,"alt":NaN,"vac":0,"vel":Infinity,"cog":360}"#)
        == .location(place))
    // The accuracy of an altitude says nothing without the altitude.
    #expect(try read(#"{"_type":"location","lat":1,"lon":2,"tst":3,"vac":5}"#) == .location(place))
  }

  @Test func aFractionOfAnotherSecondDoesNotCount() throws {
    guard
      case .location(let location) = try read(
        #"{"_type":"location","lat":1,"lon":2,"tst":1700000000,"time":"2020-01-01T00:00:00.5Z"}"#)
    else { return #expect(Bool(false)) }
    #expect(location.timestamp == Date(timeIntervalSince1970: 1_700_000_000))
  }

  @Test(arguments: [
    ("", DeviceMessage.Problem.malformed), ("[]", .malformed), ("{}", .malformed), (#"{"_type":7}"#, .malformed),
    (#"{"_type":"location","lat":1,"lon":2}"#, .noTime), (#"{"_type":"location","lat":1,"lon":2,"tst":-1}"#, .noTime),
    (#"{"_type":"location","lat":1,"lon":2,"tst":1e300}"#, .noTime),
    (#"{"_type":"location","lat":1,"lon":2,"tst":4102444800}"#, .noTime),
    (#"{"_type":"location","lat":1,"lon":2,"tst":1714564800000}"#, .noTime),
    (#"{"_type":"location","lat":1,"lon":2,"tst":"1714564800"}"#, .noTime),
    (#"{"_type":"location","lat":1,"lon":2,"tst":-62167219200}"#, .noTime),
    (#"{"_type":"location","lon":2,"tst":1}"#, .noPlace), (#"{"_type":"location","lat":91,"lon":2,"tst":1}"#, .noPlace),
    (#"{"_type":"transition","lat":1,"lon":2,"tst":1,"event":"enter"}"#, .malformed),
    (#"{"_type":"encrypted","data":"AAAA"}"#, .encrypted),
    (#"{"_type":"card","face":""# + String(repeating: "A", count: 300_000) + #""}"#, .tooLong),
  ])
  func saysWhatIsWrong(text: String, problem: DeviceMessage.Problem) {
    #expect(throws: problem) { try read(text) }
  }

  @Test func anyBytesAreRefusedOrRead() {
    var random = SplitMix(state: 7)
    let message = Array(#"{"_type":"location","lat":1.5,"lon":2,"tst":3,"acc":4,"time":"x","data":"\u0041"}"#.utf8)
    for _ in 0..<20_000 {
      var bytes = message
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random) / 8)
      if case .location(let location) = try? DeviceMessage(bytes, from: "a/b") {
        #expect(location.coordinate.isValid && location.timestamp != nil)
      }
    }
  }

  @Test(arguments: [
    ("owntracks/+/+", "owntracks/ann/car", "ann/car"), ("owntracks/+/+", "owntracks/ann/car/event", "ann/car"),
    ("owntracks/+/+", "owntracks/ann/car/info", "ann/car"), ("owntracks/+/+", "owntracks/ann", nil),
    ("owntracks/+/+", "other/ann/car", nil), ("owntracks/+/event", "owntracks/ann/event", "ann"),
    ("fleet/+", "fleet/van", "van"), ("fleet/+/gps", "fleet/van/gps", "van"), ("a/b", "a/b", "a/b"),
    ("x/a/b", "x/a/b", "a/b"), ("owntracks/#", "owntracks/ann/car", "ann/car"),
    ("owntracks/#", "owntracks/ann/car/event", "ann/car"), ("owntracks/#", "owntracks/event", "event"),
    ("owntracks/#", "owntracks", nil), ("#", "ann/car", "ann/car"), ("+/+", "/car", "/car"), ("fleet/+", "fleet/", nil),
    ("fleet/+", "fleet/\u{301}x", "\u{301}x"),
    ("fleet/+", "fleet/" + String(repeating: "x", count: 1001), nil),
  ])
  func aTopicIsOfADevice(filter: String, topic: String, device: String?) throws {
    #expect(try #require(TopicFilter(filter)).device(of: topic) == device)
  }

  @Test(arguments: ["", "a+/b", "a/+\u{301}", "a/#/b", "#a", "a\0b", "$share/us/a"])
  func refusesAnInvalidFilter(text: String) {
    #expect(TopicFilter(text) == nil)
  }
}
