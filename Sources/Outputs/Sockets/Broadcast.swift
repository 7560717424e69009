public import NIOCore
public import Platform
import Synchronization

/// What is kept for the readers of a broadcast, and what they may use up.
public struct BroadcastOptions: Sendable {
  /// How many bytes of messages are kept for readers that are slow or come back.
  public var byteLimit = 1 << 20
  /// How many messages are kept.
  public var messageLimit = 8192
  /// The most readers.
  public var readerLimit = 4096
  /// How long a reader may take nothing while something waits for it.
  public var stallTimeout = Duration.seconds(30)
  /// How long a greeting is good for those who come next.
  public var greetingLifetime = Duration.zero

  /// Creates the usual options.
  public init() {}
}

/// A value that any number of connections follow: each is greeted with the whole of it and then sent the messages that tell
/// of its changes.
///
/// All readers share the newest messages, each with a cursor of its own. So one costs little more than a number, however
/// slow it is, and holds up no other. One that falls too far behind is told how many messages it has lost, or greeted again;
/// one that takes nothing for the stall timeout is closed.
public final class Broadcast<Value: Sendable>: Sendable {
  /// What an administrator may want to know.
  public enum Event: Sendable {
    /// There are as many readers as there may be; further ones are closed. It is said once until half of them have left.
    case full(readers: Int)
    /// A reader is closed because it took nothing for the stall timeout.
    case stalled(after: Duration)
  }

  /// What is confined to the loop.
  private struct Readers {
    var all: [ObjectIdentifier: BroadcastReader<Value>] = [:]
    /// The next look for readers that take nothing; there is one only while something may wait for somebody.
    var stallCheck: Scheduled<Void>?
    /// What to complete when everybody has gone.
    var drained: [EventLoopPromise<Void>] = []
  }

  private let loop: any EventLoop
  private let state: Mutex<BroadcastState<ObjectIdentifier>>
  private let readers: NIOLoopBoundBox<Readers>
  /// Locked before `state` where both are needed, so that the value fits the number of the next message.
  private let lockedValue: Mutex<Value>
  private let greeting: @Sendable (Value, Int) -> ByteBuffer
  private let frame: @Sendable (ByteBuffer) -> NIOAny
  private let stallTimeout: Duration
  private let onEvent: @Sendable (Event) -> Void

  /// Creates a broadcast without readers. All that it is given to call is called on the loop's thread.
  ///
  /// - Parameters:
  ///   - greeting: What greets a reader: the value, as it was before the message of that number.
  ///   - lossRecord: What a reader is told that has lost so many messages; without it such a reader is greeted again.
  ///   - frame: What bytes are to the handler before the reader in its channel's pipeline.
  ///   - onEvent: Hears of what an administrator may want to know.
  public init(
    on loop: NetworkLoop, value: Value, options: BroadcastOptions,
    greeting: @escaping @Sendable (Value, _ number: Int) -> ByteBuffer,
    lossRecord: (@Sendable (_ count: Int) -> ByteBuffer)? = nil,
    frame: @escaping @Sendable (ByteBuffer) -> NIOAny,
    onEvent: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.loop = loop.eventLoop
    self.greeting = greeting
    self.frame = frame
    self.onEvent = onEvent
    state = Mutex(BroadcastState(options: options, lossRecord: lossRecord))
    lockedValue = Mutex(value)
    readers = NIOLoopBoundBox.makeBoxSendingValue(Readers(), eventLoop: loop.eventLoop)
    stallTimeout = options.stallTimeout
  }

  /// Changes the value and appends the messages that say how. From any thread, without waiting.
  public func update<Result: Sendable>(_ change: (inout Value, _ messages: inout MessageRing) -> Result) -> Result {
    let (result, needsFlush) = lockedValue.withLock { value in
      state.withLock { $0.publish { change(&value, &$0) } }
    }
    if needsFlush { loop.execute { [self] in flush() } }
    return result
  }

  /// The value as it is now.
  public var value: Value { lockedValue.withLock { $0 } }

  /// What happened so far. From any thread.
  public var statistics: BroadcastStatistics { state.withLock { $0.statistics } }

