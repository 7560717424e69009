public import FoundationEssentials
public import Journal
public import LocationKit
public import Platform
public import SystemPackage
public import Writing

/// Publishes the records of a journal to an MQTT broker or an HTTP server as OwnTracks messages, at least once and in
/// order.
///
/// It connects and sends on its own thread, and moves the journal's cursor as the other side acknowledges. It never
/// gives up: it retries, reports an outage once, and the records stay in the journal. For any thread.
public final class Publisher: Sendable {
  /// The publisher's counts.
  public struct Statistics: Sendable, Hashable {
    /// Whether a session exists, or the server accepted the last message.
    public var isConnected = false
    /// The account of the journal's rows and of refused announcements. New rows are counted within a second.
    public var account = Account() {
      didSet { if account.waiting == 0 { oldestWaiting = nil } }
    }
    /// The time of the oldest waiting row.
    public var oldestWaiting: Date?
    /// Messages sent, including repetitions.
    public var sent = 0
    /// Messages that the other side has acknowledged.
    public var acknowledged = 0
    /// Messages that the other side has refused, including repetitions.
    public var refused = 0
    /// Sessions after the first.
    public var reconnections = 0
    /// The time of the last acknowledgement on the host's clock.
    public var lastAcknowledgement: Date?

    /// Creates statistics with all counts 0.
    public init() {}

    /// Rows of the journal that wait for their acknowledgement, updated once a second.
    public var waiting: Int { account.waiting }
    /// Refused messages that are not sent again and are lost.
    public var skipped: Int { account.drops[.refused] ?? 0 }
    /// Locations and crossings that are not published, because they have no time.
    public var unpublishable: Int { account.drops[.untimed] ?? 0 }
  }

  struct Shared {
    var statistics = Statistics()
    var fences: [CircularRegion]?
    var isDraining = false
  }

  /// Seconds that the thread has to disconnect after a stop, because a library may hang in a lookup.
  private static let patience = 0.3
  let worker: Worker<Shared>
  private let host: Host

  /// Starts the publisher.
  ///
  /// - Parameters:
  ///   - configuration: The other side, and what is published.
  ///   - queue: The records to publish.
  ///   - fences: The fences to announce as waypoints.
  ///   - host: The program's host.
  ///   - onFences: Called on the publisher's thread when a command changes fences.
  ///   - onNotice: Called on the publisher's thread.
  /// - Throws: The system's error when no thread or descriptor is left.
  public convenience init(
    _ configuration: PublisherConfiguration, queue: any JournalQueue, fences: [CircularRegion] = [],
    host: Host = .system, onFences: @escaping @Sendable ([FenceChange]) -> Void = { _ in },
    onNotice: @escaping OutputNotice.Handler
  ) throws(Errno) {
    let worker = try Worker(Shared(fences: fences))
    switch configuration.session.address.peer {
    case .broker:
      try self.init(
        configuration, queue: queue, worker, BrokerConnector(configuration.session, stop: worker.stopping),
        host: host, onFences: onFences, onNotice: onNotice)
    case .server:
      try self.init(
        configuration, queue: queue, worker, ServerConnector(configuration, stop: worker.stopping),
        host: host, onFences: onFences, onNotice: onNotice)
    }
  }

  init(
    _ configuration: PublisherConfiguration, queue: any JournalQueue, _ worker: Worker<Shared>,
    _ connector: sending some SessionConnector<some PublishingConnection>, host: Host,
    onFences: @escaping @Sendable ([FenceChange]) -> Void, onNotice: @escaping OutputNotice.Handler
  ) throws(Errno) {
    (self.worker, self.host) = (worker, host)
    let client = PublishingClient(
      configuration, queue: queue, worker: worker, connector: connector, host: host, onFences: onFences,
      onNotice: onNotice)
    try worker.start(client, on: host) { worker.withState { $0.statistics.isConnected = false } }
  }

  deinit { worker.stopping.signal() }

  /// The counts so far.
  public var statistics: Statistics { worker.withState { $0.statistics } }

  /// Tells the publisher that the queue has new rows.
  public func wake() { worker.bell.signal() }

  /// Replaces the announced fences.
  public func setFences(_ fences: [CircularRegion]) {
    worker.withState { $0.fences = fences }
    worker.bell.signal()
  }

  /// Waits until the whole queue is acknowledged, however long that takes, and ends. `stop()` ends the waiting.
  public nonisolated(nonsending) func finish() async {
    worker.withState { $0.isDraining = true }
    worker.bell.signal()
    await worker.wait()
  }

  /// Ends at once; unacknowledged records stay in the queue.
  public func stop() { worker.stop(within: Self.patience, on: host) }
}

/// The settings of a publisher. Times are in seconds.
public struct PublisherConfiguration: Sendable {
  /// The broker or the server, and the credentials.
  public var session: SessionConfiguration
  /// The topic of locations; transitions and waypoints are on topics below it. A server gets its last two levels as the
  /// user and the device.
  public var topic: String
  /// Two characters that maps show for this device.
  public var trackerID: String?
  /// The device's name and picture; `nil` for none.
  public var card: DeviceCard?
  /// The least time between two locations; `nil` sends all of them.
  public var interval: Double?
  /// The time without a message after which the last location, or without a fix a status, is sent again; `nil` for
  /// never.
  public var heartbeat: Double?
  /// Whether to announce the device through Home Assistant's MQTT discovery. The broker's will is then the
  /// availability, and not a message of type lwt.
  public var announcesToHomeAssistant = false
  /// Whether to execute commands on the topic's `/cmd`.
  public var takesCommands = false
  package var privacy = PrivacyPolicy.exact
  /// The time limit for an acknowledgement.
  public var acknowledgementTimeout = 30.0

  /// Creates a configuration; `clientID` is derived from the topic by default.
  public init(address: PublishingAddress, topic: String, clientID: String? = nil) {
    self.topic = topic
    session = SessionConfiguration(
      address: address, clientID: clientID ?? "rxlocationd-" + topic.replacing("/", with: "-"))
  }

  var homeAssistant: HomeAssistant? { announcesToHomeAssistant ? HomeAssistant(topic: topic, name: card?.name) : nil }

  /// The will that the broker publishes if this client disappears. MQTT allows one will only, and Home Assistant needs
  /// a retained one.
  func will(time: Int, encryptedWith key: PayloadKey?) -> OutgoingMessage {
    homeAssistant?.availability(false)
      ?? OutgoingMessage(topic: topic, OwnTracksMessage.will(time: time)).encrypted(with: key)
  }
}
