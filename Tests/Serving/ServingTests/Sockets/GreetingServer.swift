import Glibc
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Serving

private final class Greeter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelActive(context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: "hello\n")), promise: nil)
  }
}

final class GreetingServer: Sendable {
  let folder = TemporaryFolder()
  let loop = NetworkLoop()
  let listeners: Listeners
  private let events = Recorder<String>()

  /// - Parameter resolve: What stands in for the system's lookup of names.
  init(resolve: @escaping Listeners.Resolver = { address throws(ListenError) in try address.resolved() }) throws {
    let onEvent: Listeners.EventHandler = { [events] name, event in events.record("\(name) \(event)") }
    listeners = Listeners(on: loop, onEvent: onEvent, resolve: resolve, interval: .milliseconds(20)) { bootstrap, _ in
      bootstrap.childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Greeter()) }
      }
    }
  }

  var said: [String] { events.values }

  func listenOnUnixPath() async throws {
    try await listeners.listen(on: .unix(path: folder.file("s"), mode: 0o600, group: nil), name: "s")
  }

  /// A descriptor that holds a lock on the folder.
  func lockFolder(_ kind: Int32 = LOCK_EX) -> Int32 {
    let lock = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(flock(lock, kind) == 0)
    return lock
  }

  func close() async {
    await listeners.close()
    await loop.shutdown()
  }
}
