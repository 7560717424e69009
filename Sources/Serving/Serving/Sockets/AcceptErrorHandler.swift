import Glibc
import NIOCore
import SystemPackage

/// Handles errors of accepting connections: a lasting error is reported once a minute, and no error ends the socket.
///
/// Without it the loop would try again and again, as fast as it can, to accept a connection without a free descriptor.
final class AcceptErrorHandler: ChannelInboundHandler {
  typealias InboundIn = Channel

  private let onError: (Errno) -> Void
  private var quietUntil = NIODeadline.uptimeNanoseconds(0)

  init(onError: @escaping (Errno) -> Void) { self.onError = onError }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The other errors are from connections that ended before they were accepted.
    guard let code = (error as? IOError)?.errnoCode, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) else { return }
    let channel = context.channel
    try? channel.syncOptions?.setOption(.autoRead, value: false)
    context.eventLoop.scheduleTask(in: .seconds(1)) { try? channel.syncOptions?.setOption(.autoRead, value: true) }
    let now = context.eventLoop.now
    guard now >= quietUntil else { return }
    quietUntil = now + .seconds(60)
    onError(Errno(rawValue: code))
  }
}
