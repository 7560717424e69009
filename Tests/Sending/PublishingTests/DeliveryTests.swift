import Foundation
import Journal
import LocationKit
import Platform
import TestSupport
import Testing

@testable import Publishing

/// The publisher's decisions, without a broker and without waiting.
@Suite(.inTurn) struct DeliveryTests {
  static let topic = "owntracks/user/device"

  func locations(_ times: [Double], from first: Int64 = 1) -> [JournalEntry] {
    entries(times.map { .location(fix($0)) }, from: first)
  }

  @Test func keepsAWindowAndMovesTheCursorInOrder() {
    var delivery = Delivery()
    delivery.receive(locations((0..<30).map(Double.init)), newest: 30)
    #expect(delivery.drain().count == 20)
    delivery.acknowledge(2)
    delivery.acknowledge(3)
    #expect(delivery.cursor == 0)
    // What is acknowledged ahead of the cursor is part of the window: an interruption would repeat it.
    #expect(delivery.next(at: 0, time: 0) == nil)
    delivery.acknowledge(1)
    #expect(delivery.cursor == 3)
    #expect(delivery.drain(from: 21).compactMap(\.number) == [20, 21, 22])
  }

  @Test func aLocationThatWaitedDoesNotEndALaterLoss() {
    var delivery = Delivery(interval: 10, heartbeat: 60)
    for (episode, start) in [0.0, 100].enumerated() {
      let first = Int64(episode * 2) + 1
      let loss = JournalRecord.error(LocationError(.locationUnknown, ""), nil)
      delivery.receive(entries([.location(fix(start)), loss], from: first), newest: first + 1)
      #expect(delivery.drain(at: start).isEmpty)
      #expect(delivery.drain(at: start + 10).map(\.number) == [Int(start)])
      delivery.acknowledge(1)
      delivery.answer(.reportLocation, time: 0)
      let answer = delivery.drain(at: start + 11).first
      #expect(answer?.topic == Self.topic + "/status" && answer?.json["fix"] as? Bool == false)
      delivery.acknowledge(1)
    }
  }

  @Test func rowsThatAreGoneAreCountedInEachEpisode() {
    var delivery = Delivery(cursor: 10)
    for (gone, newest) in [(Int64(15), Int64(17)), (20, 21)] {
      delivery.receive(locations([0], from: gone + 1), newest: newest)
      #expect(delivery.drain().count == 1)
      delivery.acknowledge(1)
    }
    // Rows 11 to 15 and 17 to 20.
    #expect(delivery.account.drops == [.limit: 9] && delivery.account.written == 2 && delivery.cursor == 21)
  }

  @Test(arguments: [[1, 2], [2, 1]] as [[Int32]])
  func theOlderOfTwoRefusedRowsIsSentAlone(refused: [Int32]) {
    var delivery = Delivery()
    delivery.receive(locations([0, 1, 2]), newest: 3)
    #expect(delivery.drain().count == 3)
    for identifier in refused { delivery.refuse(identifier) }
    delivery.acknowledge(3)
    delivery.startOver()
    delivery.receive(locations([0, 1, 2]), newest: 3)
    #expect(delivery.drain(from: 4).compactMap(\.number) == [0])
    #expect(delivery.isRefused)
    delivery.acknowledge(4)
    #expect(!delivery.isRefused)
    #expect(delivery.drain(from: 5).compactMap(\.number) == [1, 2])
  }

  @Test func aRefusedRowIsSentAgainAlone() {
    var delivery = Delivery()
    let rows = locations((0..<30).map(Double.init))
    delivery.receive(rows, newest: 30)
    #expect(delivery.drain().count == 20)
    delivery.acknowledge(1)
    delivery.acknowledge(3)
    delivery.refuse(2)
    #expect(delivery.isRefused && delivery.cursor == 1)
    for turn in 0..<2 {
      delivery.startOver()
      delivery.receive(Array(rows[1...]), newest: 30)
      let identifier = Int32(100 + turn)
      #expect(delivery.drain(from: identifier).compactMap(\.number) == [1])
      delivery.refuse(identifier)
      #expect(delivery.isRefused && delivery.cursor == 1)
    }
    delivery.startOver()
    delivery.receive(Array(rows[1...]), newest: 30)
    _ = delivery.drain(from: 200)
    delivery.acknowledge(200)
    #expect(!delivery.isRefused && delivery.cursor == 2)
    #expect(delivery.drain(from: 201).count == 20)
  }

