import NIOCore
import NIOPosix

/// The one thread that serves all sockets of a program. Tasks may run on it, too, as long as it is not shut down.
public final class NetworkLoop: TaskExecutor {
  let group: any EventLoopGroup

  /// NIO's loop, for handlers and timers.
  public let eventLoop: any EventLoop

  /// Starts the thread.
  public convenience init() {
    self.init(on: MultiThreadedEventLoopGroup(numberOfThreads: 1))
  }

  /// Takes the loop of a group: in a test one whose time the test moves.
  init(on group: any EventLoopGroup) {
    self.group = group
    eventLoop = group.next()
  }

  /// Calls `body` on the loop's thread when it gets to it: a watchdog's proof that the loop is alive.
  public func ping(_ body: @escaping @Sendable () -> Void) {
    eventLoop.execute(body)
  }

  /// Runs a task's next piece on the thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Ends the thread. Call it when everything on the loop is shut down.
  public func shutdown() async {
    try? await group.shutdownGracefully()
  }
}
