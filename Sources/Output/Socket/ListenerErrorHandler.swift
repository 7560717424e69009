import Glibc
import NIOCore

/// Takes the errors of accepting: told once in a while, never the end of the socket.
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
    guard let code = (error as? IOError)?.errnoCode, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) else { return }
    let now = NIODeadline.now()
    guard now >= quietUntil else { return }
    quietUntil = now + .seconds(60)
    onNotice(
      OutputNotice(.error, "\(name) cannot take connections: \(describe(errno: code)); trying again every second"))
  }
}
