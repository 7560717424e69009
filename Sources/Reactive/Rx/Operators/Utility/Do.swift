extension ObservableType {
  /// The same sequence with side effects. What a closure throws ends the sequence (RxSwift's `do`).
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
    let effects = Effects(
      onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError, onCompleted: onCompleted,
      afterCompleted: afterCompleted)
    let source = asObservable()
    return Producer { downstream in
      onSubscribe?()
      let sink = DoSink(downstream, effects)
      let subscription = source.subscribe(sink)
      onSubscribed?()
      sink.setUpstream(
        Disposables.create {
          sink.whenSent {
            subscription.dispose()
            onDispose?()
          }
        })
      return sink
    }
  }
}

private struct Effects<Element: Sendable>: Sendable {
  let onNext: (@Sendable (Element) throws -> Void)?
  let afterNext: (@Sendable (Element) throws -> Void)?
  let onError: (@Sendable (any Error) throws -> Void)?
  let afterError: (@Sendable (any Error) throws -> Void)?
  let onCompleted: (@Sendable () throws -> Void)?
  let afterCompleted: (@Sendable () throws -> Void)?
}

/// `@unchecked Sendable`: `disposal` is a lock, the rest is immutable.
private final class DoSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private enum Disposal: Sendable {
    case immediate
    case held
    case pending(@Sendable () -> Void)
  }

  private let effects: Effects<Element>
  private let disposal = Locked(Disposal.immediate)

  init(_ downstream: Sink<Element>, _ effects: Effects<Element>) {
    self.effects = effects
    super.init(downstream)
  }

  override func next(_ element: Element) {
    guard !isDisposed else { return }
    do {
      try effects.onNext?(element)
      downstream.next(element)
      try effects.afterNext?(element)
    } catch {
      finish(error)
    }
  }

  override func error(_ error: any Error) {
    guard !isDisposed else { return }
    end {
      try effects.onError?(error)
      downstream.error(error)
      try effects.afterError?(error)
    }
  }

  override func completed() {
    guard !isDisposed else { return }
    end {
      try effects.onCompleted?()
      downstream.completed()
      try effects.afterCompleted?()
    }
  }

  private func end(_ send: () throws -> Void) {
    // The subscriber disposes the chain on a terminal event. Right above it, RxSwift calls the `after` closures before
    // that. Further up, the stage below has already disposed of this one.
    if downstream is EndSink<Element> { disposal.withLock { $0 = .held } }
    do {
      try send()
    } catch {
      downstream.error(error)
    }
    let action = disposal.withLock { disposal -> (@Sendable () -> Void)? in
      defer { disposal = .immediate }
      return if case .pending(let action) = disposal { action } else { nil }
    }
    action?()
    dispose()
  }

  /// Calls `action`, now or when the terminal event and its `after` closure are done.
  func whenSent(_ action: @escaping @Sendable () -> Void) {
    let isHeld = disposal.withLock { disposal in
      guard case .held = disposal else { return false }
      disposal = .pending(action)
      return true
    }
    if !isHeld { action() }
  }
}
