public import Rx

/// A sequence made for user-facing objects: it never fails, delivers on its strategy's scheduler (the main one) and
/// shares one subscription to its source between all subscribers (RxCocoa).
///
/// It is the main actor's, and so are the closures of all its operators: they may read and change what belongs to the
/// main actor, such as `self` in a view controller.
///
/// Use it as ``Driver`` for state and as ``Signal`` for events. It is not an `ObservableType`: `drive` and `emit`
/// subscribe to it, so that a guarantee is not lost by accident. ``MainSequenceType/asObservable()`` gives it up.
public typealias SharedSequence<SharingStrategy: SharingStrategyProtocol, Element: Sendable> =
  MainSequence<SharingStrategy, Element>

/// Something that can be turned into a ``SharedSequence`` (RxCocoa).
public protocol SharedSequenceConvertibleType<Element>: InfallibleMainSequenceType
where SharingStrategy: SharingStrategyProtocol {
  /// The sequence.
  func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
  /// The sequence.
  public func asMainSequence() -> MainSequence<SharingStrategy, Element> { asSharedSequence() }
}

extension MainSequence: SharedSequenceConvertibleType, InfallibleMainSequenceType
where SharingStrategy: SharingStrategyProtocol {
  /// This sequence.
  public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> { self }
}

/// Where a ``SharedSequence`` delivers, and how it shares its source (RxCocoa).
public protocol SharingStrategyProtocol: MainSequenceStrategy where Failure == Never {}

extension SharingStrategyProtocol {
  /// The main scheduler, or a test's.
  public static var scheduler: any SchedulerType { SharingScheduler.make() }
}

extension ObservableConvertibleType {
  /// This sequence as a ``SharedSequence`` that ends with `onErrorJustReturn` in case of an error.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self, onErrorJustReturn: Element
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(asObservable().observe(on: Strategy.scheduler).catchAndReturn(onErrorJustReturn))
  }

  /// This sequence as a ``SharedSequence`` that continues with `onErrorDriveWith` in case of an error.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self, onErrorDriveWith: SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    asSharedSequence(sharingStrategy: sharingStrategy) { _ in onErrorDriveWith }
  }

  /// This sequence as a ``SharedSequence`` that continues with what `onErrorRecover` makes of an error.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self,
    onErrorRecover: @escaping @MainActor (_ error: any Swift.Error) -> SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(
      asObservable().observe(on: Strategy.scheduler).catch { error in
        MainActor.assumeIsolated { onErrorRecover(error).source }
      })
  }
}

/// Makes the schedulers of ``Driver`` and ``Signal`` (RxCocoa).
public enum SharingScheduler {
  @TaskLocal private static var mocked: SchedulerMaker?

  /// Makes a scheduler: a `MainScheduler`, unless ``mock(scheduler:action:)`` says otherwise.
  public static var make: @Sendable () -> any SchedulerType {
    if let mocked { return mocked.make }
    return { MainScheduler() }
  }

  /// Returns the result of `action`, run with drivers and signals that deliver on `scheduler`, for tests: those that `action` makes, and
  /// those that are made by what runs within it, such as a `TestScheduler` that it starts.
  ///
  /// Only the calling thread or task sees the mock, so tests that run side by side do not disturb each other.
  ///
  /// The test belongs to the main actor, as the closures of drivers and signals do.
  @MainActor
  @discardableResult
  public static func mock<Result>(
    scheduler: any SchedulerType, action: @MainActor () throws -> Result
  ) rethrows -> Result {
    try mock(makeScheduler: { scheduler }, action: action)
  }

  /// Returns the result of `action`, run with drivers and signals whose schedulers come from `makeScheduler`, for tests.
  @MainActor
  @discardableResult
  public static func mock<Result>(
    makeScheduler: @escaping @Sendable () -> any SchedulerType, action: @MainActor () throws -> Result
  ) rethrows -> Result {
    try $mocked.withValue(SchedulerMaker(make: makeScheduler), operation: action)
  }
}

/// Makes schedulers. A bare closure as a task-local value crashes in an optimised build.
private struct SchedulerMaker: Sendable {
  var make: @Sendable () -> any SchedulerType
}
