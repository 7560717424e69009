import Foundation
import Journal
import LocationKit
import Writing
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Collecting
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
      var commits: [Int] = []
    }
    private let state = Mutex(State())
    let name = "journal in memory"

    var rows: Int { state.withLock { $0.rows.count } }
    /// How many rows there were if those of one number were one.
    var numbers: Int { state.withLock { Set($0.rows.map(\.message)).count } }
    var failures: Int { state.withLock { $0.failures } }
    /// How many records each transaction wrote.
    var commits: [Int] { state.withLock { $0.commits } }
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    func commit(_ records: [DeviceRecord]) throws(JournalError) {
      let isAway = state.withLock { state in
        if state.isAway {
          state.failures += 1
        } else {
          state.rows += records
          state.commits.append(records.count)
        }
        return state.isAway
      }
      if isAway { throw JournalError(.inputOutput, path: "memory", "is away") }
    }
    func takeNotices() -> [String] { [] }
    func newestLocations() -> [Location] { [] }
    func recentLocations(within seconds: Double) -> [Location] { [] }
    func lastCrossings() -> [RegionCrossing] { [] }
  }

  /// A judge that has all messages written, and what it makes of them.
  private final class Judge: DeviceJudge, Sendable {
    private let records = Mutex<[DeviceRecord]>([])
    private let judge: @Sendable ([Collector.Message]) -> [DeviceRecord]

    init(_ judge: @escaping @Sendable ([Collector.Message]) -> [DeviceRecord] = { _ in [] }) { self.judge = judge }

    func keep(_ record: DeviceRecord) { records.withLock { $0.append(record) } }
    func receive(_ messages: [Collector.Message]) {
      records.withLock { $0 += messages.compactMap(\.record) + judge(messages) }
    }
    func advance() -> Double { .infinity }
    func takeRecords() -> [DeviceRecord] {
      records.withLock { records in
        defer { records = [] }
        return records
      }
    }
  }

  /// What a test listens with, whose waits are short.
  private func configuration(port: UInt16) throws -> Collecting.Collector.Configuration {
    var session = SessionConfiguration(
      address: .broker(host: "127.0.0.1", port: port), clientID: "fleet")
    (session.minimumRetryDelay, session.maximumRetryDelay) = (0.02, 0.1)
    return Collecting.Collector.Configuration(session: session, filters: [try #require(TopicFilter("owntracks/+/+"))])
  }

  /// Twice, an hour apart on the host's clock.
  @Test func aFloodingDeviceIsLimitedAndDoesNotHarmOthers() async throws {
    let broker = try RealBroker()
    var configuration = try configuration(port: broker.port)
    configuration.deviceLimit = 3
    let journal = Memory()
    let notices = Mutex<[String]>([])
    let later = Mutex(0.0)
    var host = Host.system
    host.seconds = { monotonicSeconds() + later.withLock { $0 } }
    let collector = try Collector(
      configuration, journal: journal, judge: Judge(), host: host,
      onNotice: { notice in notices.withLock { $0.append(notice.message) } })
    #expect(await eventually { collector.statistics.isConnected })
    for hour in 1...2 {
      for second in 0..<8 {
        let payload = #"{"_type":"location","lat":48,"lon":11,"tst":\#(1_750_000_000 + 60 * hour + second)}"#
        try broker.publish(payload, on: "owntracks/ann/car")
        if second < 3 { try broker.publish(payload, on: "owntracks/ben/boat") }
      }
      #expect(await eventually { collector.statistics.messages == 11 * hour })
      #expect(await eventually { journal.rows == 6 * hour })
      #expect(collector.statistics.refused == ["flood": 5 * hour])
      #expect(notices.withLock { $0.count { $0.contains("ann/car has sent more than 3") } } == hour)
      #expect(
        await eventually { broker.log.components(separatedBy: "Received PUBACK from fleet").count == 11 * hour + 1 },
        "what is left out is acknowledged")
      later.withLock { $0 += 3600 }
    }
    #expect(await collector.finish() == 0)
  }

  /// The status and the metrics say the same at each moment of a failure.
  @Test func aSessionEndsWhenItsOutageBegins() async throws {
    let broker = try RealBroker()
    let running = Mutex<Collector?>(nil)
    let states = Mutex<[Collector.Statistics]>([])
    var host = Host.system
    // Asked for while a failure is reported.
    host.random = {
      if let collector = running.withLock({ $0 }) { states.withLock { $0.append(collector.statistics) } }
      return 0.5
    }
    let collector = try Collector(
      try configuration(port: broker.port), journal: nil, judge: Judge(), host: host, onNotice: { _ in })
    running.withLock { $0 = collector }
    #expect(await eventually { collector.statistics.isConnected })
    #expect(collector.statistics.outage == nil)
    broker.kill()
    #expect(await eventually { states.withLock { !$0.isEmpty } })
    #expect(states.withLock { $0.allSatisfy { $0.isConnected == ($0.outage == nil) } }, "\(states.withLock { $0 })")
    #expect(await collector.finish() == 0)
    running.withLock { $0 = nil }
  }

  @Test func aMessageIsAcknowledgedAfterItIsStored() async throws {
    let broker = try RealBroker()
    let journal = Memory()
    let collector = try Collector(
      try configuration(port: broker.port), journal: journal, judge: Judge(), onNotice: { _ in })
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
    #expect(await eventually { journal.numbers == 2 })
    #expect(
      await eventually { broker.log.components(separatedBy: "Received PUBACK from fleet").count == before + 1 })
    #expect(collector.statistics.outage == nil)
    #expect(await collector.finish() == 0)
  }

  @Test func crossingsOfABatchAreInItsTransaction() async throws {
    let broker = try RealBroker()
    let journal = Memory()
    let judge = Judge { messages in
      messages.compactMap { message in
        guard case .location(let location) = message.content else { return nil }
        let fence = CircularRegion(center: location.coordinate, radius: 100, identifier: "home")
        return DeviceRecord(.crossing(RegionCrossing(.circle(fence), .inside, at: location)), received: Date())
      }
    }
    let collector = try Collector(
      try configuration(port: broker.port), journal: journal, judge: judge, onNotice: { _ in })
    #expect(await eventually { collector.statistics.isConnected })
    try broker.publish(#"{"_type":"location","lat":48,"lon":11,"tst":1750000000}"#, on: "owntracks/ann/car")
    #expect(await eventually { broker.log.contains("Received PUBACK from fleet") })
    #expect(journal.commits == [2])

    // A transaction that failed is tried again with its crossings.
    journal.setAway(true)
    try broker.publish(#"{"_type":"location","lat":48,"lon":11,"tst":1750000001}"#, on: "owntracks/ann/car")
    #expect(await eventually { journal.failures > 1 })
    journal.setAway(false)
    #expect(await eventually { journal.commits.dropFirst().contains(2) })
    #expect(await collector.finish() == 0)
    #expect(journal.numbers == 4)
  }

  private func crossing(_ seconds: Double) -> DeviceRecord {
    let location = Location(
      coordinate: LocationCoordinate2D(latitude: 48, longitude: 11),
      timestamp: Date(timeIntervalSince1970: 1_750_000_000 + seconds),
      sourceInformation: LocationSourceInformation(deviceIdentifier: "ann/car"))
    let fence = CircularRegion(center: location.coordinate, radius: 100, identifier: "home")
    return DeviceRecord(.crossing(RegionCrossing(.circle(fence), .inside, at: location)), received: Date())
  }

  @Test func crossingsThatTheJournalRefusesAreCountedAtTheEnd() async throws {
    let broker = try RealBroker()
    let journal = Memory()
    let judge = Judge()
    let collector = try Collector(
      try configuration(port: broker.port), journal: journal, judge: judge, onNotice: { _ in })
    #expect(await eventually { collector.statistics.isConnected })
    journal.setAway(true)
    for seconds in 0..<3 { judge.keep(crossing(Double(seconds))) }
    // The message of a device is not counted: the broker has it.
    try broker.publish(#"{"_type":"location","lat":48,"lon":11,"tst":1750000000}"#, on: "owntracks/ann/car")
    #expect(await eventually { journal.failures > 1 })
    #expect(await collector.finish() == 3)
    #expect(collector.statistics.committed == 0)
  }

  /// There is no session then that would keep it.
  @Test func aCrossingFoundAtTheEndIsStored() async throws {
    let broker = try RealBroker()
    let journal = Memory()
    var configuration = try configuration(port: broker.port)
    (configuration.session.minimumRetryDelay, configuration.session.maximumRetryDelay) = (600, 600)
    let judge = Judge()
    let collector = try Collector(configuration, journal: journal, judge: judge, onNotice: { _ in })
    #expect(await eventually { collector.statistics.isConnected })
    broker.kill()
    #expect(await eventually { collector.statistics.outage != nil })
    judge.keep(crossing(0))
    #expect(await collector.finish() == 0)
    #expect(journal.numbers == 1)
  }

  @Test func aClockIsAheadBeyondFiveMinutes() {
    let now = Date(timeIntervalSince1970: 1_750_000_000)
    func isAhead(_ seconds: Double) -> Bool? {
      let location = Location(
        coordinate: LocationCoordinate2D(latitude: 48, longitude: 11), timestamp: now + seconds,
        sourceInformation: LocationSourceInformation(deviceIdentifier: "ann/car"))
      return DeviceRecord(DeviceMessage.location(location), received: now)?.isAhead
    }
    #expect([-1e6, 0, 300, 301].map(isAhead) == [false, false, false, true])
  }

  /// A database compares it with what an earlier version wrote.
  @Test func aRecordHasTheSameNumberInEveryRun() {
    let numbers = [0.0, 1].map { crossing($0).message }
    #expect(numbers == [6_518_110_799_375_299_629, -7_340_874_033_179_727_694])
  }

  @Test func repeatedMessagesAreNotAFlood() async throws {
    let broker = try RealBroker()
    var configuration = try configuration(port: broker.port)
    configuration.deviceLimit = 50
    let journal = Memory()
    let notices = Mutex<[String]>([])
    let collector = try Collector(
      configuration, journal: journal, judge: Judge(),
      onNotice: { notice in notices.withLock { $0.append(notice.message) } })
    #expect(await eventually { collector.statistics.isConnected })
    journal.setAway(true)
    let lines = (0..<50).map { #"{"_type":"location","lat":48,"lon":11,"tst":\#(1_750_000_000 + $0)}"# }
    try broker.publish(lines: lines, on: "owntracks/ann/car")
    #expect(await eventually { journal.failures > 5 })
    let since = try #require(collector.statistics.outage?.since)
    let failures = journal.failures
    #expect(await eventually { journal.failures > failures + 3 })
    #expect(collector.statistics.outage?.since == since, "it goes on for as long as nothing is kept")
    #expect(notices.withLock { $0.count { $0.contains("is away") } } == 1)

    journal.setAway(false)
    // Some of them twice: what was tried until it was kept comes from the broker once more.
    #expect(await eventually(within: 20) { journal.numbers == 50 }, "\(journal.numbers) of 50 messages are kept")
    #expect(collector.statistics.refused.isEmpty)
    #expect(notices.withLock { $0.count { $0.contains("nothing was lost") } } == 1)
    #expect(await collector.finish() == 0)
  }

  @Test func noAcknowledgementPrecedesItsRow() async throws {
    let broker = try RealBroker()
    let path = broker.folder.file("fleet.db")
    let journal = try DeviceJournalFile(path: path, limit: 64 << 20)
    let reader = try JournalReader(path: path)
    /// The times of messages that were acknowledged, and of those whose rows were not there then.
    let seen = Mutex((acknowledged: Set<Int>(), early: Set<Int>()))
    let proxy = try Proxy(to: broker.port) {
      let traffic = Mutex(MQTTTraffic())
      return { bytes, isFromClient in
        let times = traffic.withLock { traffic in
          isFromClient ? traffic.acknowledged(by: bytes) : traffic.received(bytes)
        }
        for time in times {
          var isThere = false
          let date = Date(timeIntervalSince1970: Double(time))
          try? reader.forEachLocation(of: "ann/car", since: date, until: date + 1) { _ in
            isThere = true
            return false
          }
          seen.withLock { seen in
            seen.acknowledged.insert(time)
            if !isThere { seen.early.insert(time) }
          }
        }
      }
    }
    var session = SessionConfiguration(
      address: .broker(host: "127.0.0.1", port: proxy.port), clientID: "fleet")
    (session.minimumRetryDelay, session.maximumRetryDelay) = (0.02, 0.1)
    let filter = try #require(TopicFilter("owntracks/+/+"))
    let collector = try Collector(
      Collector.Configuration(session: session, filters: [filter]), journal: journal, judge: Judge(),
      onNotice: { _ in })
    #expect(await eventually { collector.statistics.isConnected })
    for round in 0..<3 {
      let times = (0..<1000).map { 1_750_000_000 + round * 1000 + $0 }
      let lines = times.map { #"{"_type":"location","lat":48,"lon":11,"tst":\#($0)}"# }
      try broker.publish(lines: lines, on: "owntracks/ann/car")
      // Amid the messages, so that some are kept and not acknowledged yet.
      if round < 2 { proxy.cut() }
    }
    #expect(await eventually { seen.withLock(\.acknowledged.count) == 3000 }, "\(collector.statistics)")
    #expect(await collector.finish() == 0)
    #expect(seen.withLock(\.early) == [])
    #expect(try reader.newestSequence() == 3000, "what came again is the same row")
  }
}

/// The packets of one connection: which messages a client is given, by their times, and which of them it acknowledges.
private struct MQTTTraffic {
  private var (fromBroker, fromClient): ([UInt8], [UInt8]) = ([], [])
  private var times: [Int: Int] = [:]

  /// Takes what the broker sends, which acknowledges nothing.
  mutating func received(_ bytes: [UInt8]) -> [Int] {
    fromBroker += bytes
    while let packet = Self.packet(of: &fromBroker) {
      // A PUBLISH with quality of service 1: the topic, the number, the payload.
      guard packet.type & 0xF6 == 0x32 else { continue }
      let length = Self.number(packet.body[0...])
      let text = String(decoding: packet.body[(length + 4)...], as: UTF8.self)
      let time = text.split(separator: "\"tst\":").last.flatMap { Int($0.prefix { $0.isNumber }) }
      times[Self.number(packet.body[(length + 2)...])] = time
    }
    return []
  }

  /// Takes what the client sends, and returns the times of what it acknowledges.
  mutating func acknowledged(by bytes: [UInt8]) -> [Int] {
    fromClient += bytes
    var acknowledged: [Int] = []
    while let packet = Self.packet(of: &fromClient) {
      if packet.type == 0x40, let time = times[Self.number(packet.body[0...])] { acknowledged.append(time) }
    }
    return acknowledged
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) } }

  /// Takes the first packet out of these bytes, if it is whole. No packet here has more than 127 bytes behind its length.
  private static func packet(of bytes: inout [UInt8]) -> (type: UInt8, body: [UInt8])? {
    guard bytes.count >= 2, case let end = 2 + Int(bytes[1]), bytes.count >= end else { return nil }
    defer { bytes.removeFirst(end) }
    return (bytes[0], Array(bytes[2..<end]))
  }
}
