extension ObservableType {
  /// This sequence, and if it fails, the one that `handler` makes of the error. An error that `handler` throws ends the
  /// result (RxSwift's `catch`).
  public func `catch`(
    _ handler: @escaping @Sendable (any Swift.Error) throws -> Observable<Element>
  ) -> Observable<Element> {
    let source = asObservable()
    return OperatorProducer { downstream in
      FallbackSink(downstream, ifFailed: handler).connect(source)
    }
  }

  /// This sequence, and if it fails, `element` and completion instead (RxSwift's `catchAndReturn`).
  public func catchAndReturn(_ element: Element) -> Observable<Element> {
    self.catch { _ in .just(element) }
  }
}

extension ObservableType {
  /// The first sequence, and when it has failed the second, and so on. Completes when one completes; fails with the
  /// last error when all have failed (RxSwift's `catch(sequence:)`).
  public static func `catch`<Sources: Sequence & Sendable>(sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    SuccessionProducer(.afterError) { Succession(sequence, count: nil) }
  }

  /// This sequence, subscribed to again whenever it fails, until it completes (RxSwift's `retry()`).
  public func retry() -> Observable<Element> {
    let source = asObservable()
    return SuccessionProducer(.afterError) { Succession(sequence(first: source) { $0 }, count: nil) }
  }

  /// This sequence, subscribed to again when it fails, `maxAttemptCount` times in all; then it fails with the last
  /// error. Completes at once if that is not positive (RxSwift's `retry(_:)`).
  public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
    .catch(sequence: Swift.repeatElement(asObservable(), count: max(0, maxAttemptCount)))
  }
}

extension ObservableType {
  /// This sequence, or `default` if it completes without an element (RxSwift's `ifEmpty(default:)`).
  public func ifEmpty(default: Element) -> Observable<Element> {
    ifEmpty(switchTo: .just(`default`))
  }

  /// This sequence, or `other` if it completes without an element (RxSwift's `ifEmpty(switchTo:)`).
  public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
    let source = asObservable()
    return OperatorProducer { downstream in
      FallbackSink(downstream, ifEmpty: other).connect(source)
    }
  }
}

/// Passes its source's events on, and when that has failed or has completed without an element, another sequence's
/// instead, if there is one for this case.
///
/// `@unchecked Sendable`: only the source touches `isEmpty`, from one thread at a time.
private final class FallbackSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let ifFailed: (@Sendable (any Error) throws -> Observable<Element>)?
  private let ifEmpty: Observable<Element>?
  private let sourceSubscription = SingleAssignmentDisposable()
  private let otherSubscription = SingleAssignmentDisposable()
  private var isEmpty = true

  init(
    _ downstream: Sink<Element>, ifFailed: (@Sendable (any Error) throws -> Observable<Element>)? = nil,
    ifEmpty: Observable<Element>? = nil
  ) {
    self.ifFailed = ifFailed
    self.ifEmpty = ifEmpty
    super.init(downstream)
  }

  func connect(_ source: Observable<Element>) -> Self {
    sourceSubscription.setDisposable(source.subscribe(self))
    setUpstream(Disposables.create(sourceSubscription, otherSubscription))
    return self
  }

  override func next(_ element: Element) {
    isEmpty = false
    downstream.next(element)
  }

  override func error(_ error: any Error) {
    guard !isDisposed else { return }
    guard let ifFailed else { return downstream.error(error) }
    do {
      goOn(with: try ifFailed(error))
    } catch {
      finish(error)
    }
  }

  override func completed() {
    guard !isDisposed else { return }
    guard isEmpty, let ifEmpty else { return downstream.completed() }
    goOn(with: ifEmpty)
  }

  private func goOn(with other: Observable<Element>) {
    // RxSwift's order: the new sequence is subscribed to before the one that has ended is disposed of.
    otherSubscription.setDisposable(other.subscribe(downstream))
    sourceSubscription.dispose()
  }
}
