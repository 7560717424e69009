public import Rx

// More operators of an ordinary sequence, for the main actor: those that look at several elements, at the end or at the
// clock.
extension MainObservableType {
  // MARK: Accumulating

  /// The value that `accumulator` changes with each element, beginning with `seed`.
  public func scan<Accumulated: Sendable>(
    into seed: Accumulated, accumulator: @escaping @MainActor (inout Accumulated, Element) throws -> Void
  ) -> MainObservable<Accumulated> {
    MainObservable(
      source.scan(into: seed) { accumulated, element in
        try MainActor.assumeIsolated { try accumulator(&accumulated, element) }
      })
  }

  /// `mapResult` of the result of `accumulator` for `seed` and all elements, once the sequence has completed.
  public func reduce<Accumulated: Sendable, Result: Sendable>(
    _ seed: Accumulated, accumulator: @escaping @MainActor (Accumulated, Element) throws -> Accumulated,
    mapResult: @escaping @MainActor (Accumulated) throws -> Result
  ) -> MainObservable<Result> {
    reduce(seed, accumulator: accumulator).map(mapResult)
  }

  /// An ordinary sequence for each key that `keySelector` finds, with the elements that have it.
  public func groupBy<Key: Hashable & Sendable>(
    keySelector: @escaping @MainActor (Element) throws -> Key
  ) -> MainObservable<GroupedObservable<Key, Element>> {
    MainObservable(source.groupBy(keySelector: onMainActor(keySelector)))
  }

  /// All elements in an array, once the sequence has completed.
  public func toArray() -> Single<[Element]> { asObservable().toArray() }

  // MARK: The end

  /// The elements, then those of `second`.
  public func concat(_ second: some ObservableConvertibleType<Element>) -> MainObservable<Element> {
    MainObservable(moving: source.concat(second))
  }

  /// The elements or, if there are none, `default`.
  public func ifEmpty(default: Element) -> MainObservable<Element> {
    MainObservable(source.ifEmpty(default: `default`))
  }

  /// The elements or, if there are none, those of `other`.
  public func ifEmpty(switchTo other: Observable<Element>) -> MainObservable<Element> {
    MainObservable(moving: source.ifEmpty(switchTo: other))
  }

  /// The last `count` elements, once the sequence has completed.
  public func takeLast(_ count: Int) -> MainObservable<Element> { MainObservable(source.takeLast(count)) }

  /// The element at `index`, from 0; fails without one.
  public func element(at index: Int) -> MainObservable<Element> { MainObservable(source.element(at: index)) }

  /// The only element that `predicate` accepts; fails without one or with several.
  public func single(
    _ predicate: @escaping @MainActor (Element) throws -> Bool = { _ in true }
  ) -> MainObservable<Element> {
    MainObservable(source.single(onMainActor(predicate)))
  }

  /// The first element, or `nil` without one.
  public func first() -> Single<Element?> { asObservable().first() }

  /// Nothing but the end.
  public func ignoreElements() -> MainObservable<Never> { MainObservable(source.ignoreElements()) }

  /// The events as elements, the end too, after which this completes.
  public func materialize() -> MainObservable<Event<Element>> { MainObservable(source.materialize()) }

  // MARK: Errors

  /// The elements; subscribes anew after an error, `maxAttemptCount` times in all.
  public func retry(_ maxAttemptCount: Int = .max) -> MainObservable<Element> {
    MainObservable(source.retry(maxAttemptCount))
  }

  /// The elements; subscribes anew after an error when the sequence of `notificationHandler` sends, and ends with that.
  public func retry<Trigger: ObservableConvertibleType>(
    when notificationHandler: @escaping @MainActor (Observable<any Swift.Error>) -> Trigger
  ) -> MainObservable<Element> {
    MainObservable(
      moving: source.retry { errors in
        MainActor.assumeIsolated { notificationHandler(errors) }.asObservable().observe(on: MainScheduler())
      })
  }

  // MARK: Sequences of sequences

  /// The elements of the sequence that came last.
  public func switchLatest() -> MainObservable<Element.Element> where Element: ObservableConvertibleType {
    MainObservable(moving: source.switchLatest())
  }

  /// The elements of the sequences that came, of `maxConcurrent` at a time.
  public func merge(maxConcurrent: Int = .max) -> MainObservable<Element.Element>
  where Element: ObservableConvertibleType { MainObservable(moving: source.merge(maxConcurrent: maxConcurrent)) }

  /// The elements of the sequences that came, one sequence after the other.
  public func concat() -> MainObservable<Element.Element> where Element: ObservableConvertibleType {
    merge(maxConcurrent: 1)
  }

  // MARK: Time

  /// The newest element each time that `sampler` sends something, if it is new, else `defaultValue`, if given.
  public func sample<Sampler: ObservableConvertibleType>(
    _ sampler: Sampler, defaultValue: Element? = nil
  ) -> MainObservable<Element> {
    MainObservable(moving: source.sample(sampler, defaultValue: defaultValue))
  }

  /// The elements of the first `duration`.
  public func take(
    for duration: RxTimeInterval, scheduler: any SchedulerType = MainScheduler.instance
  ) -> MainObservable<Element> {
    MainObservable(moving: source.take(for: duration, scheduler: scheduler))
  }

  /// The elements after `duration`.
  public func skip(
    _ duration: RxTimeInterval, scheduler: any SchedulerType = MainScheduler.instance
  ) -> MainObservable<Element> {
    MainObservable(moving: source.skip(duration, scheduler: scheduler))
  }

  /// The elements; fails with `RxError.timeout` when none comes for `dueTime`.
  public func timeout(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType = MainScheduler.instance
  ) -> MainObservable<Element> {
    MainObservable(moving: source.timeout(dueTime, scheduler: scheduler))
  }

  /// The elements; those of `other` from when none has come for `dueTime`.
  public func timeout<Other: ObservableConvertibleType>(
    _ dueTime: RxTimeInterval, other: Other, scheduler: any SchedulerType = MainScheduler.instance
  ) -> MainObservable<Element> where Other.Element == Element {
    MainObservable(moving: source.timeout(dueTime, other: other.asObservable(), scheduler: scheduler))
  }

  /// The elements in arrays, each complete when `timeSpan` is over or it has `count` of them.
  public func buffer(
    timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType = MainScheduler.instance
  ) -> MainObservable<[Element]> {
    MainObservable(moving: source.buffer(timeSpan: timeSpan, count: count, scheduler: scheduler))
  }

  /// The elements in ordinary sequences, each complete after `timeSpan` or `count` elements.
  public func window(
    timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType = MainScheduler.instance
  ) -> MainObservable<Observable<Element>> {
    MainObservable(moving: source.window(timeSpan: timeSpan, count: count, scheduler: scheduler))
  }

  /// The elements; the source is subscribed to `dueTime` later.
  public func delaySubscription(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType = MainScheduler.instance
  ) -> MainObservable<Element> {
    MainObservable(moving: asObservable().delaySubscription(dueTime, scheduler: scheduler))
  }

  // MARK: Elsewhere

  /// The elements on `scheduler`: an ordinary sequence from here on.
  public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    asObservable().observe(on: scheduler)
  }
}
