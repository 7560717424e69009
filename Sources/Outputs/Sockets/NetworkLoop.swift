import NIOCore
import NIOPosix

/// The thread that serves all sockets of a program. Tasks may also run on it until it is shut down.
public final class NetworkLoop: TaskExecutor {
  let group: any EventLoopGroup

  /// NIO's loop, for handlers and timers.
  public let eventLoop: any EventLoop

  /// Starts the thread.
  public convenience init() {
    self.init(on: MultiThreadedEventLoopGroup(numberOfThreads: 1))
  }

  /// Uses the loop of a group, such as one whose time a test controls.
  init(on group: any EventLoopGroup) {
    self.group = group
    eventLoop = group.next()
  }

  /// Calls `body` on the loop's thread; a watchdog uses it to check that the loop is alive.
  public func ping(_ body: @escaping @Sendable () -> Void) {
    eventLoop.execute(body)
  }

  /// Runs the next part of a task on the thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Ends the thread. Call it after everything on the loop is shut down.
  public func shutdown() async {
    try? await group.shutdownGracefully()
  }
}
