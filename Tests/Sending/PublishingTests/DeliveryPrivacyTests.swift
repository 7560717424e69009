import Foundation
import Journal
import LocationKit
import Platform
import TestSupport
import Testing
import Writing

@testable import Publishing

/// What is sent of rows that a policy withholds.
extension DeliveryTests {
  /// A policy that hides `home`, whose zone is 400 metres around a place 200 metres east of it.
  private static let hiding = PrivacyPolicy(hiding: [HiddenZone(around: home, distance: 0, bearing: 0.25)])

  private static let away = 38.0
  private var work: CircularRegion {
    CircularRegion(
      center: LocationCoordinate2D(latitude: Self.away, longitude: -122.4064), radius: 50, identifier: "work")
  }

  /// Ten minutes away, ten at home, and ten away, in steps of ten seconds.
  private var trip: [JournalRecord] {
    (0..<180).map { .location(fix(Double($0) * 10, latitude: (60..<120).contains($0) ? 37.7858 : Self.away)) }
  }

  @Test func rowsInsideAreLeftOutAndCountAsDelivered() {
    var delivery = Delivery { $0.privacy = Self.hiding }
    delivery.receive(entries(trip), newest: 180)
    let messages = delivery.deliver()
    #expect(messages.allSatisfy { $0.json["lat"] as? Double == Self.away })
    // Not the first 20 seconds, and not those after the return.
    let expected = Array(stride(from: 20, to: 600, by: 10)) + stride(from: 1220, to: 1800, by: 10)
    #expect(messages.map(\.number) == expected)
    #expect(delivery.cursor == 180 && delivery.account.isSettled && delivery.account.lost == 0)
  }

  @Test func hiddenRowsMoveTheCursorByThemselves() {
    var delivery = Delivery { $0.privacy = Self.hiding }
    delivery.receive(entries(Array(trip[60..<120])), newest: 60)
    #expect(delivery.drain().isEmpty)
    #expect(delivery.cursor == 60 && delivery.isIdle)
  }

  /// At a new session rows are read again, and what was hidden stays hidden without another dwell for what was visible.
  @Test(arguments: [30, 61, 63, 100, 121, 130]) func aNewSessionContinuesWithTheSameRows(row: Int) {
    func sent(interrupted: Bool) -> [Int?] {
      var delivery = Delivery { $0.privacy = Self.hiding }
      let rows = entries(trip)
      delivery.receive(Array(rows[..<row]), newest: 180)
      let first = delivery.deliver()
      if interrupted {
        // Unacknowledged rows, and unsent ones.
        delivery.receive(Array(rows[row..<min(180, row + 40)]), newest: 180)
        for number in 0..<3 {
          if let message = delivery.next(at: 0, time: 1_700_000_000) { delivery.sent(message, as: 10 + Int32(number)) }
        }
        delivery.startOver()
      }
      delivery.receive(Array(rows[Int(delivery.cursor)...]), newest: 180)
      return (first + delivery.deliver()).map(\.number)
    }
    #expect(sent(interrupted: true) == sent(interrupted: false))
  }

  @Test func anAnswerHasNoHiddenLocation() {
    var delivery = Delivery { $0.privacy = Self.hiding }
    delivery.receive(entries(Array(trip[..<100])), newest: 100)
    _ = delivery.deliver()
    delivery.answer(.reportLocation, time: 0)
    let answer = delivery.next(at: 0, time: 1_700_000_000)
    #expect(answer?.topic == Self.topic + "/status" && answer?.json["fix"] as? Bool == false)
  }

  @Test(arguments: [true, false]) func crossingsOfKnownFencesAreSentOutside(hasGrid: Bool) {
    let privacy = hasGrid ? PrivacyPolicy(grid: PrivacyGrid(metres: 100)) : Self.hiding
    var delivery = Delivery { ($0.privacy, $0.announcesToHomeAssistant) = (privacy, true) }
    delivery.setFences([home, work].filter(privacy.tells).map { Waypoint(region: $0, time: 7) })
    let elsewhere = CircularRegion(center: work.center, radius: 50, identifier: "elsewhere")
    let outside = entries([
      .location(fix(0, latitude: Self.away)), .location(fix(30, latitude: Self.away)),
      .crossing(crossing(.inside, 31, region: work)), .crossing(crossing(.inside, 31, region: elsewhere)),
      // The crossing of the home may come before the fix that shows it.
      .crossing(crossing(.inside, 60)), .location(fix(60)), .crossing(crossing(.outside, 61, region: work)),
    ])
    delivery.receive(outside, newest: 7, states: ["home": false, "work": false])
    let messages = delivery.drain()
    #expect(messages.compactMap { $0.json["desc"] as? String }.filter { $0 != "work" }.isEmpty)
    #expect(messages.count { $0.topic.hasSuffix("/event") } == (hasGrid ? 0 : 1))
    let all = String(decoding: messages.flatMap { Array($0.topic.utf8) + $0.payload }, as: UTF8.self)
    #expect(!all.contains("home\"") && !all.contains("fence-home") && !all.contains(":37.7858,"))
    #expect(all.contains("fence-work") != hasGrid)
  }

