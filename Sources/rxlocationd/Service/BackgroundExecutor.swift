import Dispatch

/// Runs nonisolated code on one serial queue instead of Swift's thread pool. Once used, libdispatch checks that pool
/// every second for the life of the process, so an idle daemon would never sleep.
///
/// It is not the main queue, which a replay may block for a slow reader while signals must still be handled.
final class BackgroundExecutor: TaskExecutor {
  /// The shared executor. Unstructured tasks have to request it themselves.
  static let shared = BackgroundExecutor()

  private let queue = DispatchQueue(label: "rxlocationd.background")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
