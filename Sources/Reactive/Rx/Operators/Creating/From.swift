extension ObservableType {
  /// A sequence of the listed elements, sent on `scheduler` (RxSwift's `of`).
  public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    SequenceSource(elements, scheduler: scheduler)
  }

  /// A sequence of an array's elements, sent on `scheduler` (RxSwift's `from`).
  public static func from(
    _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    SequenceSource(array, scheduler: scheduler)
  }

  /// A sequence of a sequence's elements, sent on `scheduler` (RxSwift's `from`).
  public static func from<Source: Sequence & Sendable>(
    _ sequence: Source, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> where Source.Element == Element {
    SequenceSource(sequence, scheduler: scheduler)
  }

  /// A sequence of one element, or of none if it is `nil` (RxSwift's `from(optional:)`).
  public static func from(optional: Element?) -> Observable<Element> {
    if let optional { .just(optional) } else { .empty() }
  }

  /// A sequence of one element, or of none if it is `nil`, sent on `scheduler` (RxSwift's `from(optional:)`).
  public static func from(optional: Element?, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    SequenceSource(optional.map { [$0] } ?? [], scheduler: scheduler)
  }
}

/// Sends a sequence's elements, each in a step of its own on a scheduler, so that sources take turns.
final class SequenceSource<Source: Sequence & Sendable>: Producer<Source.Element>, @unchecked Sendable
where Source.Element: Sendable {
  private let elements: Source
  private let scheduler: any ImmediateSchedulerType

  init(_ elements: Source, scheduler: any ImmediateSchedulerType) {
    self.elements = elements
    self.scheduler = scheduler
  }

  override func run(_ downstream: Sink<Source.Element>) -> any Disposable {
    let cursor = Cursor(elements.makeIterator())
    let sink = OperatorSink<Source.Element, Source.Element>(downstream)
    sink.setUpstream(
      scheduler.scheduleRecursive(()) { _, recurse in
        if sink.isDisposed { return }
        if let element = cursor.next() {
          sink.downstream.next(element)
          recurse(())
        } else {
          sink.finish()
        }
      })
    return sink
  }

  /// `@unchecked Sendable`: the steps run one after the other, each scheduled by the one before it.
  private final class Cursor: @unchecked Sendable {
    private var iterator: Source.Iterator

    init(_ iterator: Source.Iterator) {
      self.iterator = iterator
    }

    func next() -> Source.Element? {
      iterator.next()
    }
  }
}
