import Foundation
import Journal
import LocationKit
import Platform
import TestSupport
import Writing

@testable import Publishing

func entries(_ records: [JournalRecord], from first: Int64 = 1) -> [JournalEntry] {
  records.enumerated().map { JournalEntry(sequence: first + Int64($0.offset), record: $0.element) }
}

/// As many fixes, a second apart.
func fixes(_ count: Int) -> [JournalRecord] { (0..<count).map { .location(fix(Double($0))) } }

/// A fix, `seconds` after a fixed moment.
func fix(_ seconds: Double, latitude: Double = 37.7858, accuracy: Double? = 5) -> Location {
  Location(
    coordinate: LocationCoordinate2D(latitude: latitude, longitude: -122.4064), horizontalAccuracy: accuracy,
    timestamp: Date(timeIntervalSince1970: 1_700_000_000 + seconds))
}

let home = CircularRegion(
  center: LocationCoordinate2D(latitude: 37.7858, longitude: -122.4064), radius: 50, identifier: "home")

func crossing(_ state: RegionState, _ seconds: Double, region: CircularRegion = home) -> RegionCrossing {
  RegionCrossing(
    .circle(region), state,
    at: Location(
      coordinate: region.center, horizontalAccuracy: 4.2,
      timestamp: Date(timeIntervalSince1970: 1_700_000_000 + seconds)))
}

extension PublisherConfiguration {
  /// For a broker on loopback, with short waits.
  init(port: UInt16, usesTLS: Bool = false, host: String = "127.0.0.1") {
    self.init(.broker(host: host, port: port, usesTLS: usesTLS))
  }

  /// With short waits.
  init(_ address: PublishingAddress, topic: String = "owntracks/user/device") {
    self.init(address: address, topic: topic)
    session.minimumRetryDelay = 0.05
    session.maximumRetryDelay = 0.2
    session.connectTimeout = 5
  }
}

final class TestPublisher: Sendable {
  private let journal: MemoryJournal
  private let queue: MemoryReader
  let publisher: Publisher
  let notices = Recorder<OutputNotice>()

  init(
    _ configuration: PublisherConfiguration, _ records: [JournalRecord] = fixes(1), fences: [CircularRegion] = [],
    host: Platform.Host = .system, onFences: @escaping @Sendable ([FenceChange]) -> Void = { _ in }
  ) throws {
    journal = try MemoryJournal(limit: 1 << 25, mode: .live)
    queue = journal.reader(named: "publish")
    for record in records { journal.append(record) }
    publisher = try Publisher(
      configuration, queue: queue, fences: fences, host: host, onFences: onFences, onNotice: notices.record)
  }

  convenience init(
    port: UInt16, _ records: [JournalRecord] = fixes(1), fences: [CircularRegion] = [],
    host: Platform.Host = .system, _ configure: (inout PublisherConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = PublisherConfiguration(port: port)
    configure(&configuration)
    try self.init(configuration, records, fences: fences, host: host)
  }

  var cursor: Int64 { queue.cursor }
  var statistics: Publisher.Statistics { publisher.statistics }
  var said: [String] { notices.values.map(\.message) }
  var severities: [OutputNotice.Severity] { notices.values.map(\.severity) }
  var warnings: [String] { notices.values.filter { $0.severity == .warning }.map(\.message) }

  /// Has the publisher find a new row.
  func append(_ record: JournalRecord) {
    journal.append(record)
    publisher.wake()
  }

  func finish() async { await publisher.finish() }

  /// Ends it without waiting for the broker.
  func end() async {
    publisher.stop()
    await publisher.finish()
  }
}

extension Delivery {
  /// A delivery for a broker that there is not.
  init(
    cursor: Int64 = 0, interval: Double? = nil, heartbeat: Double? = nil,
    _ configure: (inout PublisherConfiguration) -> Void = { _ in }
  ) {
    var settings = PublisherConfiguration(address: .broker(host: "broker"), topic: "owntracks/user/device")
    (settings.interval, settings.heartbeat) = (interval, heartbeat)
    configure(&settings)
    self.init(settings, cursor: cursor)
  }

  /// Sends everything that may go, numbered from `identifier`.
  mutating func drain(from identifier: Int32 = 1, at now: Double = 0) -> [OutgoingMessage] {
    var messages: [OutgoingMessage] = []
    while let message = next(at: now, time: 1_700_000_000) {
      sent(message, as: identifier + Int32(messages.count))
      messages.append(message)
    }
    return messages
  }

  /// Sends everything, each message when the one before it is acknowledged.
  mutating func deliver() -> [OutgoingMessage] {
    var messages: [OutgoingMessage] = []
    while let message = next(at: 0, time: 1_700_000_000) {
      sent(message, as: 1)
      acknowledge(1)
      messages.append(message)
    }
    return messages
  }
}

extension OutgoingMessage {
  var json: [String: Any] { members(of: payload) }
  /// The number of its fix, by its time.
  var number: Int? { (json["tst"] as? Int).map { $0 - 1_700_000_000 } }
}

func members(of payload: [UInt8]) -> [String: Any] {
  (try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]) ?? [:]
}

/// The numbers of the fixes in messages, by their times.
func numbers(_ messages: [BrokerSubscriber.Message]) -> [Int] {
  messages.compactMap { ($0.json["tst"] as? Int).map { $0 - 1_700_000_000 } }
}
