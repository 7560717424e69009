public import FoundationEssentials
import Glibc
public import LocationKit
public import Output
public import Platform
import Synchronization
public import SystemPackage

/// Publishes what a journal holds to an MQTT broker or an HTTP server as OwnTracks messages, at least once and in order.
///
/// A thread of its own connects, sends, and moves the journal's cursor as the other side acknowledges. It never gives up:
/// whatever that does, it tries again, says so once, and everything stays in the journal meanwhile. Any thread.
public final class Publisher: Sendable {
  /// What was done so far.
  public struct Statistics: Sendable, Hashable {
    /// Whether there is a session with the broker, or the server took what it was sent last.
    public var isConnected = false
    /// What became of the journal's rows, and of announcements that were refused; of new rows it learns within a second.
    public var account = Account() {
      didSet { if account.waiting == 0 { oldestWaiting = nil } }
    }
    /// The time of the oldest row that waits.
    public var oldestWaiting: Date?
    /// Messages that were handed over, repetitions included.
    public var sent = 0
    /// Messages that the other side has acknowledged.
    public var acknowledged = 0
    /// Messages that the other side has refused, repetitions included.
    public var refused = 0
    /// Sessions beyond the first.
    public var reconnections = 0
    /// When an acknowledgement came last, on the host's clock.
    public var lastAcknowledgement: Date?

    /// Nothing was done.
    public init() {}

    /// Rows of the journal that wait for their acknowledgement, a moment ago at most.
    public var waiting: Int { account.waiting }
    /// Messages that were refused and are not sent again, and so are lost.
    public var leftOut: Int { account.drops[.refused] ?? 0 }
    /// Locations and crossings that are not published, because they have no time.
    public var unpublishable: Int { account.drops[.untimed] ?? 0 }
  }

  /// What a publisher's thread and everybody else share.
  struct Shared {
    var statistics = Statistics()
    /// Fences that the thread has not taken over.
    var fences: [CircularRegion]?
    var isDraining = false
  }

  /// The parts that the thread uses.
  final class Context: Sendable {
    let shared = Mutex(Shared())
    let end = ThreadEnd()
    let bell: Wakeup
    let stop: Wakeup
    let onFences: @Sendable ([FenceChange]) -> Void
    let onNotice: OutputNotice.Handler

    init(
      onFences: @escaping @Sendable ([FenceChange]) -> Void, onNotice: @escaping OutputNotice.Handler
    ) throws(Errno) {
      bell = try Wakeup()
      stop = try Wakeup()
      (self.onFences, self.onNotice) = (onFences, onNotice)
    }
  }

  /// How long the thread gets to say goodbye once it is to stop; it may hang in a library's lookup.
  private static let patience = 0.3
  private let context: Context

  /// Starts to publish.
  ///
  /// - Parameters:
  ///   - queue: What is published.
  ///   - fences: What is announced as waypoints.
  ///   - onFences: Called on the publisher's thread when a command changes fences.
  ///   - onNotice: Called on the publisher's thread.
  /// - Throws: The system's error when there is no thread or descriptor.
  public init(
    _ configuration: PublisherConfiguration, queue: any PublishingQueue, fences: [CircularRegion] = [],
    onFences: @escaping @Sendable ([FenceChange]) -> Void = { _ in }, onNotice: @escaping OutputNotice.Handler
  ) throws(Errno) {
    context = try Context(onFences: onFences, onNotice: onNotice)
    context.shared.withLock { $0.fences = fences }
    try Thread.start { [context] in
      var client = PublishingClient(configuration, queue: queue, context: context)
      client.run()
      context.shared.withLock { $0.statistics.isConnected = false }
      context.end.finish()
    }
  }

  deinit {
    context.stop.signal()
  }

  /// What was done so far.
  public var statistics: Statistics { context.shared.withLock { $0.statistics } }

  /// Says that the queue has new rows.
  public func wake() { context.bell.signal() }

  /// Announces these fences from now on.
  public func setFences(_ fences: [CircularRegion]) {
    context.shared.withLock { $0.fences = fences }
    context.bell.signal()
  }

  /// Waits until everything in the queue is acknowledged, however long that takes, and ends. `stop()` ends the waiting.
  public func finish() async {
    context.shared.withLock { $0.isDraining = true }
    context.bell.signal()
    await context.end.wait()
  }

  /// Ends at once; what is not acknowledged stays in the queue.
  public func stop() {
    context.stop.signal()
    context.end.finish(within: Self.patience)
  }
}