  /// A crossing inside a hidden zone is told at no time: not while the fix is still visible, not in the zone, and not by a
  /// state of Home Assistant after it.
  @Test func fencesKeepTheirStatesInAHiddenZone() {
    var delivery = Delivery { ($0.privacy, $0.announcesToHomeAssistant) = (Self.hiding, true) }
    delivery.setFences([Waypoint(region: work, time: 7)])
    func receive(_ range: Range<Int>, isInside: Bool) -> [[String: Bool]?] {
      let rows = entries(Array(trip[range]), from: Int64(range.lowerBound) + 1)
      delivery.receive(rows, newest: Int64(range.upperBound), states: ["work": isInside, "home": true])
      let states = delivery.deliver().filter { $0.topic.hasSuffix("/state") }
      return states.map { $0.json["fences"] as? [String: Bool] }
    }
    // At first the filter does not know yet that the receiver is outside.
    _ = receive(30..<55, isInside: false)
    #expect(receive(55..<60, isInside: true).last == ["work": true])
    #expect(receive(60..<90, isInside: true).allSatisfy { $0 == ["work": true] })
    #expect(receive(90..<100, isInside: false).isEmpty, "the zone hides that the receiver has left")
    #expect(receive(100..<110, isInside: true).isEmpty)
  }

  @Test func aGridIsAllThatIsSentOfALocation() {
    var delivery = Delivery { $0.privacy = PrivacyPolicy(grid: PrivacyGrid(metres: 1000)) }
    var location = fix(5)
    (location.altitude, location.speed, location.course) = (100, 10, 45)
    delivery.receive(entries([.location(location)]), newest: 1)
    let message = delivery.next(at: 0, time: 1_700_000_005)
    #expect(message?.number == 5)
    #expect((message?.json["acc"] as? Int ?? 0) > 690)
    #expect(message?.json["lat"] as? Double != 37.7858)
    for name in ["alt", "vac", "vel", "cog"] { #expect(message?.json[name] == nil) }
  }
}

@Suite(.startsPrograms) struct PublisherPrivacyTests {
  /// Its fences are changed by a command that moves the hidden one.
  @Test func aHiddenFenceIsNotAnnounced() async throws {
    let broker = try RealBroker()
    let subscriber = try BrokerSubscriber(broker, "#")
    var configuration = PublisherConfiguration(port: broker.port)
    configuration.privacy = PrivacyPolicy(hiding: [HiddenZone(around: home, distance: 0, bearing: 0.25)])
    configuration.announcesToHomeAssistant = true
    let away = LocationCoordinate2D(latitude: 38, longitude: -122.4064)
    let work = CircularRegion(center: away, radius: 50, identifier: "work")
    // Of an earlier run that did not hide them; one of them is not watched any more.
    let office = CircularRegion(center: home.center, radius: 50, identifier: "office")
    let path = broker.folder.file("journal.db")
    await (try JournalWriter(path: path, limit: 1 << 20, mode: .live)).finish()
    let queue = try JournalReader(path: path, name: "publish")
    _ = try queue.waypointTimes(of: ["home", "office", "gone"], now: 1)
    let publisher = try Publisher(configuration, queue: queue, fences: [home, office, work]) { _ in }
    #expect(await eventually { subscriber.contains("\"work\"") && subscriber.contains("fence-gone/config ") })
    publisher.setFences([CircularRegion(center: away, radius: 99, identifier: "home"), office, work])
    publisher.setFences([home, office])
    #expect(await eventually { subscriber.contains("\"waypoints\":[]") })
    await publisher.finish()
    for text in ["fence-home", "\"home\"", "fence-office", "\"office\""] { #expect(!subscriber.contains(text)) }
    #expect(try queue.waypointTimes(of: [], now: 0).keys.sorted() == ["gone", "home", "office", "work"])
  }
}
