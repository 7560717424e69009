import Glibc
import NIOCore
import NIOPosix

/// The thread that serves all sockets of a program. Tasks may also run on it until it is shut down.
package final class NetworkLoop: TaskExecutor {
  let group: any EventLoopGroup

  package let eventLoop: any EventLoop

  /// Uses the loop of a group, such as one whose time a test controls.
  package init(on group: any EventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)) {
    self.group = group
    eventLoop = group.next()
  }

  /// Calls `body` on the loop's thread; a watchdog uses it to check that the loop is alive.
  package func ping(_ body: @escaping @Sendable () -> Void) { eventLoop.execute(body) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Ends the thread. Call it after everything on the loop is shut down.
  package func shutdown() async { try? await group.shutdownGracefully() }
}

package enum DescriptorLimit {
  /// The number of descriptors that are reserved for other purposes than connections. Without a free descriptor more
  /// than connections fail: libdispatch ends the process when it cannot create a timer.
  package static let reserve = 128

  package static var current: Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the limit to the maximum that the administrator allows, and returns it. Call it before sockets are opened.
  /// A program that uses select(2) must not call it.
  @discardableResult
  package static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return current }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
    return current
  }

  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
