import Dispatch
import Glibc
import LocationKit
import NIOCore
import NIOPosix
import Writing
import Platform
import Records

/// Serves region updates, the sentences of fixes, or the records of the location service, to any number of clients on any
/// number of unix and TCP sockets.
///
/// A new client gets the newest update, or the present state, at once. A slow client loses its oldest updates; a client of
/// regions or locations learns their number from a `dropped` record. It never delays others, and is disconnected when it
/// reads nothing for the stall timeout. A client of the location service may ask for topics; other input from clients is
/// ignored. Publishing is cheap, and nearly free without a client.
package final class RegionSocket: Sendable {
  package enum Content: String, Sendable {
    /// Regions of the map, a JSON object in each line.
    case regions = "region"
    case nmea = "NMEA"
    /// Records of the location service. A client may ask for topics of them.
    case location

    package var name: String { "\(rawValue) socket" }
  }

  package struct Configuration: Sendable {
    package var mode: UInt16 = 0o660
    package var group: String?
    /// The limits for slow clients and for all clients together. The number of clients is lower if the process may not
    /// have as many descriptors.
    package var broadcast = BroadcastOptions()

    package init() {}
  }

  package let content: Content
  private let configuration: Configuration
  private let broadcast: Broadcast<[UInt8]>
  private let listeners: Listeners

  /// Called on the main actor when a client asks for topics or has left; `wanted` are those of all clients.
  package typealias WantHandler = @MainActor @Sendable (_ wanted: LocationSourceInterests) -> Void

  /// - Parameters:
  ///   - formatter: Writes the record of losses; `nil` for none.
  ///   - onWant: `nil` if clients have nothing to ask for.
  ///   - onNotice: Called on the loop's thread or on the caller's.
  package init(
    _ content: Content = .regions, loop: NetworkLoop, configuration: Configuration = Configuration(),
    formatter: (any RecordFormatter)? = NDJSONFormatter(), onWant: WantHandler? = nil,
    onNotice: @escaping OutputNotice.Handler = { _ in }
  ) {
    (self.content, self.configuration) = (content, configuration)
    var options = configuration.broadcast
    options.readerLimit = min(options.readerLimit, DescriptorLimit.current - DescriptorLimit.reserve)
    let broadcast = Broadcast(
      on: loop, value: [], options: options,
      greeting: { newest, _ in ByteBuffer(bytes: newest) },
      lossRecord: { Self.droppedRecord($0, formatter) },
      frame: { NIOAny($0) },
      onWant: { topics in
        guard let onWant else { return }
        // The queue keeps the order.
        DispatchQueue.main.async { MainActor.assumeIsolated { onWant(LocationSourceInterests(rawValue: topics)) } }
      }
    ) { event in
      let message =
        switch event {
        case .full(let readers): "the limit of readers is \(readers); further ones are refused"
        case .stalled(let time): "a reader read nothing for \(time) and was disconnected"
        }
      onNotice(OutputNotice(.warning, "\(content.name): \(message)"))
    }
    self.broadcast = broadcast
    listeners = Listeners(on: loop) { name, event in
      var message = "\(name) \(event)"
      if case .exposed = event { message += " and see where the receiver is" }
      onNotice(OutputNotice(event.isProblem ? .warning : .notice, message))
    } configure: { bootstrap, isTCP in
      Self.configure(bootstrap, isTCP: isTCP, broadcast: broadcast, takesRequests: onWant != nil)
    }
  }

  /// Publishes one update, which ends with a line feed. Without bytes it changes the greeting only. Any thread; does not
  /// wait.
  ///
  /// - Parameters:
  ///   - topic: The topic that a client has to want; without one the update is for every client.
  ///   - greeting: What a new client gets from now on; `nil` for the update itself.
  package func publish(_ line: borrowing RecordBuffer, topic: LocationSourceInterests = [], greeting: [UInt8]? = nil) {
    line.withUnsafeBytes { line in
      broadcast.update { newest, messages in
        if let greeting {
          newest = greeting
        } else {
          newest.removeAll(keepingCapacity: true)
          newest.append(contentsOf: line)
        }
        if !line.isEmpty { messages.append(line, topic: topic.rawValue) }
      }
    }
  }

  /// Starts to listen; a stale unix socket is replaced.
  ///
  /// If an address does not exist yet, or a folder is locked, the socket reports it and waits. A TCP address beyond
  /// loopback is reported as a warning, because everyone who reaches it can read where the receiver is.
  package func listen(on address: RegionSocketAddress) async throws(OutputError) {
    let target: Listeners.Target =
      switch address {
      case .unix(let path): .unix(path: path, mode: configuration.mode, group: configuration.group)
      case .tcp(let address): .tcp(address)
      }
    try await listen(on: target, "\(content.name) \(address)")
  }

  /// Serves on a listening socket, such as one from a service manager. It is closed at the end; its file stays.
  package func adopt(descriptor: Int32) async throws(OutputError) {
    try await listen(on: .descriptor(descriptor), "\(content.name) on descriptor \(descriptor)")
  }

  private func listen(on target: Listeners.Target, _ name: String) async throws(OutputError) {
    do {
      try await listeners.listen(on: target, name: name)
    } catch {
      throw OutputError(.cannotCreate, "\(name) \(error)")
    }
  }

  /// The TCP ports of the sockets, in the order of `listen` and `adopt`; one for each address of a name.
  package var ports: [Int] { listeners.ports }

  package var statistics: BroadcastStatistics { broadcast.statistics }

  /// Stops listening, removes the unix sockets' files and shuts the broadcast down.
  package func shutdown(within time: Duration? = .milliseconds(500)) async {
    await listeners.close()
    await broadcast.shutdown(within: time)
  }

  private static func droppedRecord(_ count: Int, _ formatter: (any RecordFormatter)?) -> ByteBuffer {
    var formatter = formatter
    return ByteBuffer(bytes: RecordBuffer.bytes(capacity: 128) { formatter?.append(dropped: count, to: &$0) })
  }

  private static func configure(
    _ bootstrap: ServerBootstrap, isTCP: Bool, broadcast: Broadcast<[UInt8]>, takesRequests: Bool
  ) -> ServerBootstrap {
    let bootstrap =
      bootstrap
      .serverChannelOption(.maxMessagesPerRead, value: 64)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 8 << 10, high: 32 << 10))
      // The system's send buffer grows to megabytes; this bounds the cost of a slow client.
      .childChannelOption(.socketOption(.so_sndbuf), value: 64 << 10)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            RegionInputHandler(takesRequests: takesRequests), broadcast.reader(),
          ])
        }
      }
    guard isTCP else { return bootstrap }
    // Keepalive detects within 75 s that a client is unreachable, or has left after closing its sending side.
    return
      bootstrap
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 30)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 15)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 3)
  }
}

