public import Output
import Records
import Glibc
import NIOCore
import NIOPosix
import Sockets
import Synchronization

/// Serves region updates to any number of clients on any number of unix and TCP sockets.
///
/// A new client gets the current region at once. One that does not keep up loses its oldest updates and learns how many
/// from a `dropped` record; it never holds up anyone, and is closed when it takes nothing for the stall timeout. What
/// clients send is ignored. Publishing is cheap, and next to free while there is no client.
public final class RegionSocket: Sendable {
  /// What can be chosen about region sockets.
  public struct Configuration: Sendable {
    /// The permissions of unix sockets.
    public var mode: UInt16 = 0o660
    /// The group, by name or number, that unix sockets are given to.
    public var group: String?
    /// The most clients, of all sockets together; fewer when the process may not have as many descriptors.
    public var readerLimit = 4096
    /// How long a client may take nothing while something waits for it.
    public var stallTimeout = Duration.seconds(30)
    /// How many bytes of updates are kept for clients that are slow, in all.
    public var backlogBytes = 1 << 20
    /// How many updates are kept for clients that are slow.
    public var backlogLines = 8192

    /// Creates the usual configuration.
    public init() {}
  }

  /// What the region sockets have done so far.
  public struct Statistics: Sendable, Hashable {
    /// Clients just now.
    public var readers = 0
    /// Clients that were accepted.
    public var accepted = 0
    /// Clients that were refused because there were too many.
    public var refused = 0
    /// Clients that were closed because they took nothing.
    public var stalled = 0
    /// Updates that were published.
    public var published = 0
    /// Updates that clients lost, each counted for each of them.
    public var dropped = 0
    /// Bytes that were sent.
    public var bytes = 0
  }

  private let loop: NetworkLoop
  private let configuration: Configuration
  private let feed: RegionFeed
  private let hub: NIOLoopBoundBox<RegionHub>
  private let listeners: Listeners
  private let isShutDown = Mutex(false)

  /// Creates a region socket that listens nowhere yet.
  /// - Parameter onNotice: Called on the loop's thread or on that of the caller.
  public init(
    loop: NetworkLoop, configuration: Configuration = Configuration(),
    onNotice: @escaping OutputNotice.Handler = { _ in }
  ) {
    self.loop = loop
    self.configuration = configuration
    let feed = RegionFeed(byteLimit: configuration.backlogBytes, lineLimit: configuration.backlogLines)
    self.feed = feed
    let hub = NIOLoopBoundBox.makeBoxSendingValue(
      RegionHub(loop: loop.eventLoop, feed: feed, configuration: configuration, onNotice: onNotice),
      eventLoop: loop.eventLoop)
    self.hub = hub
    listeners = Listeners(on: loop) { name, event in
      var message = "\(name) \(event)"
      if case .exposed = event { message += " and read where the receiver is" }
      onNotice(OutputNotice(event.isProblem ? .warning : .notice, message))
    } configure: { bootstrap, isTCP in
      Self.configure(bootstrap, isTCP: isTCP, hub: hub)
    }
  }

  /// Publishes one update, newline included. From any thread, without waiting.
  public func publish(_ line: borrowing RecordBuffer) {
    guard line.withUnsafeBytes({ feed.publish($0) }) else { return }
    loop.eventLoop.execute { [hub] in hub.value.flush() }
  }

  /// Starts to listen; a stale unix socket is replaced.
  ///
  /// An address that is not there yet, or a folder that somebody has locked, is reported and waited for. A TCP address
  /// beyond loopback is reported as a warning: anyone who reaches it can read where the receiver is.
  /// - Throws: `OutputError` of code `cannotCreate`, which names the address and the way out.
  public func listen(on address: RegionSocketAddress) async throws(OutputError) {
    let name = "region socket \(address)"
    do {
      switch address {
      case .unix(let path):
        try await listeners.listen(onUnix: path, mode: configuration.mode, group: configuration.group, name: name)
      case .tcp(let host, let port):
        try await listeners.listen(on: TCPAddress(host: host, port: port), name: name)
      }
    } catch {
      throw OutputError(.cannotCreate, "\(name) \(error)")
    }
  }

  /// Serves on a socket that already listens: one that a service manager passed. It is closed at the end, its file stays.
  /// - Throws: `OutputError` when the descriptor is no listening stream socket.
  public func adopt(descriptor: Int32) async throws(OutputError) {
    let name = "region socket on descriptor \(descriptor)"
    do {
      try await listeners.adopt(descriptor: descriptor, name: name)
    } catch {
      throw OutputError(.cannotCreate, "\(name) \(error)")
    }
  }

  /// The TCP ports that are listened on, in the order of `listen` and `adopt`; one of each address of a name.
  public var ports: [Int] { listeners.ports }

  /// What happened so far. From any thread.
  public var statistics: Statistics { feed.statistics }

  /// Stops listening, removes the unix sockets' files, sends every client what is left and closes it.
  ///
  /// A second call while the first one waits shortens its time; one after the end does nothing.
  /// - Parameter time: When clients that have not taken everything are closed all the same. Without it each client gets
  ///   as long as it goes on taking something.
  public func shutdown(within time: Duration? = .milliseconds(500)) async {
    await listeners.close()
    // The loop may be shut down by now.
    guard !isShutDown.withLock({ $0 }) else { return }
    let isDrained = loop.eventLoop.makePromise(of: Void.self)
    loop.eventLoop.execute { [hub] in hub.value.finish(isDrained) }
    let deadline = time.map { time in
      loop.eventLoop.scheduleTask(in: TimeAmount(time)) { [hub] in hub.value.closeAll() }
    }
    try? await isDrained.futureResult.get()
    isShutDown.withLock { $0 = true }
    deadline?.cancel()
  }

  private static func configure(
    _ bootstrap: ServerBootstrap, isTCP: Bool, hub: NIOLoopBoundBox<RegionHub>
  ) -> ServerBootstrap {
    let bootstrap =
      bootstrap
      .serverChannelOption(.maxMessagesPerRead, value: 64)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 8 << 10, high: 32 << 10))
      // The system's own send buffer grows to megabytes; what a client that is slow costs is bounded here.
      .childChannelOption(.socketOption(.so_sndbuf), value: 64 << 10)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(RegionConnection(channel: channel, hub: hub.value))
        }
      }
    guard isTCP else { return bootstrap }
    // A client behind a cut wire, or gone after a half-close, is found out within 75 s.
    return
      bootstrap
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 30)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 15)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 3)
  }
}
