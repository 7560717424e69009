extension ObservableType {
  /// This sequence, subscribed to again after an error as soon as the sequence that `notificationHandler` has made of
  /// the errors sends an element. When that completes or fails instead, so does the result. An error of another type
  /// than `Failure` ends the result (RxSwift's `retry(when:)`).
  public func retry<Trigger: ObservableType, Failure: Swift.Error>(
    when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
  ) -> Observable<Element> {
    retry(when: notificationHandler) { $0 as? Failure }
  }

  /// This sequence, subscribed to again after an error as soon as the sequence that `notificationHandler` has made of
  /// the errors sends an element. When that completes or fails instead, so does the result (RxSwift's `retry(when:)`).
  public func retry<Trigger: ObservableType>(
    when notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> Trigger
  ) -> Observable<Element> {
    retry(when: notificationHandler) { $0 }
  }

  private func retry<Trigger: ObservableType, Failure: Sendable>(
    when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger,
    cast: @escaping @Sendable (any Swift.Error) -> Failure?
  ) -> Observable<Element> {
    let source = asObservable()
    return Producer { downstream in
      RetryWhenSink(downstream, source, cast: cast).connect(notificationHandler)
    }
  }
}

/// `@unchecked Sendable`: `state` is a lock and `steps` is atomic; the rest never changes.
private final class RetryWhenSink<Element: Sendable, Failure: Sendable>: OperatorSink<Element, Element>,
  @unchecked Sendable
{
  private enum State: Sendable {
    /// The source goes on.
    case running
    /// The source has failed.
    case waiting
    /// The triggers have ended, in this way.
    case ended(Event<Never>)
  }

  private let source: Observable<Element>
  private let cast: @Sendable (any Error) -> Failure?
  private let errors = PublishSubject<Failure>()
  private let subscription = SerialDisposable()
  private let steps = SerialSteps()
  private let state = Locked(State.running)

  init(_ downstream: Sink<Element>, _ source: Observable<Element>, cast: @escaping @Sendable (any Error) -> Failure?) {
    self.source = source
    self.cast = cast
    super.init(downstream)
  }

  func connect<Trigger: ObservableType>(_ notificationHandler: (Observable<Failure>) -> Trigger) -> Self {
    let triggers = SideSink<Trigger.Element> { event in
      switch event {
      case .next: self.retry()
      case .error(let error): self.end(.error(error))
      case .completed: self.end(.completed)
      }
    }
    triggers.setUpstream(notificationHandler(errors).asObservable().subscribe(triggers))
    steps.run(subscribe)
    setUpstream(Disposables.create(subscription, triggers))
    return self
  }

  override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }

  override func error(_ error: any Error) {
    guard !isDisposed else { return }
    guard let failure = cast(error) else { return finish(error) }
    subscription.disposable = Disposables.create()
    let end: Event<Never>? = state.withLock { state in
      if case .ended(let event) = state { return event }
      state = .waiting
      return nil
    }
    if let end { finish(end) } else { errors.onNext(failure) }
  }

  override func completed() {
    if !isDisposed { finish() }
  }

  private func subscribe() {
    guard !isDisposed else { return }
    let current = SingleAssignmentDisposable()
    subscription.disposable = current
    current.setDisposable(source.subscribe(self))
  }

  private func retry() {
    guard isWaiting(then: nil) else { return }
    // Until this runs the source counts as failed: triggers that end meanwhile end the result, as in RxSwift.
    steps.run {
      if isWaiting(then: .running) { subscribe() }
    }
  }

  private func isWaiting(then next: State?) -> Bool {
    state.withLock { state in
      guard case .waiting = state else { return false }
      if let next { state = next }
      return true
    }
  }

  private func end(_ event: Event<Never>) {
    let wasWaiting = state.withLock { state in
      defer { state = .ended(event) }
      if case .waiting = state { return true }
      return false
    }
    if wasWaiting { finish(event) }
  }

  private func finish(_ end: Event<Never>) {
    if let error = end.error { finish(error) } else { finish() }
  }
}
