import Rx

/// Makes the schedulers of ``Driver`` and ``Signal`` (RxCocoa's `SharingScheduler`).
public enum SharingScheduler {
  @TaskLocal private static var mocked: SchedulerMaker?

  /// Makes a scheduler: a `MainScheduler`, unless ``mock(scheduler:action:)`` says otherwise.
  public static var make: @Sendable () -> any SchedulerType {
    if let mocked { return mocked.make }
    return { MainScheduler() }
  }

  /// Runs `action` with drivers and signals that deliver on `scheduler`, for tests: those that `action` makes, and those
  /// that are made by what runs within it, such as a `TestScheduler` that it starts.
  ///
  /// Only the calling thread or task sees the mock, so tests that run side by side do not disturb each other.
  ///
  /// The closures of drivers and signals belong to the main actor, and so does the test: a `TestScheduler` that `action`
  /// starts calls them there.
  @MainActor
  public static func mock(scheduler: any SchedulerType, action: @MainActor () throws -> Void) rethrows {
    try mock(makeScheduler: { scheduler }, action: action)
  }

  /// Runs `action` with drivers and signals whose schedulers come from `makeScheduler`, for tests.
  @MainActor
  public static func mock(
    makeScheduler: @escaping @Sendable () -> any SchedulerType, action: @MainActor () throws -> Void
  ) rethrows {
    try $mocked.withValue(SchedulerMaker(make: makeScheduler), operation: action)
  }
}

/// Makes schedulers. A bare closure as a task-local value crashes in an optimised build.
private struct SchedulerMaker: Sendable {
  var make: @Sendable () -> any SchedulerType
}
