import NIOCore

/// One connection to the metrics endpoint: one request, one answer, the end. Confined to its event loop.
final class MetricsConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let collect: @Sendable () -> String
  private let onClose: () -> Void
  private var request = MetricsRequest()
  private var isAnswered = false
  private var timeout: Scheduled<Void>?

  init(
    timeout: TimeAmount, channel: any Channel, collect: @escaping @Sendable () -> String,
    onClose: @escaping () -> Void
  ) {
    self.collect = collect
    self.onClose = onClose
    // However slowly a client asks or reads, it is gone after this.
    self.timeout = channel.eventLoop.scheduleTask(in: timeout) {
      channel.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    timeout?.cancel()
    timeout = nil
    onClose()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // What comes behind the request is read so that closing does not reset the connection under the answer.
    guard !isAnswered, let answer = request.take(unwrapInboundIn(data).readableBytesView) else {
      return
    }
    isAnswered = true
    let response = MetricsResponse(answer, collect: collect).text
    let channel = context.channel
    channel.writeAndFlush(channel.allocator.buffer(string: response)).whenComplete { _ in
      // The client ends the connection when it has the answer; else the timeout does.
      channel.close(mode: .output, promise: nil)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case ChannelEvent.inputClosed = event else {
      return context.fireUserInboundEventTriggered(event)
    }
    // A client that sends no more and has no answer by now never asked.
    if isAnswered {
      closeWhenSent(context)
    } else {
      context.close(promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func closeWhenSent(_ context: ChannelHandlerContext) {
    let channel = context.channel
    channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).whenComplete { _ in
      channel.close(promise: nil)
    }
  }
}