  /// The handler that makes a connection a reader, as soon as it is active; the last of the channel's pipeline.
  ///
  /// - Parameter number: The number of the first message that the reader has not had, if it has had some. It is greeted
  ///   when that message is not kept any more.
  public func reader(from number: Int? = nil) -> any ChannelHandler { BroadcastReader(self, from: number) }

  /// Sends bytes beside the messages to every reader that takes something just now. On the loop's thread.
  public func interject(_ bytes: ByteBuffer) {
    for (id, reader) in readers.value.all {
      guard let context = reader.context, context.channel.isWritable else { continue }
      state.withLock { $0.sent(bytes.readableBytes, to: id) }
      context.writeAndFlush(frame(bytes), promise: nil)
    }
    scheduleStallCheck()
  }

  /// Takes no more readers, sends each what is left and closes it.
  ///
  /// A second call while the first one waits shortens its time; one after the end does nothing.
  /// - Parameter time: When readers that have not taken everything are closed all the same. Without it each gets as long
  ///   as it goes on taking something.
  public func shutdown(within time: Duration?) async {
    let isDrained = state.withLock { state in
      state.finish()
      return state.isDrained
    }
    // The loop may be shut down by now.
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

  /// Seconds on the loop's clock.
  private var now: Double { Double(loop.now.uptimeNanoseconds) / 1e9 }

  private func flush() {
    state.withLock { $0.beginFlush() }
    for (id, reader) in readers.value.all { pump(reader, id) }
    scheduleStallCheck()
  }

  fileprivate func join(_ reader: BroadcastReader<Value>) {
    let id = ObjectIdentifier(reader)
    switch state.withLock({ $0.join(id, from: reader.number) }) {
    case .joined(let other):
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
  }

  private func completeIfDrained() {
    guard state.withLock({ $0.isDrained }) else { return }
    for promise in readers.value.drained { promise.succeed() }
    readers.value.drained = []
  }

  /// Sends what is new, as much as the channel takes just now.
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
        // An empty write is done when all before it are.
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

  /// Closes the readers of whom nothing was taken for the stall timeout, and looks again as long as something waits.
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

/// A connection that follows a broadcast. Confined to its event loop.
private final class BroadcastReader<Value: Sendable>: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  private let broadcast: Broadcast<Value>
  let number: Int?
  private(set) var context: ChannelHandlerContext?
  /// Why it does not get the rest when it is closed.
  private(set) var cause = Account.Cause.unwanted
  /// What the connection has to send: bytes, and how many messages they end.
  var unconfirmed: [(bytes: ByteBuffer, messages: Int)] = []
  /// How many bytes of that had not left when it was closed here.
  private var unsent = Int.max

  init(_ broadcast: Broadcast<Value>, from number: Int?) {
    (self.broadcast, self.number) = (broadcast, number)
  }

  func close(_ cause: Account.Cause) {
    guard let context else { return }
    self.cause = cause
    unsent = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? .max
    context.close(promise: nil)
  }

  /// How many messages have not left, or have in part only. Each ends with a line feed.
  var undelivered: Int {
    var (count, unsent) = (0, unsent)
    for (bytes, messages) in unconfirmed.reversed() {
      let rest = bytes.readableBytesView.suffix(unsent)
      // A record of what was lost, which is no message, comes first.
      count += min(messages, rest.count { $0 == UInt8(ascii: "\n") })
      unsent -= rest.count
    }
    return count
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if context.channel.isActive { broadcast.join(self) }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
  }

  func channelActive(context: ChannelHandlerContext) {
    broadcast.join(self)
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
    context.fireUserInboundEventTriggered(event)
  }
}

/// What a broadcast has done so far.
public struct BroadcastStatistics: Sendable, Hashable {
  /// Readers just now.
  public var readers = 0
  /// Readers that were accepted.
  public var accepted = 0
  /// Readers that were refused because there were too many.
  public var refused = 0
  /// Readers that were closed because they took nothing.
  public var stalled = 0
  /// Messages that were published.
  public var published = 0
  /// What became of the messages, each counted for each reader that was there; of a broadcast that tells readers what they
  /// have lost. A message is written when a connection has it to send.
  public var account = Account()
  /// Bytes that were sent.
  public var bytes = 0
}
