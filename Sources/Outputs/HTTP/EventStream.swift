import NIOCore
import NIOHTTP1
public import Sockets

/// A value that clients follow by Server-Sent Events: each gets the whole of it, then its changes.
///
/// Events are numbered, and the newest are kept. A client that comes back with the number of its last event gets what it has
/// missed; when that is not kept any more, or the number is of another run, it gets the whole again. So does a client that is
/// too slow. All clients read the same bytes, so one costs little more than a number, and holds up no other.
///
/// Without an audience no event is made or kept. The audience are the clients that follow, and for a while those that did,
/// so that a client that comes back soon finds what it has missed. In the beginning, too, somebody is expected for so long.
///
///     let stream = EventStream(on: loop, value: 0) { Array("\($0)".utf8) }
///     stream.update { $0 += 1; return [ServerEvent("count", data: Array("\($0)".utf8))] }
public final class EventStream<Value: Sendable>: Sendable {
  /// What is followed, and whether somebody does.
  private struct Content: Sendable {
    var value: Value
    var hasAudience = true
    var onAudience: @Sendable (Bool) -> Void = { _ in }
  }

  /// What is confined to the loop.
  private struct Timers {
    var heartbeat: RepeatedTask?
    /// What ends the audience.
    var farewell: Scheduled<Void>?
  }

  private let fields: [(String, String)]
  private let loop: any EventLoop
  private let broadcast: Broadcast<Content>
  private let timers: NIOLoopBoundBox<Timers>
  private let patience: TimeAmount
  private let epoch: String

  /// Creates a stream.
  ///
  /// - Parameters:
  ///   - value: What clients follow.
  ///   - backlogBytes: How many bytes of events are kept.
  ///   - fields: Fields of the answer besides those of every event stream.
  ///   - patience: Seconds for which a client that has gone counts as audience.
  ///   - stallTimeout: How long a client may take nothing while something waits for it.
  ///   - render: The whole value on one line, the data of an event `state`; called on the loop's thread.
  public init(
    on loop: NetworkLoop, value: Value, backlogBytes: Int = 1 << 20, fields: [(String, String)] = [],
    patience: Double = 30, stallTimeout: Duration = .seconds(10), render: @escaping @Sendable (Value) -> [UInt8]
  ) {
    self.loop = loop.eventLoop
    self.fields = fields
    self.patience = .milliseconds(Int64(patience * 1000))
    let epoch = String(UInt64.random(in: 0 ... .max), radix: 36)
    self.epoch = epoch
    var options = BroadcastOptions()
    options.byteLimit = backlogBytes
    // The server has a limit for all its streams.
    options.readerLimit = .max
    options.stallTimeout = stallTimeout
    options.greetingLifetime = .seconds(1)
    broadcast = Broadcast(
      on: loop, value: Content(value: value), options: options,
      greeting: { content, number in
        ByteBuffer(bytes: ServerEvent("state", data: render(content.value)).message(id: "\(epoch)-\(number)"))
      },
      frame: { NIOAny(HTTPServerResponsePart.body(.byteBuffer($0))) })
    timers = NIOLoopBoundBox.makeBoxSendingValue(Timers(), eventLoop: loop.eventLoop)
    loop.eventLoop.execute { [weak self] in self?.seeOff() }
  }

  /// Changes the value and sends the events that say how. From any thread, without waiting.
  public func update(_ change: (inout Value) -> [ServerEvent]) {
    update { value, _ in change(&value) }
  }

  /// Changes the value and sends the events that say how, which need not be made without an audience. From any thread,
  /// without waiting.
  public func update(_ change: (inout Value, _ hasAudience: Bool) -> [ServerEvent]) {
    broadcast.update { content, messages in
      let events = change(&content.value, content.hasAudience)
      // A client that comes back after this has missed something.
      guard content.hasAudience else { return messages.skip() }
      for event in events {
        event.message(id: "\(epoch)-\(messages.next + 1)").withUnsafeBytes { messages.append($0) }
      }
    }
  }

  /// Changes the value so that no event says how: every client gets the whole again. From any thread, without waiting.
  public func replace(_ change: (inout Value) -> Void) {
    broadcast.update { content, messages in
      change(&content.value)
      messages.skip()
    }
  }

  /// The value as it is now.
  public var value: Value { broadcast.value.value }

  /// Has `handler` called when the audience comes and when it has gone, on the loop's thread.
  public func onAudience(_ handler: @escaping @Sendable (Bool) -> Void) {
    broadcast.update { content, _ in content.onAudience = handler }
  }

  /// Whether there is an audience.
  public var hasAudience: Bool { broadcast.value.hasAudience }

  /// The value for somebody who asks for it once, on the loop's thread, and counts as audience for a while.
  public func valueForAudience() -> Value {
    welcome()
    seeOff()
    return value
  }

  /// How many clients follow.
  var clientCount: Int { broadcast.statistics.readers }

  /// The route that serves the stream.
  public var route: HTTPRoute { .events(HTTPEvents(fields: fields, join: { try self.join($0, lastEventID: $1) })) }

  // MARK: On the loop

  private func welcome() {
    timers.value.farewell?.cancel()
    timers.value.farewell = nil
    setAudience(true)
  }

  /// A client that has gone counts as audience for a while.
  private func seeOff() {
    guard clientCount == 0 else { return }
    timers.value.heartbeat?.cancel()
    timers.value.heartbeat = nil
    guard timers.value.farewell == nil else { return }
    timers.value.farewell = loop.scheduleTask(in: patience) { [weak self] in self?.setAudience(false) }
  }

  private func setAudience(_ isThere: Bool) {
    let handler = broadcast.update { content, _ in
      defer { content.hasAudience = isThere }
      return content.hasAudience == isThere ? nil : content.onAudience
    }
    handler?(isThere)
  }

  /// The number that a client has come to by the event with this id; `nil` for an id that this stream has not given.
  private func number(of id: String?) -> Int? {
    guard let id, id.hasPrefix(epoch + "-") else { return nil }
    return Int(id.dropFirst(epoch.count + 1))
  }

  private func join(_ channel: any Channel, lastEventID: String?) throws {
    welcome()
    try channel.pipeline.syncOperations.addHandler(broadcast.reader(from: number(of: lastEventID)))
    channel.closeFuture.whenComplete { [weak self] _ in self?.seeOff() }
    guard timers.value.heartbeat == nil else { return }
    // A browser tells nobody that a connection is silent for good; an event each 15 s shows that it is not.
    let pause = TimeAmount.seconds(15)
    timers.value.heartbeat = loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { [weak self] _ in
      self?.broadcast.interject(ByteBuffer(string: "event: alive\ndata: {}\n\n"))
    }
  }
}

/// The events of a stream, for a route. For the loop's thread.
public struct HTTPEvents: Sendable {
  /// The fields of the answer besides those of every event stream.
  let fields: [(String, String)]
  /// Takes up a connection whose answer has begun, and which has had the event of that id.
  let join: @Sendable (_ channel: any Channel, _ lastEventID: String?) throws -> Void
}
