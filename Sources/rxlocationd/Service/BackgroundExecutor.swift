import Dispatch

/// Runs what belongs to no actor on one serial queue, in place of Swift's own pool: libdispatch looks after that once a
/// second for as long as the process lives once it was used, and a daemon that has nothing to do would never sleep.
///
/// Not the main queue: a replay may hold that up, waiting for a slow reader, and a signal must be heard all the same.
final class BackgroundExecutor: TaskExecutor {
  /// The only one. Tasks that are not another's children ask for it themselves.
  static let shared = BackgroundExecutor()

  private let queue = DispatchQueue(label: "rxlocationd.background")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
