import Foundation
import Journal
import LocationKit
import Platform
import TestSupport
import Testing

@testable import Publishing

/// The account of a publisher: accepted = written + dropped + waiting, whatever happens to the journal and the session.
@Suite(.inTurn) struct PublishingAccountTests {
  /// A journal at its limit and a broker, moved by random numbers.
  private struct Simulation {
    var random: SplitMix
    var delivery: Delivery
    var rows: [JournalEntry] = []
    /// The newest row, and the newest that the limit has taken.
    var newest: Int64 = 0
    var gone: Int64 = 0
    /// The cursor that the journal has.
    var committed: Int64 = 0
    var inFlight: [(identifier: Int32, sequence: Int64)] = []
    var identifier: Int32 = 0
    /// What was acknowledged, refused for good, and found without a time, by row.
    var taken: Set<Int64> = []
    var refused: Set<Int64> = []
    var untimed: Set<Int64> = []
    /// Rows that are no messages, and locations that an interval leaves out: they count as written.
    var silent = 0
    var hasInterval = false
    var now = 0.0

    mutating func apply(_ event: Int) {
      switch event {
      case 0..<4: append()
      case 4: enforceLimit()
      case 5, 6: read()
      case 7..<10: send()
      case 10..<13: answer()
      case 13: interrupt()
      default: commit()
      }
    }

    private mutating func append() {
      newest += 1
      now += 1
      if Int.random(in: 0..<10, using: &random) == 0 {
        silent += 1
        let error = JournalRecord.error(LocationError(.network, ""), nil)
        return rows.append(JournalEntry(sequence: newest, record: error))
      }
      var location = fix(Double(newest))
      if Int.random(in: 0..<8, using: &random) == 0 {
        location.timestamp = nil
        untimed.insert(newest)
      }
      rows.append(JournalEntry(sequence: newest, record: .location(location)))
    }

    private mutating func enforceLimit() {
      // The newest row always fits.
      gone = max(gone, newest - Int64.random(in: 1...12, using: &random))
      rows.removeAll { $0.sequence <= gone }
    }

    /// As the publisher's thread reads: the next rows, and once a second how many wait.
    mutating func read() {
      delivery.note(newest: newest, gone: gone)
      if let sequence = delivery.wantsRowsAfter {
        delivery.receive(Array(rows.filter { $0.sequence > sequence }.prefix(4)), newest: newest)
      }
    }

    mutating func send() {
      guard let message = delivery.next(at: now, time: 0), case .row(let sequence) = message.origin else { return }
      identifier += 1
      delivery.sent(message, as: identifier)
      inFlight.append((identifier, sequence))
    }

    mutating func answer() {
      guard !inFlight.isEmpty else { return }
      let (identifier, sequence) = inFlight.removeFirst()
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        refused.insert(sequence)
        delivery.acknowledge(identifier, isRefused: true)
      // For a reason that may pass: the session ends.
      case 1:
        delivery.refuse(identifier)
        interrupt()
      default:
        taken.insert(sequence)
        delivery.acknowledge(identifier)
      }
    }

    private mutating func interrupt() {
      inFlight = []
      delivery.startOver()
    }

    mutating func commit() { committed = delivery.cursor }

    /// The account against what the journal and the broker saw.
    func faults() -> String? {
      let account = delivery.account
      let drops = account.drops
      if account.accepted < account.written + account.dropped { return "more than there is: \(account)" }
      // What waits is what is behind the cursor, as far as the publisher knows the journal.
      if account.waiting != account.accepted - Int(delivery.cursor) { return "\(account), cursor \(delivery.cursor)" }
      if !hasInterval, account.written > taken.count + silent { return "\(account), but \(taken.count) were taken" }
      if drops[.refused, default: 0] > refused.count { return "\(account), but \(refused.count) were refused" }
      if drops[.untimed, default: 0] > untimed.count { return "\(account), but \(untimed.count) had no time" }
      if drops[.limit, default: 0] > Int(gone) { return "\(account), but \(gone) are gone" }
      return nil
    }
  }

  @Test func theAccountBalancesAfterEveryEvent() {
    for seed in UInt64(1)...(runsLongTests ? 2000 : 150) {
      let interval = seed % 2 == 0 ? 3.0 : nil
      var simulation = Simulation(random: SplitMix(state: seed), delivery: Delivery(interval: interval))
      simulation.hasInterval = interval != nil
      for _ in 0..<200 {
        simulation.apply(Int.random(in: 0..<15, using: &simulation.random))
        if let fault = simulation.faults() { Issue.record("seed \(seed): \(fault)"); return }
      }
      // From here on all goes well.
      simulation.delivery.isDraining = true
      for _ in 0..<600 {
        simulation.read()
        simulation.send()
        simulation.answer()
      }
      let account = simulation.delivery.account
      guard account.waiting == 0, account.accepted == Int(simulation.newest), simulation.faults() == nil else {
        Issue.record("seed \(seed): \(account) of \(simulation.newest), \(simulation.faults() ?? "")")
        return
      }
    }
  }

  @Test func rowsDeletedByTheLimitAreCountedWhileTheBrokerIsAway() {
    var delivery = Delivery(cursor: 10)
    delivery.note(newest: 40, gone: 0)
    #expect(delivery.account.accepted == 30 && delivery.account.waiting == 30)
    delivery.note(newest: 100, gone: 60)
    #expect(delivery.account.drops == [.limit: 50] && delivery.account.waiting == 40 && delivery.cursor == 60)
    delivery.note(newest: 100, gone: 60)
    #expect(delivery.account.dropped == 50)
  }

  /// The publisher asks for rows until it has reached the end.
  @Test func rowsDeletedByHandEndTheReading() {
    var delivery = Delivery(cursor: 10)
    for _ in 0..<2 {
      #expect(!delivery.reachesEnd)
      delivery.receive([], newest: 10 + Int64(Delivery.batch) + 30)
    }
    let deleted = Delivery.batch + 30
    #expect(delivery.reachesEnd && delivery.cursor == Int64(10 + deleted))
    #expect(delivery.account.drops == [.limit: deleted] && delivery.account.waiting == 0)
  }
}