/// Ignores the bytes that a client of a region socket sends, or takes them for requests of topics. It reads them slowly if
/// there are many, so that a flood delays only its sender.
final class RegionInputHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// The number of bytes that a client may send in a second without being delayed.
  private let bytesPerSecond: Int
  private let takesRequests: Bool
  private var received = 0
  private var lines = LineBuffer(limit: 256)

  init(takesRequests: Bool = false) {
    self.takesRequests = takesRequests
    bytesPerSecond = takesRequests ? 1 << 10 : 64 << 10
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    if takesRequests {
      bytes.withUnsafeReadableBytes { bytes in
        lines.append(bytes) { take($0, context) }
      }
    }
    received += bytes.readableBytes
    guard received > bytesPerSecond else { return }
    received = 0
    let channel = context.channel
    try? channel.syncOptions?.setOption(.autoRead, value: false)
    context.eventLoop.scheduleTask(in: .seconds(1)) { try? channel.syncOptions?.setOption(.autoRead, value: true) }
  }

  private func take(_ line: UnsafeRawBufferPointer, _ context: ChannelHandlerContext) {
    if let topics = LocationSourceInterests(request: line) {
      return context.fireUserInboundEventTriggered(TopicRequest(topics: topics.rawValue))
    }
    // A client that does not read gets no answers that would wait here.
    guard context.channel.isWritable else { return }
    let text = String(decoding: line.prefix(40), as: UTF8.self)
    let message = "'\(text)' is not a request; expected watch, with satellites, headings, both or neither behind it"
    let answer = RecordBuffer.bytes { NDJSONFormatter().append(refusal: message, to: &$0) }
    context.writeAndFlush(NIOAny(ByteBuffer(bytes: answer)), promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Usually a reset: the client has left.
    context.close(promise: nil)
  }
}

/// The address of a region socket; as text `unix:PATH` or `tcp:HOST:PORT`.
package enum RegionSocketAddress: Sendable, Hashable, CustomStringConvertible {
  case unix(path: String)
  /// A TCP port; the host is a name, an address (IPv6 without brackets) or `*` for every address of this machine. Port 0
  /// lets the system choose.
  case tcp(Endpoint)

  /// Parses `unix:PATH` or `tcp:HOST:PORT`; an IPv6 address has brackets, as in `tcp:[::1]:2948`.
  package init(parsing text: String) throws(AddressError) {
    func malformed(_ problem: String) -> AddressError {
      AddressError("socket \"\(text)\": \(problem); expected unix:PATH or tcp:HOST:PORT")
    }
    guard let colon = text.firstIndex(of: ":") else { throw malformed("the kind of socket is missing") }
    let rest = String(text[text.index(after: colon)...])
    switch text[..<colon] {
    case "unix":
      let (length, longest) = (rest.utf8.count, UnixSocket.longestPath)
      guard length > 0, !rest.utf8.contains(0) else { throw malformed("the path is missing") }
      guard length <= longest else { throw malformed("the path has \(length) bytes; the most is \(longest)") }
      guard !rest.hasSuffix("/") else { throw malformed("the path ends in a slash") }
      self = .unix(path: rest)
    case "tcp":
      guard rest.contains(":"), let address = try? Endpoint(listening: rest) else {
        throw malformed("the host or the port is missing, or the port is not 0 … 65535")
      }
      self = .tcp(address)
    default: throw malformed("\"\(text[..<colon])\" is not a kind of socket")
    }
  }

  /// The form that `init(parsing:)` reads.
  package var description: String {
    switch self {
    case .unix(let path): "unix:\(path)"
    case .tcp(let address): "tcp:\(address)"
    }
  }
}
