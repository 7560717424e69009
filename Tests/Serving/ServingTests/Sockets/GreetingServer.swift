import NIOCore
import NIOPosix
import TestSupport

@testable import Serving

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
  private let events = Recorder<String>()

  /// - Parameter resolve: What stands in for the system's lookup of names.
  init(
    resolve: @escaping Listeners.Resolver = { address throws(ListenError) in try address.resolved() }
  ) throws {
    folder = try TemporaryFolder()
    let onEvent: Listeners.EventHandler = { [events] name, event in events.record("\(name) \(event)") }
    listeners = Listeners(on: loop, onEvent: onEvent, resolve: resolve, interval: .milliseconds(20)) { bootstrap, _ in
      bootstrap.childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Greeter()) }
      }
    }
  }

  var said: [String] { events.values }

  func listenOnUnixPath() async throws {
    try await listeners.listen(onUnix: folder.file("s"), mode: 0o600, group: nil, name: "s")
  }

  func close() async {
    await listeners.close()
    await loop.shutdown()
  }
}
