extension ObservableType {
  /// The same sequence with side effects. An error of a closure ends the sequence (RxSwift).
  ///
  /// - Parameters:
  ///   - onNext: Called with each element, before it is sent on.
  ///   - afterNext: Called with each element, after it was sent on.
  ///   - onError: Called with the error, before it is sent on.
  ///   - afterError: Called with the error, after it was sent on.
  ///   - onCompleted: Called before the completion is sent on.
  ///   - afterCompleted: Called after the completion was sent on.
  ///   - onSubscribe: Called before the source is subscribed to.
  ///   - onSubscribed: Called after the source was subscribed to.
  ///   - onDispose: Called after the subscription to the source has ended, however it did.
  public func `do`(
    onNext: (@Sendable (Element) throws -> Void)? = nil,
    afterNext: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil,
    afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      onSubscribe?()
      let disposal = Locked(Disposal.immediate)
      let stage = Stage<Element, Element, Void>(
        downstream, (),
        onEnd: { stage, error in
          // The subscriber disposes the chain on a terminal event. Right above it, RxSwift calls the `after` closures
          // before that. Further up, the stage below has already disposed of this one.
          if downstream is EndSink<Element> { disposal.withLock { $0 = .held } }
          do {
            if let error { try onError?(error) } else { try onCompleted?() }
            downstream.end(error)
            if let error { try afterError?(error) } else { try afterCompleted?() }
          } catch {
            downstream.error(error)
          }
          let action = disposal.withLock { disposal -> (@Sendable () -> Void)? in
            defer { disposal = .immediate }
            return if case .pending(let action) = disposal { action } else { nil }
          }
          action?()
          stage.dispose()
        },
        step: { stage, element in
          try onNext?(element)
          stage.send(element)
          try afterNext?(element)
        })
      let subscription = source.subscribe(stage)
      onSubscribed?()
      let action: @Sendable () -> Void = {
        subscription.dispose()
        onDispose?()
      }
      stage.setUpstream(
        Disposables.create {
          let isHeld = disposal.withLock { disposal in
            guard case .held = disposal else { return false }
            disposal = .pending(action)
            return true
          }
          if !isHeld { action() }
        })
      return stage
    }
  }
}

/// When the subscription to the source is disposed of: not before the `after` closure of a terminal event was called.
private enum Disposal: Sendable {
  case immediate
  case held
  case pending(@Sendable () -> Void)
}
