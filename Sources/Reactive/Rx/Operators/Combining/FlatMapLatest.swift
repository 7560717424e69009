extension ObservableType {
  /// The elements of the sequence that `selector` has made of the latest element; what it throws ends the sequence
  /// (RxSwift's `flatMapLatest`).
  public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    let source = asObservable()
    return OperatorProducer { downstream in
      SwitchSink(downstream) { try selector($0).asObservable() }.connect(source)
    }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// The elements of the latest sequence (RxSwift's `switchLatest`).
  public func switchLatest() -> Observable<Element.Element> {
    flatMapLatest { $0 }
  }
}

/// `@unchecked Sendable`: `lock` guards `latest`, `isLatestActive` and `isSourceDone`.
private final class SwitchSink<Input: Sendable, Output: Sendable>: OperatorSink<Input, Output>, @unchecked Sendable {
  private let selector: @Sendable (Input) throws -> Observable<Output>
  private let lock = RecursiveLock()
  private let sourceSubscription = SingleAssignmentDisposable()
  private let innerSubscription = SerialDisposable()
  private var latest = 0
  private var isLatestActive = false
  private var isSourceDone = false

  init(_ downstream: Sink<Output>, selector: @escaping @Sendable (Input) throws -> Observable<Output>) {
    self.selector = selector
    super.init(downstream)
  }

  func connect(_ source: Observable<Input>) -> Self {
    sourceSubscription.setDisposable(source.subscribe(self))
    setUpstream(Disposables.create(sourceSubscription, innerSubscription))
    return self
  }

  override func next(_ element: Input) {
    guard let (sequence, inner) = lock.withLock({ begin(element) }) else { return }
    innerSubscription.disposable = inner
    inner.setUpstream(sequence.subscribe(inner))
  }

  // Others may still send something.
  override func sourceGone() {}

  override func error(_ error: any Error) {
    lock.withLock {
      if !isDisposed { finish(error) }
    }
  }

  override func completed() {
    lock.withLock {
      guard !isDisposed else { return }
      isSourceDone = true
      sourceSubscription.dispose()
      if !isLatestActive { finish() }
    }
  }

  private func begin(_ element: Input) -> (Observable<Output>, SideSink<Output>)? {
    guard !isDisposed else { return nil }
    do {
      let sequence = try selector(element)
      latest &+= 1
      isLatestActive = true
      let number = latest
      return (sequence, SideSink { self.receive($0, from: number) })
    } catch {
      finish(error)
      return nil
    }
  }

  private func receive(_ event: Event<Output>, from number: Int) {
    lock.withLock {
      guard latest == number, !isDisposed else { return }
      switch event {
      case .next(let element):
        downstream.next(element)
      case .error(let error):
        finish(error)
      case .completed:
        isLatestActive = false
        if isSourceDone { finish() }
      }
    }
  }
}
