import FoundationEssentials
public import Journal
public import Output
public import Platform
import Synchronization
public import SystemPackage

/// Subscribes to what devices publish at a broker, and writes it to a journal.
///
/// Each batch of messages goes through four steps, on the collector's own thread: `onMessages` sees it, and whoever judges fences
/// passes crossings to `keep(_:)` before it returns; one transaction writes messages and crossings; the broker gets its
/// acknowledgements. So an acknowledged message is in the journal, and the broker sends all others again. While there is no
/// broker or no journal, the collector retries and reports the outage once; the messages stay at the broker. Any thread.
public final class Collector: Sendable {
  /// Where to listen, and to what.
  public struct Configuration: Sendable {
    /// The broker and how to be let in.
    public var session: SessionConfiguration
    /// The topics of locations.
    public var filters: [TopicFilter]
    /// The group with which messages are shared; `nil` to have all of them.
    public var group: String?
    /// The most messages of a device that are taken in an hour, so that one that floods the broker harms no other. The
    /// default leaves room for a day at ten fixes a second that comes at once.
    public var deviceLimit = 1_000_000

    /// Creates a configuration.
    public init(session: SessionConfiguration, filters: [TopicFilter], group: String? = nil) {
      (self.session, self.filters, self.group) = (session, filters, group)
      self.session.keepsSession = true
    }

    /// What is subscribed to.
    var subscriptions: [String] {
      filters.flatMap(\.subscriptions).map { filter in group.map { "$share/\($0)/\(filter)" } ?? filter }
    }
  }

  /// What a device has said.
  public struct Message: Sendable, Hashable {
    /// Who.
    public var device: String
    /// What.
    public var content: DeviceMessage
    /// Whether the device's clock is ahead, so that this is never the newest.
    public var isAhead: Bool
  }

  /// What was done so far.
  public struct Statistics: Sendable, Hashable {
    /// Whether there is a session with the broker.
    public var isConnected = false
    /// Messages that came, repetitions included.
    public var messages = 0
    /// Locations among them.
    public var locations = 0
    /// Messages that say nothing, by kind: they are acknowledged, and gone.
    public var refused: [String: Int] = [:]
    /// Locations with a time that is yet to come.
    public var ahead = 0
    /// What became of the records that the journal was given. Those that it has not taken wait at the broker, too.
    public var account = Account()
    /// Why nothing is received, and since when on the host's clock; `nil` while all is well.
    public var outage: OutputOutage?

    /// Nothing was done.
    public init() {}

    /// Records that were committed.
    public var committed: Int { account.written }
  }

  /// What the collector's thread shares with its callers.
  struct Shared {
    var statistics = Statistics()
    /// Records of `keep(_:)` that are not in the journal yet.
    var records: [DeviceRecord] = []
  }

  final class Context: Sendable {
    let shared = Mutex(Shared())
    let end = ThreadEnd()
    let bell: Wakeup
    let stop: Wakeup
    let onNotice: OutputNotice.Handler
    let onMessages: @Sendable ([Message]) -> Void

    init(
      onNotice: @escaping OutputNotice.Handler, onMessages: @escaping @Sendable ([Message]) -> Void
    ) throws(Errno) {
      (bell, stop) = (try Wakeup(), try Wakeup())
      (self.onNotice, self.onMessages) = (onNotice, onMessages)
    }
  }

  /// How long the thread gets to end, in seconds: it may wait for a database, and what it has not acknowledged then comes again.
  private static let patience = 3.0
  private let context: Context

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - journal: Where everything is kept; `nil` to keep nothing.
  ///   - onNotice: Called on the collector's thread.
  ///   - onMessages: Called on the collector's thread with each batch before it is written. Records that are passed to
  ///     `keep(_:)` before it returns are written in the same transaction.
  /// - Throws: The system's error when there is no thread or descriptor.
  public init(
    _ configuration: Configuration, journal: sending (any DeviceJournal)?, onNotice: @escaping OutputNotice.Handler,
    onMessages: @escaping @Sendable ([Message]) -> Void
  ) throws(Errno) {
    let context = try Context(onNotice: onNotice, onMessages: onMessages)
    self.context = context
    let client = Mutex(CollectorClient(configuration, journal: journal, context: context))
    try Thread.start {
      client.withLock { $0.run() }
      context.shared.withLock { $0.statistics.isConnected = false }
      context.end.finish()
    }
  }

  /// What was done so far.
  public var statistics: Statistics { context.shared.withLock { $0.statistics } }

  /// Has a record kept that was made here, such as the crossing of a fence. From any thread, without waiting.
  public func keep(_ record: DeviceRecord) {
    context.shared.withLock { $0.records.append(record) }
    context.bell.signal()
  }

  /// Keeps what waits and ends; the broker keeps what comes from now on. It does not wait long for a journal that is away.
  ///
  /// - Returns: How many records of `keep(_:)` are not kept. The messages that led to them were not acknowledged, either.
  public func finish() async -> Int {
    context.stop.signal()
    context.end.finish(within: Self.patience)
    await context.end.wait()
    return context.shared.withLock { $0.records.count }
  }
}
