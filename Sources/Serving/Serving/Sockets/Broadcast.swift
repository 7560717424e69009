import NIOCore
import Platform
import Synchronization

package struct BroadcastOptions: Sendable {
  /// The number of bytes of messages that are kept for readers that are slow or reconnect.
  package var byteLimit = 1 << 20
  package var messageLimit = 8192
  package var readerLimit = 4096
  package var stallTimeout = Duration.seconds(30)
  package var greetingLifetime = Duration.zero

  package init() {}
}

/// A value that any number of connections follow: each is greeted with the whole value and then receives the messages
/// that describe its changes.
///
/// All readers share the newest messages, each with its own cursor. So a reader costs little more than a number,
/// however slow it is, and does not delay the others. A reader that falls too far behind is told the number of lost
/// messages, or greeted again. A reader that reads nothing for the stall timeout is disconnected.
package final class Broadcast<Value: Sendable>: Sendable {
  package enum Event: Sendable {
    /// The limit of readers is reached; further ones are refused. It is reported again only after half of the readers
    /// have left.
    case full(readers: Int)
    case stalled(after: Duration)
  }

  private struct Readers {
    var all: [ObjectIdentifier: BroadcastReader<Value>] = [:]
    var stallCheck: Scheduled<Void>?
    var drained: [EventLoopPromise<Void>] = []
  }

  private let loop: any EventLoop
  private let state: Mutex<BroadcastState<ObjectIdentifier>>
  private let readers: NIOLoopBoundBox<Readers>
  /// Locked before `state` if both are needed, so that the value matches the number of the next message.
  private let lockedValue: Mutex<Value>
  private let greeting: @Sendable (Value, Int) -> ByteBuffer
  private let frame: @Sendable (ByteBuffer) -> NIOAny
  private let stallTimeout: Duration
  private let onEvent: @Sendable (Event) -> Void
  private let onWant: @Sendable (_ topics: UInt8) -> Void

  /// Creates a broadcast without readers. All closures are called on the loop's thread.
  ///
  /// - Parameters:
  ///   - greeting: Makes the greeting of a reader: the value before the message with that number.
  ///   - lossRecord: Makes the record for a reader that has lost that many messages; without it the reader is greeted
  ///     again.
  ///   - frame: Wraps bytes for the handler before the reader in its channel's pipeline.
  ///   - onWant: Takes the topics that at least one reader wants, when they may have changed.
  package init(
    on loop: NetworkLoop, value: Value, options: BroadcastOptions,
    greeting: @escaping @Sendable (Value, _ number: Int) -> ByteBuffer,
    lossRecord: (@Sendable (_ count: Int) -> ByteBuffer)? = nil,
    frame: @escaping @Sendable (ByteBuffer) -> NIOAny,
    onWant: @escaping @Sendable (_ topics: UInt8) -> Void = { _ in },
    onEvent: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.loop = loop.eventLoop
    self.greeting = greeting
    self.frame = frame
    (self.onWant, self.onEvent) = (onWant, onEvent)
    state = Mutex(BroadcastState(options: options, lossRecord: lossRecord))
    lockedValue = Mutex(value)
    readers = NIOLoopBoundBox.makeBoxSendingValue(Readers(), eventLoop: loop.eventLoop)
    stallTimeout = options.stallTimeout
  }

  /// Changes the value and appends the messages that describe the change. Any thread; does not wait.
  package func update<Result: Sendable>(_ change: (inout Value, _ messages: inout MessageRing) -> Result) -> Result {
    let (result, needsFlush) = lockedValue.withLock { value in
      state.withLock { $0.publish { change(&value, &$0) } }
    }
    if needsFlush { loop.execute { [self] in flush() } }
    return result
  }

  package var value: Value { lockedValue.withLock { $0 } }

  package var statistics: BroadcastStatistics { state.withLock { $0.statistics } }

  /// The handler that makes a connection a reader as soon as it is active; the last one of the channel's pipeline.
  ///
  /// - Parameter number: The number of the first message that the reader needs, if it has received earlier ones. It is
  ///   greeted if that message is no longer kept.
  package func reader(from number: Int? = nil) -> any ChannelHandler { BroadcastReader(self, from: number) }

  /// Sends additional bytes to every reader that is ready. For the loop's thread.
  package func interject(_ bytes: ByteBuffer) {
    for (id, reader) in readers.value.all {
      guard let context = reader.context, context.channel.isWritable else { continue }
      state.withLock { $0.sent(bytes.readableBytes, to: id) }
      context.writeAndFlush(frame(bytes), promise: nil)
    }
    scheduleStallCheck()
  }

  /// Refuses further readers, sends each reader its remaining messages and disconnects it.
  ///
  /// A second call during the first one shortens its time; a call after the end does nothing.
  /// - Parameter time: The time after which slow readers are disconnected all the same. Without it a reader may take as
  ///   long as it goes on reading.
  package func shutdown(within time: Duration?) async {
    let isDrained = state.withLock { state in
      state.finish()
      return state.isDrained
    }
    // The loop may have been shut down.
    if isDrained { return }
    let drained = loop.makePromise(of: Void.self)
    loop.execute { [self] in
      readers.value.drained.append(drained)
      flush()
      completeIfDrained()
    }
    let deadline = time.map { time in
      loop.scheduleTask(in: TimeAmount(time)) { [readers] in
        for reader in readers.value.all.values { reader.close(.end) }
      }
    }
    try? await drained.futureResult.get()
    deadline?.cancel()
  }

  // MARK: On the loop

  private var now: Double { Double(loop.now.uptimeNanoseconds) / 1e9 }

  private func flush() {
    state.withLock { $0.beginFlush() }
    for (id, reader) in readers.value.all { pump(reader, id) }
    scheduleStallCheck()
  }

  fileprivate func add(_ reader: BroadcastReader<Value>) {
    let id = ObjectIdentifier(reader)
    switch state.withLock({ $0.add(id, from: reader.number) }) {
    case .admitted(let other):
      if let other { readers.value.all[other]?.close(.unwanted) }
      readers.value.all[id] = reader
      pump(reader, id)
      scheduleStallCheck()
    case .refused(let isFirst):
      if isFirst { onEvent(.full(readers: statistics.readers)) }
      reader.close(.unwanted)
    }
  }

  fileprivate func halfClose(_ reader: BroadcastReader<Value>) {
    state.withLock { $0.halfClose(ObjectIdentifier(reader)) }
  }

  fileprivate func leave(_ reader: BroadcastReader<Value>) {
    readers.value.all[ObjectIdentifier(reader)] = nil
    state.withLock { $0.leave(ObjectIdentifier(reader), reader.cause, undelivered: reader.undelivered) }
    completeIfDrained()
    if reader.topics != 0 { onWant(state.withLock { $0.wantedTopics }) }
  }

  fileprivate func want(_ topics: UInt8, _ reader: BroadcastReader<Value>) {
    reader.topics = topics
    onWant(
      state.withLock { state in
        state.want(topics, for: ObjectIdentifier(reader))
        return state.wantedTopics
      })
  }

  private func completeIfDrained() {
    guard state.withLock({ $0.isDrained }) else { return }
    for promise in readers.value.drained { promise.succeed() }
    readers.value.drained = []
  }

  fileprivate func pump(_ reader: BroadcastReader<Value>, _ id: ObjectIdentifier) {
    guard let context = reader.context else { return }
    sending: while context.channel.isWritable {
      switch state.withLock({ $0.next(for: id, at: now) }) {
      case .greet:
        let (value, number) = lockedValue.withLock { value in (value, state.withLock { $0.ring.next }) }
        let bytes = greeting(value, number)
        state.withLock { $0.greeted(id, with: bytes, before: number, at: now) }
        context.write(frame(bytes), promise: nil)
      case .send(let bytes, let messages):
        let left = messages > 0 ? loop.makePromise(of: Void.self) : nil
        if let left {
          reader.unconfirmed.append((bytes, messages))
          left.futureResult.assumeIsolated().whenSuccess { reader.unconfirmed.removeFirst() }
        }
        context.write(frame(bytes), promise: left)
      case .close:
        // An empty write completes after all earlier writes.
        let sent = loop.makePromise(of: Void.self)
        context.write(frame(ByteBuffer()), promise: sent)
        sent.futureResult.whenComplete { [channel = context.channel] _ in channel.close(promise: nil) }
      case .wait: break sending
      }
    }
    context.flush()
  }

  private func scheduleStallCheck() {
    guard readers.value.stallCheck == nil, !readers.value.all.isEmpty else { return }
    let pause = min(max(stallTimeout / 4, .milliseconds(10)), .seconds(3))
    readers.value.stallCheck = loop.scheduleTask(in: TimeAmount(pause)) { [self] in closeStalled() }
  }

  /// Disconnects the readers that have read nothing for the stall timeout, and checks again while data are unsent.
  private func closeStalled() {
    readers.value.stallCheck = nil
    let all = readers.value.all
    let waiting = all.mapValues { reader in
      (try? reader.context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
    for id in state.withLock({ $0.stalledReaders(waiting: waiting, at: now) }) {
      onEvent(.stalled(after: stallTimeout))
      all[id]?.close(.overflow)
    }
    if waiting.values.contains(where: { $0 > 0 }) { scheduleStallCheck() }
  }
}

/// A connection that follows a broadcast. It is confined to its event loop.
private final class BroadcastReader<Value: Sendable>: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  private let broadcast: Broadcast<Value>
  let number: Int?
  /// The topics that it wants.
  var topics: UInt8 = 0
  private(set) var context: ChannelHandlerContext?
  /// Why the remaining messages are dropped when it is closed.
  private(set) var cause = Account.Cause.unwanted
  /// The data that are being sent: bytes, and the number of messages that they complete.
  var unconfirmed: [(bytes: ByteBuffer, messages: Int)] = []
  /// The number of those bytes that were unsent when it was closed here.
  private var unsent = Int.max

  init(_ broadcast: Broadcast<Value>, from number: Int?) { (self.broadcast, self.number) = (broadcast, number) }

  func close(_ cause: Account.Cause) {
    guard let context else { return }
    self.cause = cause
    unsent = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? .max
    context.close(promise: nil)
  }

  /// The number of messages that were sent only in part or not at all. Each ends with a line feed.
  var undelivered: Int {
    var (count, unsent) = (0, unsent)
    for (bytes, messages) in unconfirmed.reversed() {
      let rest = bytes.readableBytesView.suffix(unsent)
      // A record of losses is not a message, and comes first.
      count += min(messages, rest.count { $0 == UInt8(ascii: "\n") })
      unsent -= rest.count
    }
    return count
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { broadcast.add(self) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    broadcast.add(self)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    broadcast.leave(self)
    context.fireChannelInactive()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { broadcast.pump(self, ObjectIdentifier(self)) }
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event { broadcast.halfClose(self) }
    if let request = event as? TopicRequest { broadcast.want(request.topics, self) }
    context.fireUserInboundEventTriggered(event)
  }
}

/// An inbound event of a reader's channel, by which an earlier handler passes on the topics that the reader wants.
struct TopicRequest {
  let topics: UInt8
}

package struct BroadcastStatistics: Sendable, Hashable {
  package var readers = 0
  package var accepted = 0
  package var refused = 0
  package var stalled = 0
  package var published = 0
  /// The account of the messages, counted once for each reader at the time, of a broadcast that reports losses to
  /// readers. A message counts as written when it is handed to a connection.
  package var account = Account()
  package var bytes = 0
}
