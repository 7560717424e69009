extension ObservableType {
  /// `elements`, sent on subscription, and then this sequence (RxSwift's `startWith`).
  public func startWith(_ elements: Element...) -> Observable<Element> {
    let source = asObservable()
    return OperatorProducer { downstream in
      for element in elements {
        downstream.next(element)
      }
      return source.subscribe(downstream)
    }
  }

  /// This sequence, and when it has completed, `second` (RxSwift's `concat`).
  public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Element>
  where Source.Element == Element {
    .concat([asObservable(), second.asObservable()])
  }

  /// One sequence after the other, each when the one before has completed; the next one is not asked for before that
  /// (RxSwift's `concat`).
  public static func concat<Sources: Sequence & Sendable>(_ sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    Concat { Succession(sequence, count: nil) }
  }

  /// One sequence after the other, each when the one before has completed (RxSwift's `concat`).
  public static func concat<Sources: Collection & Sendable>(_ collection: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    let count = collection.count
    return Concat { Succession(collection, count: count) }
  }

  /// One sequence after the other, each when the one before has completed (RxSwift's `concat`).
  public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    concat(sources)
  }
}

/// `@unchecked Sendable`: immutable.
private final class Concat<Element: Sendable>: Producer<Element>, @unchecked Sendable {
  let sequences: @Sendable () -> Succession<Element>

  init(_ sequences: @escaping @Sendable () -> Succession<Element>) {
    self.sequences = sequences
  }

  override func run(_ downstream: Sink<Element>) -> any Disposable {
    ConcatSink(downstream, sequences()).connect()
  }
}

/// `@unchecked Sendable`: see ``SuccessionSink``.
private final class ConcatSink<Element: Sendable>: SuccessionSink<Element>, @unchecked Sendable {
  override func unfold(_ sequence: Observable<Element>) -> Succession<Element>? {
    (sequence as? Concat<Element>)?.sequences()
  }

  override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }

  override func error(_ error: any Error) {
    if !isDisposed { finish(error) }
  }

  override func completed() {
    advance()
  }
}
