import Glibc
import NIOCore
import NIOPosix
import Platform
import Synchronization
import SystemPackage

/// The listening sockets of one server, on unix paths, TCP addresses and descriptors that a service manager passed.
///
/// `Listeners` waits for addresses that do not exist yet: if no interface has an address, or another program holds a
/// lock on a unix socket's folder, `listen` reports `waiting` and returns, and retries until `close()`.
package final class Listeners: Sendable {
  /// An event of a listening socket. Its description is the rest of a sentence that begins with the socket's name.
  package enum Event: Sendable, CustomStringConvertible {
    case waiting(ListenError)
    case opened
    case exposed
    case notAccepting(String)
    case closed

    /// Whether it is an error, or a warning that other machines can read.
    package var isProblem: Bool {
      if case .opened = self { false } else { true }
    }

    package var description: String {
      switch self {
      case .waiting(let error): "\(error); retrying until it succeeds"
      case .opened: "is open now"
      case .exposed: "is not on loopback: other machines can reach it"
      case .notAccepting(let reason): "cannot accept connections: \(reason); retrying every second"
      case .closed: "accepts no more connections: the system closed it"
      }
    }
  }

  /// Handles an event of the socket with that name, on the loop's thread or the caller's thread of `listen`.
  package typealias EventHandler = @Sendable (_ name: String, _ event: Event) -> Void

  package typealias Configuration = @Sendable (_ bootstrap: ServerBootstrap, _ isTCP: Bool) -> ServerBootstrap

  package typealias Resolver = @Sendable (Endpoint) throws(ListenError) -> [SocketAddress]

  package enum Target: Sendable {
    /// Every address of a name, or of this machine: localhost usually has two, and its clients use either.
    ///
    /// An address that this machine lacks, for instance without IPv6, is left out if there is another. Port 0 stands for
    /// one port, which the system chooses, so it is that of the first address only.
    case tcp(Endpoint)
    /// A unix socket. The file of a socket without a listener is replaced.
    case unix(path: String, mode: UInt16, group: String?)
    /// A listening socket. It is closed at the end; its file stays.
    case descriptor(Int32)
  }

  private struct Opened: Sendable {
    let target: Target
    let name: String
    let channels: [any Channel]
    var file: UnixListener?

    var hasItsFile: Bool { file?.hasItsFile ?? true }
  }

  private struct State: Sendable {
    var opened: [Opened] = []
    var looks: RepeatedTask?
    var waiting: [Task<Void, Never>] = []
    var isClosed = false

    var channels: [any Channel] { opened.flatMap(\.channels) }
  }

  private let loop: NetworkLoop
  private let configure: Configuration
  private let onEvent: EventHandler
  private let resolve: Resolver
  private let interval: TimeAmount
  private let state = Mutex(State())

  /// Creates listeners that look up names with `resolve`, and check their files at that interval.
  package init(
    on loop: NetworkLoop, onEvent: @escaping EventHandler,
    resolve: @escaping Resolver = { address throws(ListenError) in try address.resolved() },
    interval: TimeAmount = .seconds(5), configure: @escaping Configuration
  ) {
    self.interval = interval
    self.loop = loop
    self.onEvent = onEvent
    self.resolve = resolve
    self.configure = configure
  }

  /// The TCP ports in the order of opening; one for each address of a name.
  package var ports: [Int] { state.withLock { $0.channels.compactMap { $0.localAddress?.port } } }

  /// Stops listening and removes the unix sockets' files. Connections stay open.
  package func close() async {
    let last = state.withLock { state in
      defer { state = State(isClosed: true) }
      return state
    }
    last.looks?.cancel()
    for opened in last.opened { opened.file?.removeFile() }
    for task in last.waiting { task.cancel() }
    for channel in last.channels { try? await channel.close() }
    // The tasks run on the loop, which may be shut down afterwards.
    for task in last.waiting { await task.value }
  }

  // MARK: Opening

  /// Listens on a target, of which events and errors have the name.
  ///
  /// - Throws: A permanent error; then nothing listens.
  package func listen(on target: Target, name: String) async throws(ListenError) {
    var triesLeft = 10
    while true {
      do {
        return await add(try await open(target, name, lookUpLimit: 1), isLate: false)
      } catch {
        guard error.isTemporary else { throw error }
        guard case .unix = target, triesLeft > 0 else { return wait(for: target, name, after: error) }
        // If two programs start at once, each holds the lock for a moment.
        triesLeft -= 1
        await sleep(.milliseconds(50))
      }
    }
  }

  /// Reports that the target cannot be opened and retries, at first every second, later every ten.
  private func wait(for target: Target, _ name: String, after error: ListenError) {
    onEvent(name, .waiting(error))
    state.withLock { state in
      guard !state.isClosed else { return }
      // Swift's own pool would wake the process every second from then on.
      state.waiting.append(Task(executorPreference: loop) { await self.keepTrying(to: target, name, after: error) })
    }
  }

  private func keepTrying(to target: Target, _ name: String, after error: ListenError) async {
    var reported = error
    var pause = TimeAmount.seconds(1)
    while true {
      await sleep(pause)
      if Task.isCancelled { return }
      pause = min(pause + .seconds(1), .seconds(10))
      do throws(ListenError) {
        return await add(try await open(target, name, lookUpLimit: nil), isLate: true)
      } catch {
        if Task.isCancelled { return }
        if error != reported { onEvent(name, .waiting(error)) }
        reported = error
      }
    }
  }

  /// Waits without a thread, and ends early if the task is cancelled.
  private func sleep(_ time: TimeAmount) async {
    let alarm = loop.eventLoop.scheduleTask(in: time) {}
    await withTaskCancellationHandler {
      try? await alarm.futureResult.get()
    } onCancel: {
      alarm.cancel()
    }
  }

  private func add(_ opened: Opened, isLate: Bool) async {
    let isClosed = state.withLock { state in
      if state.isClosed { return true }
      state.opened.append(opened)
      if opened.file != nil, state.looks == nil {
        state.looks = loop.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [weak self] _ in
          self?.reopenRemoved()
        }
      }
      return false
    }
    if isClosed {
      opened.file?.removeFile()
      for channel in opened.channels { try? await channel.close() }
      return
    }
    if isLate { onEvent(opened.name, .opened) }
    if !opened.channels.allSatisfy({ Self.isLoopback($0.localAddress) }) { onEvent(opened.name, .exposed) }
    for channel in opened.channels {
      channel.closeFuture.whenComplete { [weak self] _ in
        // `close()` has emptied the list before.
        guard let self, state.withLock({ $0.channels.contains { $0 === channel } }) else { return }
        onEvent(opened.name, .closed)
      }
    }
  }

  /// Reopens the unix sockets whose file was removed or replaced, because new clients cannot find them. Connections
  /// stay open.
  private func reopenRemoved() {
    let removed = state.withLock { state in
      let removed = state.opened.filter { !$0.hasItsFile }
      state.opened.removeAll { !$0.hasItsFile }
      return removed
    }
    for opened in removed {
      for channel in opened.channels { channel.close(promise: nil) }
      wait(for: opened.target, opened.name, after: ListenError("was removed", isTemporary: true))
    }
  }

  private func open(_ target: Target, _ name: String, lookUpLimit: Double?) async throws(ListenError) -> Opened {
    switch target {
    case .unix(let path, let mode, let group):
      guard path.utf8.count <= UnixSocket.longestPath else {
        throw ListenError("has more than the \(UnixSocket.longestPath) bytes that a unix socket's path may have")
      }
      let file = try UnixListener(path: path, mode: mode, group: group)
      do {
        let channel = try await serve(file.descriptor, name, isTCP: false)
        return Opened(target: target, name: name, channels: [channel], file: file)
      } catch {
        file.removeFile()
        throw error
      }
    case .descriptor(let descriptor):
      let channel = try await serve(descriptor, name, isTCP: Self.isTCP(descriptor))
      return Opened(target: target, name: name, channels: [channel])
    case .tcp(let address):
      return Opened(target: target, name: name, channels: try await bind(to: address, name, lookUpLimit))
    }
  }

  private func serve(_ descriptor: Int32, _ name: String, isTCP: Bool) async throws(ListenError) -> any Channel {
    do {
      return try await bootstrap(name, isTCP: isTCP).withBoundSocket(descriptor).get()
    } catch {
      throw ListenError("cannot be opened: \(error)")
    }
  }

  private func bind(
    to address: Endpoint, _ name: String, _ lookUpLimit: Double?
  ) async throws(ListenError) -> [any Channel] {
    var channels: [any Channel] = []
    var missing: ListenError?
    for socketAddress in try await lookUp(address, within: lookUpLimit) {
      // One socket accepts connections of both families.
      if !channels.isEmpty && (address.port == 0 || address.host == "*") { break }
      do {
        var bootstrap = bootstrap(name, isTCP: true).serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        if address.host == "*", socketAddress.protocol == .inet6 {
          let takesIPv4 = ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only)
          bootstrap = bootstrap.serverChannelOption(takesIPv4, value: 0)
        }
        channels.append(try await bootstrap.bind(to: socketAddress).get())
      } catch {
        let failure = ListenError(error, port: Int(address.port))
        let isMissing = failure.isTemporary || (error as? IOError)?.errnoCode == EAFNOSUPPORT
        guard isMissing else {
          for channel in channels { try? await channel.close() }
          throw failure
        }
        // A temporary error is preferred.
        if missing?.isTemporary != true { missing = failure }
      }
    }
    if let missing, channels.isEmpty { throw missing }
    return channels
  }

  /// Resolves the address on a thread of its own, because a name server may be slow.
  private func lookUp(_ address: Endpoint, within limit: Double?) async throws(ListenError) -> [SocketAddress] {
    let result: Result<[SocketAddress], ListenError>
    do {
      result = try await Thread.result(within: limit) { [resolve] in
        Result { () throws(ListenError) in try resolve(address) }
      }
    } catch .timedOut {
      throw ListenError("cannot be opened: no name server has answered for \(address.host)", isTemporary: true)
    } catch .stopped {
      throw ListenError("cannot be opened: cancelled")
    } catch {
      throw ListenError("cannot be opened: \(error)", isTemporary: true)
    }
    return try result.get()
  }

  private func bootstrap(_ name: String, isTCP: Bool) -> ServerBootstrap {
    let bootstrap = ServerBootstrap(group: loop.group)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelInitializer { [onEvent] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            AcceptErrorHandler { onEvent(name, .notAccepting($0.description)) })
        }
      }
    return configure(bootstrap, isTCP)
  }

  // MARK: Sockets

  /// Whether a listening stream socket is a TCP socket; otherwise it is a unix socket.
  private static func isTCP(_ descriptor: Int32) throws(ListenError) -> Bool {
    guard option(SO_ACCEPTCONN, of: descriptor) == 1, option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
    else { throw ListenError("is not a listening stream socket") }
    // Programs that this one may start do not inherit it.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    switch option(SO_DOMAIN, of: descriptor) {
    case AF_UNIX: return false
    case AF_INET, AF_INET6: return true
    default: throw ListenError("is neither a unix nor a TCP socket")
    }
  }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }

  private static func isLoopback(_ address: SocketAddress?) -> Bool {
    guard let text = address?.ipAddress else { return true }
    return text == "::1" || text.hasPrefix("127.") || text.hasPrefix("::ffff:127.")
  }
}

/// Handles errors of accepting connections: a lasting error is reported once a minute, and no error ends the socket.
///
/// Without it the loop would try again and again, as fast as it can, to accept a connection without a free descriptor.
final class AcceptErrorHandler: ChannelInboundHandler {
  typealias InboundIn = Channel

  private let onError: (Errno) -> Void
  private var quietUntil = NIODeadline.uptimeNanoseconds(0)

  init(onError: @escaping (Errno) -> Void) { self.onError = onError }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The other errors are from connections that ended before they were accepted.
    guard let code = (error as? IOError)?.errnoCode, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) else { return }
    let channel = context.channel
    try? channel.syncOptions?.setOption(.autoRead, value: false)
    context.eventLoop.scheduleTask(in: .seconds(1)) { try? channel.syncOptions?.setOption(.autoRead, value: true) }
    let now = context.eventLoop.now
    guard now >= quietUntil else { return }
    quietUntil = now + .seconds(60)
    onError(Errno(rawValue: code))
  }
}
