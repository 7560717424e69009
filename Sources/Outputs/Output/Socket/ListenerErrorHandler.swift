import Glibc
import NIOCore

/// Takes the errors of accepting: told once in a while, never the end of the socket.
///
/// Without it the loop would be told again and again, as fast as it can, that a connection waits for which there is
/// no descriptor.
final class ListenerErrorHandler: ChannelInboundHandler {
  typealias InboundIn = Channel

  private let name: String
  private let onNotice: OutputNotice.Handler
  private var quietUntil = NIODeadline.uptimeNanoseconds(0)

  init(name: String, onNotice: @escaping OutputNotice.Handler) {
    self.name = name
    self.onNotice = onNotice
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The rest are connections that were gone before they were accepted.
    guard let code = (error as? IOError)?.errnoCode,
      [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code)
    else { return }
    let channel = context.channel
    try? channel.syncOptions?.setOption(.autoRead, value: false)
    context.eventLoop.scheduleTask(in: .seconds(1)) {
      try? channel.syncOptions?.setOption(.autoRead, value: true)
    }
    let now = NIODeadline.now()
    guard now >= quietUntil else { return }
    quietUntil = now + .seconds(60)
    let reason = describe(errno: code)
    onNotice(
      OutputNotice(.error, "\(name) cannot take connections: \(reason); trying again every second"))
  }
}
