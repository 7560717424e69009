extension ObservableType {
  /// This sequence, subscribed to again after an error when the sequence that `notificationHandler` makes of the errors
  /// sends an element. When that completes or fails instead, so does the result. An error of another type than
  /// `Failure` ends the result (RxSwift).
  public func retry<Trigger: ObservableType, Failure: Swift.Error>(
    when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
  ) -> Observable<Element> {
    retry(when: notificationHandler) { $0 as? Failure }
  }

  /// This sequence, subscribed to again after an error when the sequence that `notificationHandler` makes of the errors
  /// sends an element. When that completes or fails instead, so does the result (RxSwift).
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
    return Observable { downstream in
      let attempts = Attempts(source)
      let errors = PublishSubject<Failure>()
      let stage = Attempts<Element>.Stage(
        downstream, (),
        onEnd: { stage, error in
          guard let error else { return stage.finish() }
          guard let failure = cast(error) else { return stage.finish(error) }
          if attempts.fail(stage) { errors.onNext(failure) }
        },
        step: { stage, element in stage.send(element) })
      let triggers = InnerSink<Trigger.Element>(beside: stage) { _ in
        attempts.retry(stage)
      } onEnd: { error in
        attempts.end(stage, Event(end: error))
      }
      triggers.setUpstream(notificationHandler(errors).asObservable().subscribe(triggers))
      attempts.begin(stage)
      stage.setUpstream(Disposables.create(attempts.subscription, triggers))
      return stage
    }
  }
}

/// The subscriptions to the source of a `retry(when:)`, one after the other.
private final class Attempts<Element: Sendable>: Sendable {
  typealias Stage = Rx.Stage<Element, Element, Void>

  private enum State: Sendable {
    /// The source goes on.
    case running
    /// The source has failed.
    case waiting
    /// The triggers have ended, in this way.
    case ended(Event<Never>)
  }

  let subscription = SerialDisposable()
  private let source: Observable<Element>
  private let steps = SerialSteps()
  private let state = Locked(State.running)

  init(_ source: Observable<Element>) { self.source = source }

  func begin(_ stage: Stage) { steps.run { subscribe(stage) } }

  /// Waits for a trigger after a failure of the source, or ends because the triggers have. Returns whether it waits.
  func fail(_ stage: Stage) -> Bool {
    subscription.disposable = Disposables.create()
    let end: Event<Never>? = state.withLock { state in
      if case .ended(let event) = state { return event }
      state = .waiting
      return nil
    }
    guard let end else { return true }
    stage.finish(end.error)
    return false
  }

  func retry(_ stage: Stage) {
    guard isWaiting(then: nil) else { return }
    // Until this runs the source counts as failed: triggers that end meanwhile end the result, as in RxSwift.
    steps.run {
      if isWaiting(then: .running) { subscribe(stage) }
    }
  }

  func end(_ stage: Stage, _ event: Event<Never>) {
    let wasWaiting = state.withLock { state in
      defer { state = .ended(event) }
      if case .waiting = state { return true }
      return false
    }
    if wasWaiting { stage.finish(event.error) }
  }

  private func subscribe(_ stage: Stage) {
    guard !stage.isCut else { return }
    let current = SingleAssignmentDisposable()
    subscription.disposable = current
    current.setDisposable(source.subscribe(stage))
  }

  private func isWaiting(then next: State?) -> Bool {
    state.withLock { state in
      guard case .waiting = state else { return false }
      if let next { state = next }
      return true
    }
  }
}
