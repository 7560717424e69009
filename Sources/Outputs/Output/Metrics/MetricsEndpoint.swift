import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Serves metrics over HTTP: `GET /metrics` and nothing else, one request a connection.
///
/// Requests are bounded in size and time, connections in number; whatever else is sent gets a status of 400 and more.
public final class MetricsEndpoint: Sendable {
  /// The most connections at once.
  private static let connectionLimit = 64

  private let loop: NetworkLoop
  private let timeout: TimeAmount
  private let collect: @Sendable () -> String
  private let onNotice: OutputNotice.Handler
  private let channels = Mutex<[any Channel]>([])
  private let connections: NIOLoopBoundBox<[ObjectIdentifier: any Channel]>

  /// Creates an endpoint that listens nowhere yet.
  /// - Parameters:
  ///   - timeout: How long a connection may last.
  ///   - onNotice: Called on the loop's thread or on that of the caller.
  ///   - collect: Gives the text of the metrics, on the loop's thread: `registry.text()`.
  public init(
    loop: NetworkLoop, timeout: Duration = .seconds(10),
    onNotice: @escaping OutputNotice.Handler = { _ in },
    collect: @escaping @Sendable () -> String
  ) {
    self.loop = loop
    self.timeout = TimeAmount(timeout)
    self.onNotice = onNotice
    self.collect = collect
    connections = .makeBoxSendingValue([:], eventLoop: loop.loop)
  }

  /// Starts to serve. An address beyond loopback is told as a warning.
  /// - Throws: `OutputError` of code `cannotCreate`, which names the address and the mend.
  public func listen(on address: MetricsAddress) async throws(OutputError) {
    let opened: [any Channel]
    do {
      opened = try await bootstrap(name: "metrics endpoint \(address)")
        .bind(toAllAddressesOf: address.host, port: address.port, on: loop.loop)
    } catch {
      let reason = ListeningDescriptor.describe(error, port: address.port)
      throw OutputError(.cannotCreate, "metrics endpoint \(address) cannot be opened: \(reason)")
    }
    if !opened.allSatisfy({ ListeningDescriptor.isLoopback($0.localAddress) }) {
      onNotice(
        OutputNotice(
          .warning,
          "metrics endpoint \(address) is not on loopback: whoever reaches it can read the receiver's state"
        ))
    }
    channels.withLock { $0 += opened }
  }

  /// The TCP ports that are listened on.
  public var ports: [Int] {
    channels.withLock { $0.compactMap { $0.localAddress?.port } }
  }

  /// Stops listening and closes the connections.
  public func shutdown() async {
    let listening = channels.withLock { channels in
      defer { channels = [] }
      return channels
    }
    for channel in listening { try? await channel.close() }
    try? await loop.loop.submit { [connections] in
      for channel in connections.value.values { channel.close(promise: nil) }
    }.get()
  }

  private func bootstrap(name: String) -> ServerBootstrap {
    ServerBootstrap(group: loop.group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { [onNotice] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            ListenerErrorHandler(name: name, onNotice: onNotice))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
      .childChannelInitializer { [timeout, collect, connections] channel in
        channel.eventLoop.makeCompletedFuture {
          let key = ObjectIdentifier(channel)
          guard connections.value.count < Self.connectionLimit else {
            // An initializer that fails closes its connection.
            throw OutputError(.inputOutput, "too many connections")
          }
          connections.value[key] = channel
          try channel.pipeline.syncOperations.addHandler(
            MetricsConnection(timeout: timeout, channel: channel, collect: collect) {
              connections.value[key] = nil
            })
        }
      }
  }
}
