import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Serves region updates to any number of readers on any number of unix and TCP sockets.
///
/// A new reader gets the current region at once. One that does not keep up loses its oldest updates and is told how
/// many with a `dropped` record, never holds up anyone, and is closed when it takes nothing for the stall timeout.
/// What readers send is ignored. Publishing is cheap, and next to free while there is no reader.
public final class RegionSocket: Sendable {
  private struct Listening: Sendable {
    var channels: [any Channel] = []
    var files: [UnixListener] = []
  }

  private let loop: NetworkLoop
  private let configuration: Configuration
  private let onNotice: OutputNotice.Handler
  private let feed: RegionFeed
  private let hub: NIOLoopBoundBox<RegionHub>
  private let listening = Mutex(Listening())

  /// Creates a region socket that listens nowhere yet.
  /// - Parameter onNotice: Called on the loop's thread or on that of the caller.
  public init(
    loop: NetworkLoop, configuration: Configuration = Configuration(),
    onNotice: @escaping OutputNotice.Handler = { _ in }
  ) {
    self.loop = loop
    self.configuration = configuration
    self.onNotice = onNotice
    let feed = RegionFeed(
      byteLimit: configuration.backlogBytes, lineLimit: configuration.backlogLines)
    self.feed = feed
    hub = NIOLoopBoundBox.makeBoxSendingValue(
      RegionHub(loop: loop.loop, feed: feed, configuration: configuration, onNotice: onNotice), eventLoop: loop.loop)
  }

  /// Publishes one update, newline included. From any thread, without waiting.
  public func publish(_ line: borrowing RecordBuffer) {
    guard line.withUnsafeBytes({ feed.publish($0) }) else { return }
    loop.loop.execute { [hub] in hub.value.flush() }
  }

  /// Starts to listen; a stale unix socket is replaced.
  ///
  /// A TCP address beyond loopback is told as a warning: anyone who reaches it can read where the receiver is.
  /// - Throws: `OutputError` of code `cannotCreate`, which names the address and the mend.
  public func listen(on address: RegionSocketAddress) async throws(OutputError) {
    switch address {
    case .unix(let path):
      let listener = try UnixListener(
        path: path, mode: configuration.mode, group: configuration.group)
      let channel = try await serve(
        listener.descriptor, isTCP: false, name: "region socket \(address)")
      add(channel, listener, name: "region socket \(address)")
    case .tcp(let host, let port):
      try await listen(host, port, address)
    }
  }

  /// Serves on a socket that already listens: one that systemd passed. It is closed at the end, its file stays.
  /// - Throws: `OutputError` when the descriptor is no listening stream socket.
  public func adopt(descriptor: Int32) async throws(OutputError) {
    let domain = try ListeningDescriptor.domain(of: descriptor)
    let channel = try await serve(
      descriptor, isTCP: domain == .internet, name: "region socket on descriptor \(descriptor)")
    add(channel, name: "region socket on descriptor \(descriptor)")
  }

  /// The TCP ports that are listened on, in the order of `listen` and `adopt`; one of each address of a name.
  public var ports: [Int] {
    listening.withLock { $0.channels.compactMap { $0.localAddress?.port } }
  }

  /// What happened so far. From any thread.
  public var statistics: Statistics { feed.statistics }

  /// Stops listening, removes the unix sockets' files, sends everyone what is left and closes; readers that have not
  /// taken it `within` that time are closed all the same.
  public func shutdown(within time: Duration = .milliseconds(500)) async {
    let listeners = listening.withLock { state in
      defer { state = Listening() }
      return state
    }
    for file in listeners.files { file.removeFile() }
    for channel in listeners.channels { try? await channel.close() }
    let promise = loop.loop.makePromise(of: Void.self)
    loop.loop.execute { [hub] in hub.value.finish(promise) }
    let deadline = loop.loop.scheduleTask(in: TimeAmount(time)) { [hub] in hub.value.closeAll() }
    try? await promise.futureResult.get()
    deadline.cancel()
  }

  private func listen(_ host: String, _ port: Int, _ address: RegionSocketAddress)
    async throws(OutputError)
  {
    let channels: [any Channel]
    do {
      channels = try await bootstrap(isTCP: true, name: "region socket \(address)")
        .bind(toAllAddressesOf: host, port: port, on: loop.loop)
    } catch {
      throw OutputError(
        .cannotCreate,
        "region socket \(address) cannot be opened: \(ListeningDescriptor.describe(error, port: port))"
      )
    }
    if !channels.allSatisfy({ ListeningDescriptor.isLoopback($0.localAddress) }) {
      onNotice(
        OutputNotice(
          .warning,
          "region socket \(address) is not on loopback: whoever reaches it can read where the receiver is"
        ))
    }
    for channel in channels { add(channel, name: "region socket \(address)") }
  }

  private func add(_ channel: any Channel, _ file: UnixListener? = nil, name: String) {
    listening.withLock { state in
      state.channels.append(channel)
      if let file { state.files.append(file) }
    }
    channel.closeFuture.whenComplete { [weak self] _ in
      // At the end the list is empty before the channels are closed.
      guard let self, listening.withLock({ $0.channels.contains { $0 === channel } }) else { return }
      onNotice(OutputNotice(.error, "\(name) takes no more connections: the system closed it"))
    }
  }

  private func serve(_ descriptor: Int32, isTCP: Bool, name: String) async throws(OutputError)
    -> any Channel
  {
    do {
      return try await bootstrap(isTCP: isTCP, name: name).withBoundSocket(descriptor).get()
    } catch {
      throw OutputError(.cannotCreate, "\(name) cannot be opened: \(error)")
    }
  }

  private func bootstrap(isTCP: Bool, name: String) -> ServerBootstrap {
    let bootstrap = ServerBootstrap(group: loop.group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: isTCP ? 1 : 0)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.maxMessagesPerRead, value: 64)
      .serverChannelInitializer { [onNotice] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            ListenerErrorHandler(name: name, onNotice: onNotice))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 8 << 10, high: 32 << 10))
      // The system's own send buffer grows to megabytes; what a reader that is slow costs is bounded here.
      .childChannelOption(.socketOption(.so_sndbuf), value: 64 << 10)
      .childChannelInitializer { [hub] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            RegionReader(channel: channel, hub: hub.value))
        }
      }
    guard isTCP else { return bootstrap }
    // A reader behind a cut wire, or gone after a half-close, is found out within 75 s.
    return
      bootstrap
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 30)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 15)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 3)
  }
}
