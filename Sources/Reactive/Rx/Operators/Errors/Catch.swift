extension ObservableType {
  /// This sequence, and after an error the one that `handler` makes of it. Its error ends the result (RxSwift).
  public func `catch`(
    _ handler: @escaping @Sendable (any Swift.Error) throws -> Observable<Element>
  ) -> Observable<Element> {
    replacingEnd((), with: { error, _ in try error.map(handler) }, step: { $0.send($1) })
  }

  /// This sequence, and if it fails, `element` and completion instead (RxSwift).
  public func catchAndReturn(_ element: Element) -> Observable<Element> { self.catch { _ in .just(element) } }

  /// The first sequence, after an error the second, and so on. Fails with the last error when all have failed
  /// (RxSwift).
  public static func `catch`<Sources: Sequence & Sendable>(sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> { Succession(.afterError, sequence).asObservable() }

  /// This sequence, subscribed to again whenever it fails, `maxAttemptCount` times in all or until it completes; then it
  /// fails with the last error. Completes at once if that is not positive (RxSwift).
  public func retry(_ maxAttemptCount: Int = .max) -> Observable<Element> {
    .catch(sequence: Swift.repeatElement(asObservable(), count: max(0, maxAttemptCount)))
  }

  /// This sequence, or `default` if it completes without an element (RxSwift).
  public func ifEmpty(default: Element) -> Observable<Element> { ifEmpty(switchTo: .just(`default`)) }

  /// This sequence, or `other` if it completes without an element (RxSwift).
  public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
    replacingEnd(true, with: { error, isEmpty in error == nil && isEmpty ? other : nil }) { stage, element in
      stage.state = false
      stage.send(element)
    }
  }

  /// This sequence, and in place of its end the sequence that `replacement` makes of its error and the state.
  private func replacingEnd<State: Sendable>(
    _ seed: State,
    with replacement: @escaping @Sendable (_ error: (any Swift.Error)?, _ state: State) throws -> Observable<Element>?,
    step: @escaping Stage<Element, Element, State>.Step
  ) -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      let first = SingleAssignmentDisposable()
      let second = SingleAssignmentDisposable()
      let stage = Stage<Element, Element, State>(
        downstream, seed,
        onEnd: { stage, error in
          guard !stage.isCut, let sequence = try replacement(error, stage.state) else { return downstream.end(error) }
          // RxSwift's order: the new sequence is subscribed to before the one that has ended is disposed of.
          second.setDisposable(sequence.subscribe(downstream))
          first.dispose()
        },
        step: step)
      first.setDisposable(source.subscribe(stage))
      stage.setUpstream(Disposables.create(first, second))
      return stage
    }
  }
}