  /// What a session begins with by itself must not stand in for the row that ended the one before.
  @Test func aSessionAfterABrokenOneBeginsWithOneRowAfterTheCard() {
    var delivery = Delivery { $0.card = DeviceCard(name: "Ann") }
    delivery.startOver(isCareful: true)
    delivery.startSession()
    delivery.receive(locations((0..<30).map(Double.init)), newest: 30)
    #expect(delivery.drain().map(\.topic) == [Self.topic + "/info"])
    delivery.acknowledge(1)
    #expect(delivery.drain(from: 2).map(\.topic) == [Self.topic])
    delivery.acknowledge(2)
    #expect(delivery.drain(from: 3).count == 20)
    delivery.startOver()
    delivery.receive(locations((1..<30).map(Double.init), from: 2), newest: 30)
    #expect(delivery.drain(from: 30).count == 20)
  }

  @Test func aSkippedRowDoesNotDelayTheCursor() throws {
    var delivery = Delivery()
    delivery.setFences([Waypoint(region: home, time: 7)])
    delivery.receive(locations([0, 1]), newest: 2)
    let messages = (0..<3).compactMap { _ in delivery.next(at: 0, time: 0) }
    try #require(messages.count == 3)
    let (waypoint, location) = (messages[0], messages[2])
    delivery.sent(waypoint, as: 20)
    let passing = try #require(MessageRefusal(reason: 0x87))
    #expect(waypoint.isSkipped(for: passing) && !location.isSkipped(for: passing))
    #expect(location.isSkipped(for: .tooLarge))
    #expect(location.isSkipped(for: try #require(MessageRefusal(reason: 0x99))))
    #expect(MessageRefusal(reason: 0x10) == nil && MessageRefusal(reason: 0x80) != nil)
    delivery.skip(location)
    #expect(delivery.cursor == 1 && !delivery.isIdle)
    delivery.acknowledge(20)
    _ = delivery.drain()
    delivery.acknowledge(1)
    #expect(delivery.cursor == 2 && delivery.isIdle)
  }

  @Test func aRefusedRowThatTheJournalDeletedIsForgotten() {
    var delivery = Delivery()
    delivery.receive(locations([0]), newest: 1)
    _ = delivery.drain()
    delivery.refuse(1)
    delivery.startOver()
    // The limit of the journal's size has taken the oldest rows.
    delivery.receive(locations([5, 6], from: 6), newest: 7)
    #expect(delivery.drain(from: 10).count == 1)
    delivery.acknowledge(10)
    #expect(!delivery.isRefused)
  }

  @Test func onlyTheNewestLocationIsRetained() {
    var delivery = Delivery()
    delivery.receive(locations([0, 1]), newest: 4)
    #expect(delivery.drain().map(\.isRetained) == [false, false])
    delivery.receive(entries([.location(fix(2)), .crossing(crossing(.inside, 2))], from: 3), newest: 4)
    let last = delivery.drain(from: 3)
    #expect(last.map(\.isRetained) == [true, false])
    #expect(last.map(\.topic) == [Self.topic, Self.topic + "/event"])
  }

  @Test func errorsAndRowsWithoutATimeAreSkippedAndCountedOnceWhenReadTwice() {
    var delivery = Delivery()
    var (timeless, nowhere) = (fix(0), crossing(.inside, 0))
    timeless.timestamp = nil
    nowhere.location.timestamp = nil
    let rows = entries([
      .location(fix(0)), .location(timeless), .crossing(nowhere), .error(LocationError(.network, "x"), nil),
    ])
    for _ in 0..<3 {
      delivery.startOver()
      delivery.receive(rows, newest: 4)
      // The location that is left out is not the newest one that is published.
      #expect(delivery.drain().map(\.isRetained) == [true])
    }
    #expect(delivery.account.waiting == 4 && delivery.cursor == 0)
    delivery.acknowledge(1)
    #expect(delivery.account.drops == [.untimed: 2] && delivery.account.written == 2)
    #expect(delivery.account.waiting == 0 && delivery.cursor == 4 && delivery.isIdle)
  }

  @Test func startsOverAtTheCursor() {
    var delivery = Delivery(cursor: 10)
    delivery.setFences([Waypoint(region: home, time: 7)])
    delivery.receive(
      entries([.location(fix(0)), .crossing(crossing(.outside, 1)), .location(fix(2))], from: 11), newest: 13,
      states: ["home": true, "a fence of yesterday": true])
    let first = delivery.drain()
    #expect(first.map { $0.json["inregions"] as? [String] } == [nil, nil, ["home"], nil, nil])
    #expect(first[2].json["inrids"] as? [String] == ["home"])
    delivery.acknowledge(3)
    delivery.startOver()
    #expect(delivery.cursor == 11)
    #expect(delivery.wantsRowsAfter == 11)
    delivery.receive(entries([.crossing(crossing(.outside, 1)), .location(fix(2))], from: 12), newest: 13)
    let second = delivery.drain(from: 10)
    #expect(second.map(\.topic) == ["/waypoint", "/waypoints", "/event", ""].map { Self.topic + $0 })
    // The numbers of the session before mean nothing any more.
    delivery.acknowledge(4)
    #expect(delivery.cursor == 11)
    for identifier in 10...13 { delivery.acknowledge(Int32(identifier)) }
    #expect(delivery.cursor == 13)
    delivery.startOver()
    #expect(delivery.next(at: 0, time: 0) == nil)
  }

