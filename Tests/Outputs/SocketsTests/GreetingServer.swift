import NIOCore
import NIOPosix
import Sockets
import TestSupport

private final class Greeter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: "hello\n")), promise: nil)
  }
}

/// A server that greets.
final class GreetingServer: Sendable {
  let folder: TemporaryFolder
  let loop = NetworkLoop()
  let listeners: Listeners
  private let events = Collector<String>()

  init() throws {
    folder = try TemporaryFolder()
    listeners = Listeners(on: loop) { [events] name, event in
      events.add("\(name) \(event)")
    } configure: { bootstrap, _ in
      bootstrap.childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Greeter()) }
      }
    }
  }

  var said: [String] { events.all }

  func listenOnUnixPath() async throws {
    try await listeners.listen(onUnix: folder.file("s"), mode: 0o600, group: nil, name: "s")
  }

  func close() async {
    await listeners.close()
    await loop.shutdown()
  }
}
