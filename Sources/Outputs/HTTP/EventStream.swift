import NIOCore
public import Sockets
import Synchronization

/// A value that clients follow by Server-Sent Events: each gets the whole of it, then its changes.
///
/// Events are numbered, and the newest are kept. A client that comes back with the number of its last event gets what it has
/// missed; when that is not kept any more, or the number is of another run, it gets the whole again. So does a client that is
/// too slow. All clients read the same bytes, so one costs little more than a number, and holds up no other.
///
/// Without an audience no event is made or kept. The audience is whoever follows, and for a while whoever did, so that a
/// client that comes back soon finds what it has missed. In the beginning, too, somebody is expected for so long.
///
///     let stream = EventStream(on: loop, value: 0) { Array("\($0)".utf8) }
///     stream.update { $0 += 1; return [ServerEvent("count", data: Array("\($0)".utf8))] }
public final class EventStream<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var value: Value
    var ring: MessageRing
    var isFlushScheduled = false
    var hasAudience = true
    var onAudience: @Sendable (Bool) -> Void = { _ in }
  }

  /// The whole at a number, as it is sent.
  private struct Whole {
    var next: Int
    var time: NIODeadline
    var bytes: ByteBuffer
  }

  /// What is confined to the loop.
  private final class Clients {
    var all: [ObjectIdentifier: HTTPConnection] = [:]
    /// The whole, made once for all who come within a second: those after the first get the events since then as well.
    var whole: Whole?
    /// What a client with everything up to `start` needs, made once for all of them.
    var batch: (start: Int, next: Int, bytes: ByteBuffer)?
    /// The number of the next event.
    var head = 0
    var heartbeat: RepeatedTask?
    /// What ends the audience.
    var farewell: Scheduled<Void>?
  }

  private static var batchSize: Int { 32 << 10 }

  /// The fields of the answer besides those of every event stream.
  let fields: [(String, String)]
  private let loop: any EventLoop
  private let state: Mutex<State>
  private let clients: NIOLoopBoundBox<Clients>
  private let render: @Sendable (Value) -> [UInt8]
  private let patience: TimeAmount
  private let epoch = String(UInt64.random(in: 0 ... .max), radix: 36)

  /// Creates a stream.
  ///
  /// - Parameters:
  ///   - value: What clients follow.
  ///   - backlogBytes: How many bytes of events are kept.
  ///   - fields: Fields of the answer besides those of every event stream.
  ///   - patience: Seconds for which whoever has gone counts as audience.
  ///   - render: The whole value on one line, the data of an event `state`; called on the loop's thread.
  public init(
    on loop: NetworkLoop, value: Value, backlogBytes: Int = 1 << 20, fields: [(String, String)] = [],
    patience: Double = 30, render: @escaping @Sendable (Value) -> [UInt8]
  ) {
    self.loop = loop.eventLoop
    self.fields = fields
    self.render = render
    self.patience = .milliseconds(Int64(patience * 1000))
    state = Mutex(State(value: value, ring: MessageRing(byteLimit: backlogBytes, messageLimit: 8192)))
    clients = NIOLoopBoundBox.makeBoxSendingValue(Clients(), eventLoop: loop.eventLoop)
    loop.eventLoop.execute { [weak self] in self?.seeOff() }
  }

  /// Changes the value and sends the events that say how. From any thread, without waiting.
  public func update(_ change: (inout Value) -> [ServerEvent]) {
    update { value, _ in change(&value) }
  }

  /// Changes the value and sends the events that say how, which need not be made without an audience. From any thread,
  /// without waiting.
  public func update(_ change: (inout Value, _ hasAudience: Bool) -> [ServerEvent]) {
    let needsFlush = state.withLock { state in
      let events = change(&state.value, state.hasAudience)
      guard state.hasAudience else {
        // Whoever comes back after this has missed something.
        state.ring.skip()
        return false
      }
      for event in events {
        let message = event.message(id: "\(epoch)-\(state.ring.next + 1)")
        message.withUnsafeBytes { state.ring.append($0) }
      }
      guard !events.isEmpty, !state.isFlushScheduled else { return false }
      state.isFlushScheduled = true
      return true
    }
    if needsFlush { loop.execute { [self] in flush() } }
  }

  /// Changes the value so that no event says how: every client gets the whole again. From any thread, without waiting.
  public func replace(_ change: (inout Value) -> Void) {
    state.withLock { state in
      change(&state.value)
      state.ring.skip()
    }
    loop.execute { [self] in flush() }
  }

  /// The value as it is now.
  public var value: Value { state.withLock { $0.value } }

  /// Has `handler` called when the audience comes and when it has gone, on the loop's thread.
  public func onAudience(_ handler: @escaping @Sendable (Bool) -> Void) {
    state.withLock { $0.onAudience = handler }
  }

  /// Whether there is an audience.
  public var hasAudience: Bool { state.withLock { $0.hasAudience } }

  /// The value for somebody who asks for it once, on the loop's thread, and counts as audience for a while.
  public func valueForAudience() -> Value {
    welcome()
    seeOff()
    return value
  }

  /// How many clients follow.
  func clientCount() async -> Int {
    (try? await loop.submit { [clients] in clients.value.all.count }.get()) ?? 0
  }

  /// The route that serves the stream.
  public var route: HTTPRoute { .events(HTTPEvents(source: self)) }

  // MARK: On the loop

  private func flush() {
    clients.value.head = state.withLock { state in
      state.isFlushScheduled = false
      return state.ring.next
    }
    clients.value.batch = nil
    for client in clients.value.all.values { pump(client) }
  }

  private func whole() -> Whole {
    let now = NIODeadline.now()
    let (value, next, oldest) = state.withLock { ($0.value, $0.ring.next, $0.ring.oldest) }
    if let whole = clients.value.whole, now - whole.time < .seconds(1), whole.next >= oldest { return whole }
    let message = ServerEvent("state", data: render(value)).message(id: "\(epoch)-\(next)")
    let whole = Whole(next: next, time: now, bytes: ByteBuffer(bytes: message))
    clients.value.whole = whole
    return whole
  }

  private func batch(from cursor: Int) -> (next: Int, bytes: ByteBuffer) {
    if let batch = clients.value.batch, batch.start == cursor { return (batch.next, batch.bytes) }
    var bytes = ByteBuffer()
    let next = state.withLock { $0.ring.copy(from: cursor, limit: Self.batchSize, to: &bytes) }
    if next >= clients.value.head { clients.value.batch = (cursor, next, bytes) }
    return (next, bytes)
  }

  /// The number of the event after the one with this id, kept or not; `nil` for an id that this stream has not given.
  private func number(after id: String?) -> Int? {
    guard let id, id.hasPrefix(epoch + "-"), let number = Int(id.dropFirst(epoch.count + 1)) else { return nil }
    return state.withLock { number <= $0.ring.next ? number : nil }
  }

  private func welcome() {
    clients.value.farewell?.cancel()
    clients.value.farewell = nil
    setAudience(true)
  }

  private func seeOff() {
    guard clients.value.all.isEmpty, clients.value.farewell == nil else { return }
    clients.value.farewell = loop.scheduleTask(in: patience) { [weak self] in self?.setAudience(false) }
  }

  private func setAudience(_ isThere: Bool) {
    let handler = state.withLock { state in
      defer { state.hasAudience = isThere }
      return state.hasAudience == isThere ? nil : state.onAudience
    }
    handler?(isThere)
  }

  /// A browser tells nobody that a connection is silent for good; an event each 15 s shows that it is not.
  private func beat() {
    let alive = ByteBuffer(string: "event: alive\ndata: {}\n\n")
    for client in clients.value.all.values where client.isWritable {
      client.write(alive)
      client.flush()
    }
  }
}

