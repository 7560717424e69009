extension ObservableType {
  /// A sequence of one element, sent on `scheduler` (RxSwift).
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    sendEach(of: [element], scheduler: scheduler)
  }

  /// A sequence of the listed elements, sent on `scheduler` (RxSwift).
  public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    sendEach(of: elements, scheduler: scheduler)
  }

  /// A sequence of a sequence's elements, sent on `scheduler` (RxSwift).
  public static func from<Source: Sequence & Sendable>(
    _ sequence: Source, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> where Source.Element == Element {
    sendEach(of: sequence, scheduler: scheduler)
  }

  /// A sequence of one element, or of none if it is `nil` (RxSwift).
  public static func from(optional: Element?) -> Observable<Element> {
    if let optional { .just(optional) } else { .empty() }
  }

  /// A sequence of one element, or of none if it is `nil`, sent on `scheduler` (RxSwift).
  public static func from(optional: Element?, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    sendEach(of: optional.map { [$0] } ?? [], scheduler: scheduler)
  }

  private static func sendEach<Source: Sequence & Sendable>(
    of elements: Source, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> where Source.Element == Element {
    generate(on: scheduler) {
      var iterator = elements.makeIterator()
      return { iterator.next() }
    }
  }
}
