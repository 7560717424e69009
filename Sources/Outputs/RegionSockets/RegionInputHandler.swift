import NIOCore

/// Ignores what a client of a region socket sends, and reads it slowly when that is much: a flood costs the flooder and
/// nobody else.
final class RegionInputHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// How many bytes a client may send in a second before it is made to wait.
  private static let bytesPerSecond = 64 << 10

  private var received = 0

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received += unwrapInboundIn(data).readableBytes
    guard received > Self.bytesPerSecond else { return }
    received = 0
    let channel = context.channel
    try? channel.syncOptions?.setOption(.autoRead, value: false)
    context.eventLoop.scheduleTask(in: .seconds(1)) {
      try? channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A reset, as a rule: the client is gone.
    context.close(promise: nil)
  }
}
