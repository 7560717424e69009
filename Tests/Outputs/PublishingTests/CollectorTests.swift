import Foundation
import Journal
import LocationKit
import Output
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Publishing

/// What the broker is told, and when.
@Suite(.startsPrograms, .enabled(if: RealBroker.path != nil, "there is no mosquitto on this host"))
struct CollectorTests {
  /// A journal in memory that can be away.
  private final class Memory: DeviceJournal, Sendable {
    private struct State {
      var rows: [DeviceRecord] = []
      var isAway = false
      var failures = 0
    }
    private let state = Mutex(State())
    let name = "journal in memory"

    var rows: Int { state.withLock { $0.rows.count } }
    var failures: Int { state.withLock { $0.failures } }
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    func commit(_ records: [DeviceRecord]) throws(JournalError) {
      let isAway = state.withLock { state in
        if state.isAway { state.failures += 1 } else { state.rows += records }
        return state.isAway
      }
      if isAway { throw JournalError(.inputOutput, path: "memory", "is away") }
    }
    func newestLocations() -> [Location] { [] }
    func lastCrossings() -> [RegionCrossing] { [] }
  }

  @Test func aDeviceThatFloodsIsBoundedAndHarmsNoOther() async throws {
    let broker = try RealBroker()
    let filter = try #require(TopicFilter("owntracks/+/+"))
    let session = PublisherConfiguration(
      address: .broker(BrokerAddress(host: "127.0.0.1", port: broker.port)), topic: "owntracks/+/+", clientID: "fleet")
    var configuration = Collector.Configuration(session: session, filters: [filter])
    configuration.deviceLimit = 3
    let journal = Memory()
    let notices = Mutex<[String]>([])
    let collector = try Collector(
      configuration, journal: journal, onNotice: { notice in notices.withLock { $0.append(notice.message) } },
      onMessages: { _ in })
    #expect(await eventually { collector.statistics.isConnected })
    for second in 0..<8 {
      let payload = #"{"_type":"location","lat":48,"lon":11,"tst":\#(1_750_000_000 + second)}"#
      try broker.publish(payload, on: "owntracks/ann/car")
      if second < 3 { try broker.publish(payload, on: "owntracks/ben/boat") }
    }
    #expect(await eventually { collector.statistics.messages == 11 })
    #expect(await eventually { journal.rows == 6 })
    #expect(collector.statistics.refused == ["flood": 5])
    #expect(notices.withLock { $0.count { $0.contains("ann/car has sent more than 3") } } == 1)
    #expect(
      await eventually { broker.log.components(separatedBy: "Received PUBACK from fleet").count == 12 },
      "what is left out is acknowledged")
    await collector.finish()
  }

  @Test func aMessageIsAcknowledgedOnceItIsKeptAndNotBefore() async throws {
    let broker = try RealBroker()
    var session = PublisherConfiguration(
      address: .broker(BrokerAddress(host: "127.0.0.1", port: broker.port)), topic: "owntracks/+/+", clientID: "fleet")
    session.minimumRetryDelay = 0.02
    session.maximumRetryDelay = 0.1
    let filter = try #require(TopicFilter("owntracks/+/+"))
    let journal = Memory()
    let collector = try Collector(
      Collector.Configuration(session: session, filters: [filter]), journal: journal,
      onNotice: { _ in }, onMessages: { _ in })
    #expect(await eventually { collector.statistics.isConnected })
    let payload = #"{"_type":"location","lat":48,"lon":11,"tst":1750000000}"#
    try broker.publish(payload, on: "owntracks/ann/car")
    #expect(await eventually { broker.log.contains("Received PUBACK from fleet") })
    #expect(journal.rows == 1)

    journal.setAway(true)
    let before = broker.log.components(separatedBy: "Received PUBACK from fleet").count
    try broker.publish(payload, on: "owntracks/ann/bike")
    #expect(await eventually { journal.failures > 2 })
    #expect(collector.statistics.outage?.reason.contains("is away") == true)
    #expect(broker.log.components(separatedBy: "Received PUBACK from fleet").count == before)

    journal.setAway(false)
    #expect(await eventually { journal.rows == 2 })
    #expect(
      await eventually { broker.log.components(separatedBy: "Received PUBACK from fleet").count == before + 1 })
    #expect(collector.statistics.outage == nil)
    await collector.finish()
  }
}
