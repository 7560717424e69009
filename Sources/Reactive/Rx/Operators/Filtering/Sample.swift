extension ObservableType {
  /// At each element of `sampler`, and when it completes, the latest element of this sequence since the last time, or
  /// else `defaultValue` if there is one. Ends with the first tick after this sequence has completed (RxSwift's
  /// `sample(_:defaultValue:)`).
  public func sample<Source: ObservableType>(
    _ sampler: Source, defaultValue: Element? = nil
  ) -> Observable<Element> {
    let (source, sampler) = (asObservable(), sampler.asObservable())
    return OperatorProducer { downstream in
      SampleSink(downstream, defaultValue: defaultValue).connect(source, sampler)
    }
  }
}

/// `@unchecked Sendable`: see ``LockedSink``.
private final class SampleSink<Element: Sendable>: LockedSink<Element, Element>, @unchecked Sendable {
  private let defaultValue: Element?
  private let sourceSubscription = SingleAssignmentDisposable()
  private var latest: Element?
  private var isSourceDone = false

  init(_ downstream: Sink<Element>, defaultValue: Element?) {
    self.defaultValue = defaultValue
    super.init(downstream)
  }

  func connect<Tick: Sendable>(_ source: Observable<Element>, _ sampler: Observable<Tick>) -> Self {
    sourceSubscription.setDisposable(source.subscribe(self))
    let samplerSubscription = observe(sampler) { event in
      if case .error(let error) = event { self.finish(error) } else { self.tick() }
    }
    setUpstream(Disposables.create(sourceSubscription, samplerSubscription))
    return self
  }

  override func receive(_ element: Element) {
    latest = element
  }

  override func receiveCompleted() {
    isSourceDone = true
    sourceSubscription.dispose()
  }

  private func tick() {
    if let element = latest.take() ?? defaultValue { downstream.next(element) }
    if isSourceDone, !isDisposed { finish() }
  }
}
