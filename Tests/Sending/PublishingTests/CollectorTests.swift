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

  private let broker: RealBroker
  private let journal = Memory()
  private let notices = Recorder<OutputNotice>()

  init() throws { broker = try RealBroker() }

  /// A collector that is connected, and whose waits are short.
  private func collector(
    port: UInt16? = nil, journal: sending (any DeviceJournal)?, judge: Judge = Judge(), host: Platform.Host = .system,
    _ configure: (inout Collector.Configuration) -> Void = { _ in }
  ) async throws -> Collector {
    var session = SessionConfiguration(
      address: .broker(host: "127.0.0.1", port: port ?? broker.port), clientID: "fleet")
    (session.minimumRetryDelay, session.maximumRetryDelay) = (0.02, 0.1)
    var configuration = Collector.Configuration(session: session, filters: [try #require(TopicFilter("owntracks/+/+"))])
    configure(&configuration)
    let collector = try Collector(configuration, journal: journal, judge: judge, host: host, onNotice: notices.record)
    #expect(await eventually { collector.statistics.isConnected })
    return collector
  }

  private func publish(_ second: Int, of device: String = "ann/car") throws {
    try broker.publish(message(second), on: "owntracks/\(device)")
  }

  private func message(_ second: Int) -> String {
    #"{"_type":"location","lat":48,"lon":11,"tst":\#(1_750_000_000 + second)}"#
  }

  /// How many messages the broker knows to be stored.
  private var acknowledged: Int { broker.log.ranges(of: "Received PUBACK from fleet").count }

  private func noticeCount(_ words: String) -> Int { notices.values.count { $0.message.contains(words) } }

  /// Twice, an hour apart on the host's clock.
  @Test func aFloodingDeviceIsLimitedAndDoesNotHarmOthers() async throws {
    let later = Mutex(0.0)
    var host = Host.system
    host.seconds = { monotonicSeconds() + later.withLock { $0 } }
    let collector = try await collector(journal: journal, host: host) { $0.deviceLimit = 3 }
    for hour in 1...2 {
      for second in 0..<8 {
        try publish(60 * hour + second)
        if second < 3 { try publish(60 * hour + second, of: "ben/boat") }
      }
      #expect(await eventually { collector.statistics.messages == 11 * hour })
      #expect(await eventually { journal.rows == 6 * hour })
      #expect(collector.statistics.refused == ["flood": 5 * hour])
      #expect(noticeCount("ann/car has sent more than 3") == hour)
      #expect(await eventually { acknowledged == 11 * hour }, "what is left out is acknowledged")
      later.withLock { $0 += 3600 }
    }
    #expect(await collector.finish() == 0)
  }

  /// The status and the metrics say the same at each moment of a failure.
  @Test func aSessionEndsWhenItsOutageBegins() async throws {
    let running = Mutex<Collector?>(nil)
    let states = Recorder<Collector.Statistics>()
    var host = Host.system
    // Asked for while a failure is reported.
    host.random = {
      if let collector = running.withLock({ $0 }) { states.record(collector.statistics) }
      return 0.5
    }
    let collector = try await collector(journal: nil, host: host)
    running.withLock { $0 = collector }
    #expect(collector.statistics.outage == nil)
    broker.kill()
    #expect(await eventually { !states.values.isEmpty })
    #expect(states.values.allSatisfy { $0.isConnected == ($0.outage == nil) }, "\(states.values)")
    #expect(await collector.finish() == 0)
    running.withLock { $0 = nil }
  }

  @Test func aMessageIsAcknowledgedAfterItIsStored() async throws {
    let collector = try await collector(journal: journal)
    try publish(0)
    #expect(await eventually { acknowledged == 1 })
    #expect(journal.rows == 1)

    journal.setAway(true)
    try publish(0, of: "ann/bike")
    #expect(await eventually { journal.failures > 2 })
    #expect(collector.statistics.outage?.reason.contains("is away") == true)
    #expect(acknowledged == 1)

    journal.setAway(false)
    #expect(await eventually { journal.numbers == 2 })
    #expect(await eventually { acknowledged == 2 })
    #expect(collector.statistics.outage == nil)
    #expect(await collector.finish() == 0)
  }

  @Test func crossingsOfABatchAreInItsTransaction() async throws {
    let judge = Judge { messages in
      messages.compactMap { message in
        guard case .location(let location) = message.record?.record else { return nil }
        return crossing(at: location)
      }
    }
    let collector = try await collector(journal: journal, judge: judge)
    try publish(0)
    #expect(await eventually { acknowledged == 1 })
    #expect(journal.commits == [2])

    // A transaction that failed is tried again with its crossings.
    journal.setAway(true)
    try publish(1)
    #expect(await eventually { journal.failures > 1 })
    journal.setAway(false)
    #expect(await eventually { journal.commits.dropFirst().contains(2) })
    #expect(await collector.finish() == 0)
    #expect(journal.numbers == 4)
  }

  @Test func crossingsThatTheJournalRefusesAreCountedAtTheEnd() async throws {
    let judge = Judge()
    let collector = try await collector(journal: journal, judge: judge)
    journal.setAway(true)
    for seconds in 0..<3 { judge.keep(crossing(Double(seconds))) }
    // The message of a device is not counted: the broker has it.
    try publish(0)
    #expect(await eventually { journal.failures > 1 })
    #expect(await collector.finish() == 3)
    #expect(collector.statistics.committed == 0)
  }

  /// There is no session then that would keep it.
  @Test func aCrossingFoundAtTheEndIsStored() async throws {
    let judge = Judge()
    let collector = try await collector(journal: journal, judge: judge) {
      ($0.session.minimumRetryDelay, $0.session.maximumRetryDelay) = (600, 600)
    }
    broker.kill()
    #expect(await eventually { collector.statistics.outage != nil })
    judge.keep(crossing(0))
    #expect(await collector.finish() == 0)
    #expect(journal.numbers == 1)
  }

  @Test func repeatedMessagesAreNotAFlood() async throws {
    let collector = try await collector(journal: journal) { $0.deviceLimit = 50 }
    journal.setAway(true)
    try broker.publish(lines: (0..<50).map(message), on: "owntracks/ann/car")
    #expect(await eventually { journal.failures > 5 })
    let since = try #require(collector.statistics.outage?.since)
    let failures = journal.failures
    #expect(await eventually { journal.failures > failures + 3 })
    #expect(collector.statistics.outage?.since == since, "it goes on for as long as nothing is kept")
    #expect(noticeCount("is away") == 1)

    journal.setAway(false)
    // Some of them twice: what was tried until it was kept comes from the broker once more.
    #expect(await eventually(within: 20) { journal.numbers == 50 }, "\(journal.numbers) of 50 messages are kept")
    #expect(collector.statistics.refused.isEmpty)
    #expect(noticeCount("nothing was lost") == 1)
    #expect(await collector.finish() == 0)
  }

  @Test func noAcknowledgementPrecedesItsRow() async throws {
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
    let collector = try await collector(port: proxy.port, journal: journal)
    for round in 0..<3 {
      try broker.publish(lines: (0..<1000).map { message(round * 1000 + $0) }, on: "owntracks/ann/car")
      // Amid the messages, so that some are kept and not acknowledged yet.
      if round < 2 { proxy.cut() }
    }
    #expect(await eventually { seen.withLock(\.acknowledged.count) == 3000 }, "\(collector.statistics)")
    #expect(await collector.finish() == 0)
    #expect(seen.withLock(\.early) == [])
    #expect(try reader.newestSequence() == 3000, "what came again is the same row")
  }
}

private func location(_ seconds: Double) -> Location {
  Location(
    coordinate: LocationCoordinate2D(latitude: 48, longitude: 11),
    timestamp: Date(timeIntervalSince1970: 1_750_000_000 + seconds),
    sourceInformation: LocationSourceInformation(deviceIdentifier: "ann/car"))
}

private func crossing(_ seconds: Double) -> DeviceRecord { crossing(at: location(seconds)) }

private func crossing(at location: Location) -> DeviceRecord {
  let fence = CircularRegion(center: location.coordinate, radius: 100, identifier: "home")
  return DeviceRecord(.crossing(RegionCrossing(.circle(fence), .inside, at: location)), received: Date())
}

@Suite(.inTurn) struct DeviceRecordTests {
  @Test func aClockIsAheadBeyondFiveMinutes() {
    let now = Date(timeIntervalSince1970: 1_750_000_000)
    func isAhead(_ seconds: Double) -> Bool? { DeviceRecord(.location(location(seconds)), received: now)?.isAhead }
    #expect([-1e6, 0, 300, 301].map(isAhead) == [false, false, false, true])
  }

  /// A database compares it with what an earlier version wrote.
  @Test func aRecordHasTheSameNumberInEveryRun() {
    let numbers = [0.0, 1].map { crossing($0).message }
    #expect(numbers == [6_518_110_799_375_299_629, -7_340_874_033_179_727_694])
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
