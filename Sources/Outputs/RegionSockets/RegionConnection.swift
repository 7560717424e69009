import NIOCore

/// One client of a region socket. Confined to its event loop.
///
/// What it has not been sent is a cursor into the shared backlog; at most one high-water mark of bytes is on its way.
final class RegionConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// How many bytes a client may send in a second before it is made to wait; they are ignored.
  private static let inputPerSecond = 64 << 10

  let channel: any Channel
  private let hub: RegionHub
  /// The number of the next update to send.
  private(set) var cursor = 0
  private var context: ChannelHandlerContext?
  /// It has shut down its sending side, as `socat -u` does; or it is gone and TCP cannot tell yet.
  private(set) var isHalfClosed = false
  private var received = 0
  /// Bytes handed to the channel, how many of them had left by the last look, and since when; `nil` when all had.
  private var sent = 0
  private var progress = 0
  private var progressTime: NIODeadline?
  private var isFinishing = false
  /// Updates lost before `cursor` that no `dropped` record has reported yet.
  private var unreportedDrops = 0

  init(channel: any Channel, hub: RegionHub) {
    self.channel = channel
    self.hub = hub
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
  }

  func channelActive(context: ChannelHandlerContext) {
    var greeting = channel.allocator.buffer(capacity: 256)
    guard let cursor = hub.add(self, greeting: &greeting) else {
      context.close(promise: nil)
      return
    }
    self.cursor = cursor
    if greeting.readableBytes > 0 { send(greeting) }
    context.flush()
  }

  func channelInactive(context: ChannelHandlerContext) {
    hub.remove(self)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received += unwrapInboundIn(data).readableBytes
    guard received > Self.inputPerSecond else { return }
    received = 0
    // Not read any further for a while, so that a flood costs the flooder and nobody else.
    let channel = context.channel
    try? channel.syncOptions?.setOption(.autoRead, value: false)
    context.eventLoop.scheduleTask(in: .seconds(1)) {
      try? channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { pump() }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event {
      isHalfClosed = true
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A reset, as a rule: the client is gone.
    context.close(promise: nil)
  }

  /// Sends what is new, as much as the channel takes just now.
  func pump() {
    guard let context else { return }
    while cursor < hub.head && context.channel.isWritable {
      let (lost, buffer, next) = hub.batch(from: cursor)
      unreportedDrops += lost
      cursor = next
      if unreportedDrops > 0 && buffer.readableBytes > 0 {
        send(hub.droppedRecord(unreportedDrops))
        unreportedDrops = 0
      }
      send(buffer)
    }
    context.flush()
    if isFinishing && cursor >= hub.head { closeWhenSent(context) }
  }

  /// Sends everything that is left and closes.
  func finish() {
    isFinishing = true
    pump()
  }

  private func closeWhenSent(_ context: ChannelHandlerContext) {
    isFinishing = false
    let channel = context.channel
    // An empty write is done when all before it are.
    channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).whenComplete { _ in
      channel.close(promise: nil)
    }
  }

  /// For how long none of the bytes that wait has left, by this look and those before; `nil` when none waits.
  func timeWithoutProgress(at now: NIODeadline) -> TimeAmount? {
    guard let context, let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes), waiting > 0
    else {
      progressTime = nil
      return nil
    }
    let left = sent - waiting
    guard let progressTime, left == progress else {
      progress = left
      progressTime = now
      return .zero
    }
    return now - progressTime
  }

  private func send(_ buffer: ByteBuffer) {
    sent += buffer.readableBytes
    hub.feed.count { $0.bytes += buffer.readableBytes }
    context?.write(wrapOutboundOut(buffer), promise: nil)
  }
}