  @Test func theFencesOfAnInterruptedSessionAreThoseAtTheCursor() {
    var delivery = Delivery()
    delivery.setFences([Waypoint(region: home, time: 7)])
    let rows = entries([.location(fix(0)), .crossing(crossing(.inside, 1)), .location(fix(2))])
    delivery.receive(rows, newest: 3)
    #expect(delivery.drain().count == 5)
    delivery.startOver()
    delivery.receive(rows, newest: 3)
    let again = delivery.drain(from: 10)
    #expect(again.map { $0.json["inregions"] as? [String] } == [nil, nil, nil, nil, ["home"]])
  }

  @Test func thinsToTheLastOfEachInterval() {
    var delivery = Delivery(interval: 10)
    delivery.receive(locations((0..<35).map(Double.init)), newest: 35)
    let messages = delivery.drain()
    #expect(messages.compactMap(\.number) == [9, 19, 29])
    #expect(messages.map(\.isRetained) == [false, false, false])
    for identifier in 1...3 { delivery.acknowledge(Int32(identifier)) }
    // The one that is held back is not behind the cursor.
    #expect(delivery.cursor == 34)
    #expect(delivery.deadline == 10)
    #expect(delivery.next(at: 9.9, time: 0) == nil)
    let last = delivery.drain(from: 4, at: 10)
    #expect(last.compactMap(\.number) == [34])
    #expect(last.map(\.isRetained) == [true])
    delivery.acknowledge(4)
    #expect(delivery.cursor == 35)
  }

  @Test func aHeldLocationIsForgottenWithTheSession() {
    var delivery = Delivery(interval: 10)
    delivery.receive(locations([0, 1]), newest: 2)
    #expect(delivery.next(at: 0, time: 0) == nil)
    #expect(delivery.deadline == 10)
    delivery.startOver()
    #expect(delivery.deadline == nil)
    delivery.receive(locations([0, 1]), newest: 2)
    #expect(delivery.next(at: 5, time: 0) == nil)
    // It is taken up again, in an interval of its own.
    #expect(delivery.deadline == 15)
    #expect(delivery.drain(at: 15).compactMap(\.number) == [1])
  }

  /// A queue is read in pieces, and a piece may end within an interval.
  @Test func onlyTheLastIntervalIsCutShortAtTheEnd() {
    var delivery = Delivery(interval: 10)
    delivery.isDraining = true
    var times: [Int] = []
    for first in stride(from: 0, to: 30, by: 6) {
      delivery.receive(locations((first..<first + 6).map(Double.init), from: Int64(first + 1)), newest: 30)
      times += delivery.drain(from: Int32(first + 1)).compactMap(\.number)
    }
    #expect(times == [9, 19, 29])
  }

  @Test func aCrossingIsNotHeldBack() {
    var delivery = Delivery(interval: 60)
    delivery.receive(entries([.location(fix(0)), .crossing(crossing(.inside, 0)), .location(fix(1))]), newest: 3)
    let messages = delivery.drain()
    #expect(messages.map(\.topic) == [Self.topic + "/event"])
    delivery.acknowledge(1)
    #expect(delivery.cursor == 2)
    delivery.isDraining = true
    #expect(delivery.drain(from: 2).compactMap(\.number) == [1])
  }

  @Test func crossingsAfterAHeldLocationFillAtMostAWindow() {
    var delivery = Delivery(interval: 60)
    let crossings = (0..<40).map { JournalRecord.crossing(crossing($0 % 2 == 0 ? .inside : .outside, Double($0))) }
    delivery.receive(entries([.location(fix(0))] + crossings), newest: 41)
    var counts: [Int] = []
    repeat {
      counts.append(delivery.drain().count)
      for identifier in 1...20 { delivery.acknowledge(Int32(identifier)) }
    } while counts.last != 0
    #expect(counts.reduce(0, +) == 41 && counts.allSatisfy { $0 <= 20 }, "\(counts)")
    #expect(delivery.cursor == 41)
  }

  @Test func aRecordingThatBeginsAgainIsANewInterval() {
    var delivery = Delivery(interval: 10)
    delivery.receive(locations([100, 105, 3, 4]), newest: 4)
    #expect(delivery.drain().compactMap(\.number) == [105])
  }
}
