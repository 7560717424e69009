import Rx

extension SharedSequence {
  /// A sequence without elements that completes.
  public static func empty() -> Self {
    SharedSequence(raw: Observable.empty().subscribe(on: SharingStrategy.scheduler))
  }

  /// A sequence without any event.
  public static func never() -> Self { SharedSequence(raw: Observable.never()) }

  /// A sequence of one element.
  public static func just(_ element: Element) -> Self {
    SharedSequence(raw: Observable.just(element).subscribe(on: SharingStrategy.scheduler))
  }

  /// A sequence that is made anew for each first subscriber.
  public static func deferred(_ observableFactory: @escaping @MainActor () -> Self) -> Self {
    SharedSequence(Observable.deferred { MainActor.assumeIsolated { observableFactory().source } })
  }

  /// A sequence of the listed elements.
  public static func of(_ elements: Element...) -> Self {
    SharedSequence(raw: Observable.from(elements, scheduler: SharingStrategy.scheduler))
  }

  /// A sequence of a sequence's elements.
  public static func from<Source: Sequence & Sendable>(_ sequence: Source) -> Self where Source.Element == Element {
    SharedSequence(raw: Observable.from(sequence, scheduler: SharingStrategy.scheduler))
  }

  /// A sequence of one element, or of none if it is `nil`.
  public static func from(optional: Element?) -> Self {
    SharedSequence(raw: Observable.from(optional: optional, scheduler: SharingStrategy.scheduler))
  }
}

extension SharedSequence where Element: FixedWidthInteger {
  /// Counts from zero, an element every `period`.
  public static func interval(_ period: RxTimeInterval) -> Self {
    SharedSequence(Observable.interval(period, scheduler: SharingStrategy.scheduler))
  }

  /// Counts from zero, the first element after `dueTime` and then one every `period`.
  public static func timer(_ dueTime: RxTimeInterval, period: RxTimeInterval) -> Self {
    SharedSequence(Observable.timer(dueTime, period: period, scheduler: SharingStrategy.scheduler))
  }
}
