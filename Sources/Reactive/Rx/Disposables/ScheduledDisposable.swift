import Synchronization

/// Disposes its content on a scheduler (RxSwift's `ScheduledDisposable`).
public final class ScheduledDisposable: Cancelable {
  /// Where the content is disposed.
  public let scheduler: any ImmediateSchedulerType
  private let content: Locked<(any Disposable)?>

  /// Disposes `disposable` on `scheduler`.
  public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
    self.scheduler = scheduler
    content = Locked(disposable)
  }

  /// Whether the content was disposed.
  public var isDisposed: Bool {
    content.withLock { $0 == nil }
  }

  /// Schedules the disposal.
  public func dispose() {
    _ = scheduler.schedule(self) { disposable in
      disposable.disposeContent()
      return Disposables.create()
    }
  }

  private func disposeContent() {
    content.withLock { $0.take() }?.dispose()
  }
}
