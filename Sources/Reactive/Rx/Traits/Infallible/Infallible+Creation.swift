// Creating infallible sequences, as RxSwift's functions of the same names do.
extension Infallible {
  /// A sequence of one element.
  public static func just(_ element: Element) -> Self { Infallible(.just(element)) }

  /// A sequence of one element, sent on `scheduler`.
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Self {
    Infallible(.just(element, scheduler: scheduler))
  }

  /// A sequence of one element, or of none if it is `nil`.
  public static func from(optional: Element?) -> Self { Infallible(.from(optional: optional)) }

  /// A sequence of one element, or of none if it is `nil`, sent on `scheduler`.
  public static func from(optional: Element?, scheduler: any ImmediateSchedulerType) -> Self {
    Infallible(.from(optional: optional, scheduler: scheduler))
  }

  /// A sequence that completes at once.
  public static func empty() -> Self { Infallible(.empty()) }

  /// A sequence without any event.
  public static func never() -> Self { Infallible(.never()) }

  /// A sequence that is made anew for each subscription.
  public static func deferred(_ observableFactory: @escaping @Sendable () -> Self) -> Self {
    Infallible(.deferred { observableFactory().source })
  }

  /// A sequence of the listed elements, sent on `scheduler`.
  public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Self {
    Infallible(.from(elements, scheduler: scheduler))
  }

  /// A sequence of a sequence's elements, sent on `scheduler`.
  public static func from(
    _ sequence: some Sequence<Element> & Sendable,
    scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Self {
    Infallible(.from(sequence, scheduler: scheduler))
  }

  /// One sequence after the other, each when the one before has completed.
  public static func concat(_ sequence: some Sequence<Self>) -> Self { Infallible(.concat(sequence.map(\.source))) }

  /// One sequence after the other, each when the one before has completed.
  public static func concat(_ sources: Self...) -> Self { concat(sources) }

  /// The elements of all `sources`, as they come. Completes when all have.
  public static func merge(_ sources: some Collection<Self>) -> Self { Infallible(.merge(sources.map(\.source))) }

  /// The elements of all `sources`, as they come. Completes when all have.
  public static func merge(_ sources: Self...) -> Self { merge(sources) }

  /// The results of `resultSelector` for the latest elements, at each element once all sources have one.
  public static func combineLatest<First: InfallibleType, each Other: InfallibleType>(
    _ first: First, _ other: repeat each Other,
    resultSelector: @escaping @Sendable (First.Element, repeat (each Other).Element) -> Element
  ) -> Self {
    Infallible(.combineLatest(first, repeat each other, resultSelector: resultSelector))
  }

  /// The results of `resultSelector` for the first elements of the sources, of their second ones, and so on.
  public static func zip<First: InfallibleType, each Other: InfallibleType>(
    _ first: First, _ other: repeat each Other,
    resultSelector: @escaping @Sendable (First.Element, repeat (each Other).Element) -> Element
  ) -> Self {
    Infallible(.zip(first, repeat each other, resultSelector: resultSelector))
  }

  /// The results of `resultSelector` for the latest elements of sources of one type, whenever one has sent one and all
  /// have. Of no sources it sends the result of `resultSelector` for `[]`, and completes.
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) -> Element
  ) -> Self where Sources.Element: InfallibleType {
    Infallible(.combineLatest(collection, resultSelector: resultSelector))
  }

  /// The latest elements of sources of one type, whenever one has sent one and all have.
  public static func combineLatest(_ sources: some Collection<some InfallibleType<Element>>) -> Infallible<[Element]> {
    .combineLatest(sources) { $0 }
  }
}

extension Infallible where Element == any Sendable {
  /// The latest elements as a tuple, at each element once all sources have one.
  public static func combineLatest<each Source: InfallibleType>(
    _ source: repeat each Source
  ) -> Infallible<(repeat (each Source).Element)> {
    Infallible<(repeat (each Source).Element)>(Observable.combineLatest(repeat each source))
  }

  /// The elements with the same index as a tuple.
  public static func zip<each Source: InfallibleType>(
    _ source: repeat each Source
  ) -> Infallible<(repeat (each Source).Element)> {
    Infallible<(repeat (each Source).Element)>(Observable.zip(repeat each source))
  }
}

extension Infallible where Element: RxAbstractInteger {
  /// 0, 1, 2 and so on, the first after one `period`, then one each `period`.
  public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    Infallible(.interval(period, scheduler: scheduler))
  }

  /// 0 after `dueTime`, and with a `period`, 1, 2 and so on, one each `period`.
  public static func timer(
    _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
  ) -> Self {
    Infallible(.timer(dueTime, period: period, scheduler: scheduler))
  }
}
