extension ObservableType {
  /// The first sequence, and when it has failed the second, and so on. Completes when one completes; fails with the
  /// last error when all have failed (RxSwift's `catch(sequence:)`).
  public static func `catch`<Sources: Sequence & Sendable>(sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    CatchSequence { Succession(sequence, count: nil) }
  }

  /// This sequence, subscribed to again whenever it fails, until it completes (RxSwift's `retry()`).
  public func retry() -> Observable<Element> {
    let source = asObservable()
    return CatchSequence { Succession(sequence(first: source) { $0 }, count: nil) }
  }

  /// This sequence, subscribed to again when it fails, `maxAttemptCount` times in all; then it fails with the last
  /// error. Completes at once if that is not positive (RxSwift's `retry(_:)`).
  public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
    .catch(sequence: repeatElement(asObservable(), count: max(0, maxAttemptCount)))
  }
}

/// `@unchecked Sendable`: immutable.
private final class CatchSequence<Element: Sendable>: Producer<Element>, @unchecked Sendable {
  let sequences: @Sendable () -> Succession<Element>

  init(_ sequences: @escaping @Sendable () -> Succession<Element>) {
    self.sequences = sequences
  }

  override func run(_ downstream: Sink<Element>) -> any Disposable {
    CatchSequenceSink(downstream, sequences()).connect()
  }
}

/// `@unchecked Sendable`: `lastError` is set before `advance` and read within it.
private final class CatchSequenceSink<Element: Sendable>: SuccessionSink<Element>, @unchecked Sendable {
  private var lastError: (any Error)?

  override func unfold(_ sequence: Observable<Element>) -> Succession<Element>? {
    (sequence as? CatchSequence<Element>)?.sequences()
  }

  override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }

  override func error(_ error: any Error) {
    lastError = error
    advance()
  }

  override func completed() {
    if !isDisposed { finish() }
  }

  override func exhausted() {
    if let lastError { finish(lastError) } else { finish() }
  }
}
