public import NIOCore
import Platform
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
  /// Messages that readers lost, each counted for each of them.
  public var dropped = 0
  /// Bytes that were sent.
  public var bytes = 0
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
    var channels: [ObjectIdentifier: any Channel] = [:]
    /// The next look for readers that take nothing; there is one only while something may wait for somebody.
    var stallCheck: Scheduled<Void>?
    /// What to complete when everybody has gone.
    var drained: [EventLoopPromise<Void>] = []
  }

  private let loop: any EventLoop
  private let state: Mutex<BroadcastState<ObjectIdentifier, Value>>
  private let readers: NIOLoopBoundBox<Readers>
  private let greeting: @Sendable (Value, Int) -> ByteBuffer
  private let write: @Sendable (ByteBuffer, any Channel, EventLoopPromise<Void>?) -> Void
  private let stallTimeout: Duration
  private let onEvent: @Sendable (Event) -> Void

  /// Creates a broadcast without readers. All that it is given to call is called on the loop's thread.
  ///
  /// - Parameters:
  ///   - greeting: What greets a reader: the value, as it was before the message of that number.
  ///   - lossRecord: What a reader is told that has lost so many messages; without it such a reader is greeted again.
  ///   - write: Writes bytes to a reader's channel.
  ///   - onEvent: Hears of what an administrator may want to know.
  public init(
    on loop: NetworkLoop, value: Value, options: BroadcastOptions,
    greeting: @escaping @Sendable (Value, _ number: Int) -> ByteBuffer,
    lossRecord: (@Sendable (_ count: Int) -> ByteBuffer)? = nil,
    write: @escaping @Sendable (ByteBuffer, any Channel, EventLoopPromise<Void>?) -> Void,
    onEvent: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.loop = loop.eventLoop
    self.greeting = greeting
    self.write = write
    self.onEvent = onEvent
    state = Mutex(BroadcastState(value: value, options: options, lossRecord: lossRecord))
    readers = NIOLoopBoundBox.makeBoxSendingValue(Readers(), eventLoop: loop.eventLoop)
    stallTimeout = options.stallTimeout
  }

  /// Changes the value and appends the messages that say how. From any thread, without waiting.
  public func update<Result: Sendable>(_ change: (inout Value, _ messages: inout MessageRing) -> Result) -> Result {
    let (result, needsFlush) = state.withLock { $0.publish(change) }
    if needsFlush { loop.execute { [self] in flush() } }
    return result
  }

  /// The value as it is now.
  public var value: Value { state.withLock { $0.value } }

  /// What happened so far. From any thread.
  public var statistics: BroadcastStatistics { state.withLock { $0.statistics } }

  /// The handler that makes a connection a reader, as soon as it is active; the last of the channel's pipeline.
  ///
  /// - Parameter number: The number of the first message that the reader has not had, if it has had some. It is greeted
  ///   when that message is not kept any more.
  public func reader(from number: Int? = nil) -> any ChannelHandler { BroadcastReader(self, from: number) }

  /// Sends bytes beside the messages to every reader that takes something just now. On the loop's thread.
  public func interject(_ bytes: ByteBuffer) {
    for channel in readers.value.channels.values where channel.isWritable {
      state.withLock { $0.sent(bytes.readableBytes, to: ObjectIdentifier(channel)) }
      write(bytes, channel, nil)
      channel.flush()
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
        for channel in readers.value.channels.values { channel.close(promise: nil) }
      }
    }
    try? await drained.futureResult.get()
    deadline?.cancel()
  }

  // MARK: On the loop

  private func flush() {
    state.withLock { $0.beginFlush() }
    for channel in readers.value.channels.values { pump(channel) }
    scheduleStallCheck()
  }

  fileprivate func join(_ channel: any Channel, from number: Int?) {
    switch state.withLock({ $0.join(ObjectIdentifier(channel), from: number) }) {
    case .joined(let other):
      if let other { readers.value.channels[other]?.close(promise: nil) }
      readers.value.channels[ObjectIdentifier(channel)] = channel
      pump(channel)
      scheduleStallCheck()
    case .refused(let isFirst):
      if isFirst { onEvent(.full(readers: statistics.readers)) }
      channel.close(promise: nil)
    }
  }

  fileprivate func halfClose(_ channel: any Channel) {
    state.withLock { $0.halfClose(ObjectIdentifier(channel)) }
  }

  fileprivate func leave(_ channel: any Channel) {
    readers.value.channels[ObjectIdentifier(channel)] = nil
    state.withLock { $0.leave(ObjectIdentifier(channel)) }
    completeIfDrained()
  }

  private func completeIfDrained() {
    guard state.withLock({ $0.isDrained }) else { return }
    for promise in readers.value.drained { promise.succeed() }
    readers.value.drained = []
  }

  /// Sends what is new, as much as the channel takes just now.
  fileprivate func pump(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    sending: while channel.isWritable {
      switch state.withLock({ $0.next(for: id, at: monotonicSeconds()) }) {
      case .greet(let value, let number):
        let bytes = greeting(value, number)
        state.withLock { $0.greeted(id, with: bytes, before: number, at: monotonicSeconds()) }
        write(bytes, channel, nil)
      case .send(let bytes): write(bytes, channel, nil)
      case .close:
        // An empty write is done when all before it are.
        let sent = loop.makePromise(of: Void.self)
        write(ByteBuffer(), channel, sent)
        sent.futureResult.whenComplete { _ in channel.close(promise: nil) }
      case .wait: break sending
      }
    }
    channel.flush()
  }

  private func scheduleStallCheck() {
    guard readers.value.stallCheck == nil, !readers.value.channels.isEmpty else { return }
    let pause = min(max(stallTimeout / 4, .milliseconds(10)), .seconds(3))
    readers.value.stallCheck = loop.scheduleTask(in: TimeAmount(pause)) { [self] in closeStalled() }
  }

  /// Closes the readers of whom nothing was taken for the stall timeout, and looks again as long as something waits.
  private func closeStalled() {
    readers.value.stallCheck = nil
    let channels = readers.value.channels
    let waiting = channels.mapValues { (try? $0.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
    for id in state.withLock({ $0.stalledReaders(waiting: waiting, at: monotonicSeconds()) }) {
      onEvent(.stalled(after: stallTimeout))
      channels[id]?.close(promise: nil)
    }
    if waiting.values.contains(where: { $0 > 0 }) { scheduleStallCheck() }
  }
}

/// A connection that follows a broadcast. Confined to its event loop.
private final class BroadcastReader<Value: Sendable>: ChannelInboundHandler {
  typealias InboundIn = NIOAny

  private let broadcast: Broadcast<Value>
  private let number: Int?

  init(_ broadcast: Broadcast<Value>, from number: Int?) {
    (self.broadcast, self.number) = (broadcast, number)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { broadcast.join(context.channel, from: number) }
  }

  func channelActive(context: ChannelHandlerContext) {
    broadcast.join(context.channel, from: number)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    broadcast.leave(context.channel)
    context.fireChannelInactive()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { broadcast.pump(context.channel) }
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event { broadcast.halfClose(context.channel) }
    context.fireUserInboundEventTriggered(event)
  }
}
