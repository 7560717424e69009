import NIOCore
import NIOPosix

/// The one thread that serves all sockets of the outputs.
public final class NetworkLoop: Sendable {
  let group: MultiThreadedEventLoopGroup
  let loop: any EventLoop

  /// Starts the thread.
  public init() {
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    loop = group.next()
  }

  /// Calls `body` on the loop's thread when it gets to it: a watchdog's proof that the loop is alive.
  public func ping(_ body: @escaping @Sendable () -> Void) {
    loop.execute(body)
  }

  /// Ends the thread; call it when everything on the loop is shut down.
  public func shutdown() async {
    try? await group.shutdownGracefully()
  }
}
