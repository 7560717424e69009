import Synchronization

extension ObservableType {
  /// A sequence that `subscribe` produces, anew for every subscription (RxSwift's `create`).
  ///
  /// The observer may be called from any thread: events that come while another one is being delivered wait their
  /// turn, and whatever comes after a terminal event or disposal is dropped.
  ///
  /// - Parameter subscribe: Called with the observer for each subscription; what it returns is disposed when the
  ///   subscription ends.
  public static func create(
    _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
  ) -> Observable<Element> {
    Create(subscribe)
  }
}

private final class Create<Element: Sendable>: Producer<Element>, @unchecked Sendable {
  private let handler: @Sendable (AnyObserver<Element>) -> any Disposable

  init(_ handler: @escaping @Sendable (AnyObserver<Element>) -> any Disposable) {
    self.handler = handler
  }

  override func run(_ downstream: Sink<Element>) -> any Disposable {
    let sink = CreateSink(downstream)
    sink.setUpstream(handler(AnyObserver(sink: sink)))
    return sink
  }
}

private final class CreateSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let gate = SerialGate()
  private var isStopped = false

  override func next(_ element: Element) {
    guard !isDisposed else { return }
    let thread = SerialGate.currentThread
    switch gate.enter(thread) {
    case .entered:
      break
    case .reentered:
      if !isStopped { downstream.next(element) }
      return
    case .occupied:
      guard gate.enterOrDefer(thread, { self.deliver(.next(element)) }) else { return }
    }
    if !isStopped { downstream.next(element) }
    gate.leave(thread)
  }

  override func error(_ error: any Error) {
    end(.error(error))
  }

  override func completed() {
    end(.completed)
  }

  private func end(_ event: Event<Element>) {
    guard !isDisposed else { return }
    let thread = SerialGate.currentThread
    switch gate.enter(thread) {
    case .entered: break
    case .reentered: return deliver(event)
    case .occupied: guard gate.enterOrDefer(thread, { self.deliver(event) }) else { return }
    }
    deliver(event)
    gate.leave(thread)
  }

  private func deliver(_ event: Event<Element>) {
    guard !isStopped, !isDisposed else { return }
    if case .next(let element) = event { return downstream.next(element) }
    isStopped = true
    downstream.on(event)
    dispose()
  }
}