extension EventStream: EventSource {
  func join(_ client: HTTPConnection, lastEventID: String?) {
    welcome()
    client.cursor = number(after: lastEventID)
    clients.value.all[ObjectIdentifier(client)] = client
    clients.value.head = state.withLock { $0.ring.next }
    if clients.value.heartbeat == nil {
      let pause = TimeAmount.seconds(15)
      clients.value.heartbeat = loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { [weak self] _ in
        self?.beat()
      }
    }
    pump(client)
  }

  func leave(_ client: HTTPConnection) {
    clients.value.all[ObjectIdentifier(client)] = nil
    guard clients.value.all.isEmpty else { return }
    clients.value.heartbeat?.cancel()
    clients.value.heartbeat = nil
    clients.value.whole = nil
    seeOff()
  }

  func pump(_ client: HTTPConnection) {
    while client.isWritable {
      let oldest = state.withLock { $0.ring.oldest }
      if let cursor = client.cursor, cursor >= oldest {
        guard cursor < clients.value.head else { break }
        let (next, bytes) = batch(from: cursor)
        client.cursor = next
        client.write(bytes)
      } else {
        let whole = whole()
        client.cursor = whole.next
        client.write(whole.bytes)
      }
    }
    client.flush()
  }
}

/// One event.
public struct ServerEvent: Sendable {
  /// What kind of event it is; the program's own text.
  public var name: StaticString
  /// One line.
  public var data: [UInt8]

  /// Creates an event.
  public init(_ name: StaticString, data: [UInt8]) {
    self.name = name
    self.data = data
  }

  /// The event as it is sent.
  func message(id: String) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(data.count + 96)
    message += "id: \(id)\nevent: \(name)\ndata: ".utf8
    message += data
    message += "\n\n".utf8
    return message
  }
}

/// The events of a stream, for a route.
public struct HTTPEvents: Sendable {
  let source: any EventSource
}

/// What feeds connections with events. For the loop's thread.
protocol EventSource: AnyObject, Sendable {
  var fields: [(String, String)] { get }

  /// Takes up a connection whose answer has begun.
  func join(_ client: HTTPConnection, lastEventID: String?)

  /// Lets go of a connection that is closed.
  func leave(_ client: HTTPConnection)

  /// Sends what the connection takes just now.
  func pump(_ client: HTTPConnection)
}
