import NIOCore
import NIOHTTP1

/// A value that clients follow by Server-Sent Events: each client gets the whole value, then its changes.
///
/// Events are numbered, and the newest are kept. A client that reconnects with the number of its last event gets the
/// events since then. It gets the whole value again if these events are no longer kept, or the number is from another
/// run, or the client is too slow.
///
/// Without an audience no event is made or kept. The audience consists of the connected clients and, for a while, of
/// those that have left, so that a client that reconnects can continue. For the same time after the start an
/// audience is assumed.
///
///     let stream = EventStream(on: loop, value: 0) { Array("\($0)".utf8) }
///     stream.update { $0 += 1; return [ServerEvent("count", data: Array("\($0)".utf8))] }
package final class EventStream<Value: Sendable>: Sendable {
  private struct Content: Sendable {
    var value: Value
    var hasAudience = true
    var onAudience: @Sendable (Bool) -> Void = { _ in }
  }

  private struct Timers {
    var heartbeat: RepeatedTask?
    var audienceEnd: Scheduled<Void>?
  }

  private let loop: any EventLoop
  private let broadcast: Broadcast<Content>
  private let timers: NIOLoopBoundBox<Timers>
  private let patience: TimeAmount
  private let epoch: String

  /// - Parameters:
  ///   - patience: The number of seconds for which a disconnected client counts as audience.
  ///   - stallTimeout: The time after which a client that reads nothing is disconnected.
  ///   - render: Renders the whole value on one line, as the data of an event `state`. It is called on the loop's
  ///     thread.
  package init(
    on loop: NetworkLoop, value: Value, backlogBytes: Int = 1 << 20,
    patience: Double = 30, stallTimeout: Duration = .seconds(10), render: @escaping @Sendable (Value) -> [UInt8]
  ) {
    self.loop = loop.eventLoop
    self.patience = .milliseconds(Int64(patience * 1000))
    let epoch = String(UInt64.random(in: 0 ... .max), radix: 36)
    self.epoch = epoch
    var options = BroadcastOptions()
    options.byteLimit = backlogBytes
    // The server limits the clients of all its streams together.
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
    loop.eventLoop.execute { [weak self] in self?.scheduleAudienceEnd() }
  }

  /// Changes the value and sends the events that describe the change. Any thread; does not wait.
  package func update(_ change: (inout Value) -> [ServerEvent]) { update { value, _ in change(&value) } }

  /// Changes the value and sends the events that describe the change, which may be left out without an audience. Any
  /// thread; does not wait.
  package func update(_ change: (inout Value, _ hasAudience: Bool) -> [ServerEvent]) {
    broadcast.update { content, messages in
      let events = change(&content.value, content.hasAudience)
      // A client that reconnects after this has missed a change.
      guard content.hasAudience else { return messages.skip() }
      for event in events {
        event.message(id: "\(epoch)-\(messages.next + 1)").withUnsafeBytes { messages.append($0) }
      }
    }
  }

  /// Changes the value without an event: every client gets the whole value again. Any thread; does not wait.
  package func replace(_ change: (inout Value) -> Void) {
    broadcast.update { content, messages in
      change(&content.value)
      messages.skip()
    }
  }

  package var value: Value { broadcast.value.value }

  /// Sets a handler that is called on the loop's thread when the audience arrives and when it has left.
  package func onAudience(_ handler: @escaping @Sendable (Bool) -> Void) {
    broadcast.update { content, _ in content.onAudience = handler }
  }

  package var hasAudience: Bool { broadcast.value.hasAudience }

  /// The value for a client that requests it once and counts as audience for a while. For the loop's thread.
  package func valueForAudience() -> Value {
    welcome()
    scheduleAudienceEnd()
    return value
  }

  var clientCount: Int { broadcast.statistics.readers }

  package var route: HTTPRoute { .events(HTTPEvents(addClient: { try self.addClient($0, lastEventID: $1) })) }

  // MARK: On the loop

  private func welcome() {
    timers.value.audienceEnd?.cancel()
    timers.value.audienceEnd = nil
    setAudience(true)
  }

  private func scheduleAudienceEnd() {
    guard clientCount == 0 else { return }
    timers.value.heartbeat?.cancel()
    timers.value.heartbeat = nil
    guard timers.value.audienceEnd == nil else { return }
    timers.value.audienceEnd = loop.scheduleTask(in: patience) { [weak self] in self?.setAudience(false) }
  }

  private func setAudience(_ isThere: Bool) {
    let handler = broadcast.update { content, _ in
      defer { content.hasAudience = isThere }
      return content.hasAudience == isThere ? nil : content.onAudience
    }
    handler?(isThere)
  }

  /// The number of the message after the event with this id; `nil` for an id of another stream or run.
  private func number(of id: String?) -> Int? {
    guard let id, id.hasPrefix(epoch + "-") else { return nil }
    return Int(id.dropFirst(epoch.count + 1))
  }

  private func addClient(_ channel: any Channel, lastEventID: String?) throws {
    welcome()
    try channel.pipeline.syncOperations.addHandler(broadcast.reader(from: number(of: lastEventID)))
    channel.closeFuture.whenComplete { [weak self] _ in self?.scheduleAudienceEnd() }
    guard timers.value.heartbeat == nil else { return }
    // A browser does not notice that a connection is dead; an event every 15 s proves that it is alive.
    let pause = TimeAmount.seconds(15)
    timers.value.heartbeat = loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { [weak self] _ in
      self?.broadcast.interject(ByteBuffer(string: "event: alive\ndata: {}\n\n"))
    }
  }
}

/// The events of a stream, for a route. It is confined to the loop's thread.
package struct HTTPEvents: Sendable {
  var fields: [(String, String)] = []
  /// Adds a connection whose answer has begun, and which has received the event with that id.
  let addClient: @Sendable (_ channel: any Channel, _ lastEventID: String?) throws -> Void
}

package struct ServerEvent: Sendable {
  /// The kind of event; a text of the program.
  package var name: StaticString
  /// One line.
  package var data: [UInt8]

  package init(_ name: StaticString, data: [UInt8]) {
    self.name = name
    self.data = data
  }

  func message(id: String) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(data.count + 96)
    message += "id: \(id)\nevent: \(name)\ndata: ".utf8
    message += data
    message += "\n\n".utf8
    return message
  }
}
