import FoundationEssentials
public import Journal
public import Writing
public import Platform
public import Publishing
public import SystemPackage

/// Subscribes to what devices publish at a broker, and writes it to a journal.
///
/// Each batch of messages goes through three steps on the collector's own thread. The judge receives the batch, and gives
/// the records to write, crossings of fences among them. One transaction writes them. The broker then gets its
/// acknowledgements. So an acknowledged message is in the journal, and the broker sends all
/// others again. Without a broker or a journal the collector retries and reports the outage once; the messages stay at
/// the broker. For any thread.
public final class Collector: Sendable {
  /// The broker, the topics and the limits of a collector.
  public struct Configuration: Sendable {
    /// The broker and the credentials.
    public var session: SessionConfiguration
    /// The topics of locations.
    public var filters: [TopicFilter]
    /// The group that shares the messages; `nil` to receive all of them.
    public var group: String?
    /// The most messages accepted from a device in an hour, so that a device that floods the broker does not harm
    /// others. The default leaves room for a day at ten fixes a second that arrives at once.
    public var deviceLimit = 1_000_000

    /// Creates a configuration.
    public init(session: SessionConfiguration, filters: [TopicFilter], group: String? = nil) {
      (self.session, self.filters, self.group) = (session, filters, group)
      self.session.keepsSession = true
    }

    var subscriptions: [String] {
      filters.flatMap(\.subscriptions).map { filter in group.map { "$share/\($0)/\(filter)" } ?? filter }
    }
  }

  /// A message of a device.
  public struct Message: Sendable, Hashable {
    /// The device.
    public var device: String
    /// Its location, or its crossing of one of its own fences, as the journal stores it.
    public var record: DeviceRecord?
    /// The device's name, from a card.
    public var name: String?
    /// The charge of the device's battery in percent, if the message has it.
    public var battery: Int?

    /// Whether the device's clock is ahead, so that this location is never the newest.
    public var isAhead: Bool { record?.isAhead ?? false }
  }

  /// The collector's counts.
  public struct Statistics: Sendable, Hashable {
    /// Whether there is a session with the broker.
    public var isConnected = false
    /// Messages received, including repetitions.
    public var messages = 0
    /// Locations received.
    public var locations = 0
    /// Messages without usable content, by kind. They are acknowledged and discarded.
    public var refused: [String: Int] = [:]
    /// Locations with a time in the future.
    public var ahead = 0
    /// The account of the records given to the journal. Records that it has not accepted are also still at the broker.
    public var account = Account()
    /// The reason and, on the host's clock, the start of an interruption; `nil` without one.
    public var outage: OutputOutage?

    /// Creates statistics with all counts 0.
    public init() {}

    /// Committed records.
    public var committed: Int { account.written }
    /// Messages without usable content.
    public var refusals: Int { refused.values.reduce(0, +) }
  }

  struct Shared {
    var statistics = Statistics()
    /// Crossings found by the judge that are not in the journal yet.
    var crossings = 0
  }

  /// Seconds that the thread has to end: it may wait for a database. The broker sends unacknowledged messages again.
  private static let patience = 3.0
  let worker: Worker<Shared>
  private let host: Host

  /// Starts the collector.
  ///
  /// - Parameters:
  ///   - configuration: The broker, the topics and the limits.
  ///   - journal: The journal for messages; `nil` to store nothing.
  ///   - host: The program's host.
  ///   - judge: Decides on the collector's thread what is written.
  ///   - onNotice: Called on the collector's thread.
  /// - Throws: The system's error when no thread or descriptor is left.
  public convenience init(
    _ configuration: Configuration, journal: sending (any DeviceJournal)?, judge: sending any DeviceJudge,
    host: Host = .system, onNotice: @escaping OutputNotice.Handler
  ) throws(Errno) {
    let worker = try Worker(Shared())
    let connector = BrokerConnector(configuration.session, stop: worker.stopping)
    try self.init(configuration, journal: journal, judge: judge, worker, connector, host: host, onNotice: onNotice)
  }

  init(
    _ configuration: Configuration, journal: sending (any DeviceJournal)?, judge: sending any DeviceJudge,
    _ worker: Worker<Shared>, _ connector: sending some SessionConnector<some SubscribingConnection>, host: Host,
    onNotice: @escaping OutputNotice.Handler
  ) throws(Errno) {
    (self.worker, self.host) = (worker, host)
    let client = CollectorClient(
      configuration, journal: journal, judge: judge, worker: worker, connector: connector, host: host,
      onNotice: onNotice)
    try worker.start(client, on: host) { worker.withState { $0.statistics.isConnected = false } }
  }

  /// The counts so far.
  public var statistics: Statistics { worker.withState { $0.statistics } }

  /// Stores the waiting records and ends; later messages stay at the broker. It waits only briefly for a journal that
  /// is away.
  ///
  /// - Returns: How many of the judge's crossings were not stored. The messages that led to them were not acknowledged,
  ///   either.
  public nonisolated(nonsending) func finish() async -> Int {
    worker.stop(within: Self.patience, on: host)
    await worker.wait()
    return worker.withState { $0.crossings }
  }
}

/// Decides what a collector writes, on the collector's thread.
public protocol DeviceJudge: AnyObject {
  /// Takes a batch of messages before it is written.
  func receive(_ messages: [Collector.Message])

  /// Lets time pass. Returns the time of the next call at the latest, on the host's monotonic clock.
  func advance() -> Double

  /// Returns the records since the last call, which are written in one transaction.
  func takeRecords() -> [DeviceRecord]
}
