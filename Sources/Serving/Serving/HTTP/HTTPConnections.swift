import Glibc
import NIOCore
import NIOHTTP1
import Synchronization

/// All connections of a server, and their shared state. It is confined to the event loop.
final class HTTPConnections {
  let limits: HTTPServer.Limits
  let hosts: HTTPHosts
  private let routes: [String: HTTPRoute]
  private var channels: [Int: (channel: any Channel, connection: HTTPConnection)] = [:]
  private var count = 0
  /// Answers that are being computed, and waiting answers with the closures that start them.
  private var works: [(work: HTTPWork, start: (() -> Void)?)] = []
  /// Completed when no answer is being computed.
  private var idle: EventLoopPromise<Void>?
  private var streams = 0
  /// The number of connections beyond the limit, which get status 503.
  private var refused = 0

  init(limits: HTTPServer.Limits, hosts: HTTPHosts, routes: [String: HTTPRoute]) {
    self.limits = limits
    self.hosts = hosts
    self.routes = routes
  }

  /// Adds a connection. A connection beyond the limit replaces the oldest one that waits for its client. Without such a
  /// connection it is added only to be refused; `nil` if too many of those exist as well.
  func add(_ channel: any Channel) -> HTTPConnection? {
    if channels.count - streams >= limits.connections {
      let waiting = channels.filter { $0.value.connection.waitsForClient }
      if let oldest = waiting.min(by: { $0.key < $1.key }) {
        oldest.value.channel.close(promise: nil)
        // The channel itself reports its end later.
        forget(oldest.key)
      }
    }
    let isRefused = channels.count - streams - refused >= limits.connections
    guard !isRefused || refused < limits.connections else { return nil }
    if isRefused { refused += 1 }
    count += 1
    let connection = HTTPConnection(self, isRefused: isRefused)
    channels[count] = (channel, connection)
    channel.closeFuture.assumeIsolated().whenComplete { [self, count] _ in forget(count) }
    return connection
  }

  private func forget(_ number: Int) {
    if channels.removeValue(forKey: number)?.connection.isRefused == true { refused -= 1 }
  }

  /// Counts a connection as a stream until it is closed; returns whether the limit allows it.
  func beginStream(on channel: any Channel) -> Bool {
    guard streams < limits.streams else { return false }
    streams += 1
    channel.closeFuture.assumeIsolated().whenComplete { [self] _ in streams -= 1 }
    return true
  }

  /// Closes all connections, and waits at most a second for the threads that compute answers.
  func closeAll(on loop: any EventLoop) -> EventLoopFuture<Void> {
    for (channel, _) in channels.values { channel.close(promise: nil) }
    guard !works.isEmpty else { return loop.makeSucceededVoidFuture() }
    let idle = loop.makePromise(of: Void.self)
    self.idle = idle
    loop.scheduleTask(in: .seconds(1)) { idle.succeed() }
    return idle.futureResult
  }

  // MARK: Answers that are computed

  /// Adds work, which `start` starts; returns whether the limit allows it.
  func begin(_ work: HTTPWork, _ start: @escaping () -> Void) -> Bool {
    guard works.count < limits.works else { return false }
    works.append((work, start))
    schedule()
    return true
  }

  func leave(_ work: HTTPWork) {
    work.leave()
    works.removeAll { $0.work === work && $0.start != nil }
    schedule()
  }

  func end(_ work: HTTPWork) {
    works.removeAll { $0.work === work }
    schedule()
    if works.isEmpty { idle?.succeed() }
  }

  /// Runs the lightest work, and beside it only work of a similar weight, so that an hour does not wait for a year.
  private func schedule() {
    let wanted = works.map(\.work).filter { !$0.hasLeft }.sorted { $0.weight < $1.weight }
    for (rank, work) in wanted.enumerated() {
      let isRunning = rank < limits.runningWorks && work.weight <= 4 * wanted[0].weight
      work.set(isRunning: isRunning)
      guard isRunning, let index = works.firstIndex(where: { $0.work === work }) else { continue }
      works[index].start?()
      works[index].start = nil
    }
  }

  /// The route of a path: its own, or that of the nearest folder above it.
  func route(_ path: String) -> HTTPRoute? {
    if let route = routes[path] { return route }
    var folder = path[...]
    while let slash = folder.dropLast().lastIndex(of: "/"), slash > folder.startIndex {
      folder = folder[...slash]
      if let route = routes[String(folder)] { return route }
    }
    return nil
  }

  var paths: String { routes.keys.sorted().joined(separator: ", ") }
}

/// The computation of an answer on a thread: it runs, waits for shorter ones, or ends because its client has left.
final class HTTPWork: Sendable {
  enum Turn: UInt8, AtomicRepresentable {
    case waiting, running, left
  }

  let weight: Double
  private let turn = Atomic<Turn>(.waiting)

  init(weight: Double) { self.weight = weight }

  var hasLeft: Bool { turn.load(ordering: .relaxed) == .left }

  func leave() { turn.store(.left, ordering: .relaxed) }

  func set(isRunning: Bool) {
    // A client that leaves meanwhile has left for good.
    let (old, new): (Turn, Turn) = isRunning ? (.waiting, .running) : (.running, .waiting)
    _ = turn.compareExchange(expected: old, desired: new, ordering: .relaxed)
  }

  /// Waits while shorter work runs; returns whether the client is still connected.
  func goesOn() -> Bool {
    while true {
      switch turn.load(ordering: .relaxed) {
      case .running: return true
      case .left: return false
      case .waiting: usleep(5000)
      }
    }
  }
}
