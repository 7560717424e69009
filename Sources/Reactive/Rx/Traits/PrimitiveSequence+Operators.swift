// Creating and changing sequences of every trait, as RxSwift's operators of the same names do.
extension PrimitiveSequence {
  /// A sequence that fails with `error`.
  public static func error(_ error: any Swift.Error) -> Self { PrimitiveSequence(raw: .error(error)) }

  /// A sequence without any event.
  public static func never() -> Self { PrimitiveSequence(raw: .never()) }

  /// A sequence that is made anew for each subscription.
  public static func deferred(_ observableFactory: @escaping @Sendable () throws -> Self) -> Self {
    PrimitiveSequence(raw: .deferred { try observableFactory().source })
  }

  /// The sequence that `primitiveSequenceFactory` makes of a resource, which is made for each subscription and disposed
  /// of with it. An error of either is the sequence's.
  public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping @Sendable () throws -> Resource,
    primitiveSequenceFactory: @escaping @Sendable (Resource) throws -> Self
  ) -> Self {
    PrimitiveSequence(raw: .using(resourceFactory, observableFactory: { try primitiveSequenceFactory($0).source }))
  }

  /// This sequence, its events delivered on `scheduler`.
  public func observe(on scheduler: any ImmediateSchedulerType) -> Self {
    PrimitiveSequence(raw: source.observe(on: scheduler))
  }

  /// This sequence, subscribed to and disposed on `scheduler`.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Self {
    PrimitiveSequence(raw: source.subscribe(on: scheduler))
  }

  /// This sequence, its element or completion `dueTime` later; an error is not delayed.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    PrimitiveSequence(raw: source.delay(dueTime, scheduler: scheduler))
  }

  /// This sequence, subscribed to `dueTime` later.
  public func delaySubscription(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    PrimitiveSequence(raw: source.delaySubscription(dueTime, scheduler: scheduler))
  }

  /// This sequence, which fails with ``RxError/timeout`` when it has said nothing within `dueTime`.
  public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    PrimitiveSequence(raw: source.timeout(dueTime, scheduler: scheduler))
  }

  /// This sequence, and `other` instead when it has said nothing within `dueTime`.
  public func timeout(_ dueTime: RxTimeInterval, other: Self, scheduler: any SchedulerType) -> Self {
    PrimitiveSequence(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler))
  }

  /// This sequence, and if it fails, the one that `handler` makes of the error.
  public func `catch`(_ handler: @escaping @Sendable (any Swift.Error) throws -> Self) -> Self {
    PrimitiveSequence(raw: source.catch { try handler($0).source })
  }

  /// This sequence, subscribed to again whenever it fails, `maxAttemptCount` times in all.
  public func retry(_ maxAttemptCount: Int = .max) -> Self { PrimitiveSequence(raw: source.retry(maxAttemptCount)) }

  /// This sequence, subscribed to again after an error when the sequence of `notificationHandler` sends an element.
  public func retry<Trigger: ObservableType, Failure: Swift.Error>(
    when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
  ) -> Self {
    PrimitiveSequence(raw: source.retry(when: notificationHandler))
  }

  /// This sequence, subscribed to again after an error when the sequence of `notificationHandler` sends an element.
  public func retry<Trigger: ObservableType>(
    when notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> Trigger
  ) -> Self {
    PrimitiveSequence(raw: source.retry(when: notificationHandler))
  }

  /// This sequence, its events printed on standard output.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Self {
    PrimitiveSequence(raw: source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }
}

extension PrimitiveSequence where Element: RxAbstractInteger {
  /// 0 after `dueTime`.
  public static func timer(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    PrimitiveSequence(raw: .timer(dueTime, scheduler: scheduler))
  }
}
