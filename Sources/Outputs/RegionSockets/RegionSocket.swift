import Glibc
import NIOCore
import NIOPosix
public import Output
import Records
import Sockets

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
    /// What is kept for clients that are slow, and what they may use up, of all sockets together. There may be fewer of them
    /// when the process may not have as many descriptors.
    public var broadcast = BroadcastOptions()

    /// Creates the usual configuration.
    public init() {}
  }

  private let configuration: Configuration
  private let broadcast: Broadcast<[UInt8]>
  private let listeners: Listeners

  /// Creates a region socket that listens nowhere yet.
  /// - Parameter onNotice: Called on the loop's thread or on that of the caller.
  public init(
    loop: NetworkLoop, configuration: Configuration = Configuration(),
    onNotice: @escaping OutputNotice.Handler = { _ in }
  ) {
    self.configuration = configuration
    var options = configuration.broadcast
    options.readerLimit = min(options.readerLimit, DescriptorLimit.current - DescriptorLimit.reserve)
    let broadcast = Broadcast(
      on: loop, value: [], options: options,
      greeting: { newest, _ in ByteBuffer(bytes: newest) }, lossRecord: Self.droppedRecord,
      frame: { NIOAny($0) }
    ) { event in
      let message =
        switch event {
        case .full(let readers): "the limit of readers is \(readers); further ones are refused"
        case .stalled(let time): "a reader took nothing for \(time); closed"
        }
      onNotice(OutputNotice(.warning, "region socket: \(message)"))
    }
    self.broadcast = broadcast
    listeners = Listeners(on: loop) { name, event in
      var message = "\(name) \(event)"
      if case .exposed = event { message += " and read where the receiver is" }
      onNotice(OutputNotice(event.isProblem ? .warning : .notice, message))
    } configure: { bootstrap, isTCP in
      Self.configure(bootstrap, isTCP: isTCP, broadcast: broadcast)
    }
  }

  /// Publishes one update, newline included. From any thread, without waiting.
  public func publish(_ line: borrowing RecordBuffer) {
    line.withUnsafeBytes { line in
      broadcast.update { newest, messages in
        newest.removeAll(keepingCapacity: true)
        newest.append(contentsOf: line)
        messages.append(line)
      }
    }
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
      case .tcp(let address):
        try await listeners.listen(on: address, name: name)
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
  public var statistics: BroadcastStatistics { broadcast.statistics }

  /// Stops listening, removes the unix sockets' files, sends every client what is left and closes it.
  ///
  /// A second call while the first one waits shortens its time; one after the end does nothing.
  /// - Parameter time: When clients that have not taken everything are closed all the same. Without it each client gets
  ///   as long as it goes on taking something.
  public func shutdown(within time: Duration? = .milliseconds(500)) async {
    await listeners.close()
    await broadcast.shutdown(within: time)
  }

  /// The record that says how many updates a client has lost.
  private static func droppedRecord(_ count: Int) -> ByteBuffer {
    let formatter = NDJSONFormatter()
    var record = RecordBuffer(capacity: 128)
    formatter.append(dropped: count, to: &record)
    return record.withUnsafeBytes { ByteBuffer(bytes: $0) }
  }

  private static func configure(
    _ bootstrap: ServerBootstrap, isTCP: Bool, broadcast: Broadcast<[UInt8]>
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
          try channel.pipeline.syncOperations.addHandlers([RegionInputHandler(), broadcast.reader()])
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
