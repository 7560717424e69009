/// An observer of elements of one type with its own type erased (RxSwift's `AnyObserver`).
public struct AnyObserver<Element: Sendable>: ObserverType {
  /// A function that receives events.
  public typealias EventHandler = @Sendable (Event<Element>) -> Void

  let sink: Sink<Element>

  /// An observer that calls `eventHandler` with every event.
  public init(eventHandler: @escaping EventHandler) {
    sink = ClosureSink(onNext: { eventHandler(.next($1)) }, onEnd: { eventHandler(Event(end: $1)) })
  }

  /// An observer that passes every event to `observer`.
  public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
    self = observer.asObserver()
  }

  init(sink: Sink<Element>) {
    self.sink = sink
  }

  /// Passes `event` on.
  public func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): onNext(element)
    case .error(let error): onError(error)
    case .completed: onCompleted()
    }
  }

  /// Passes `next(element)` on.
  public func onNext(_ element: Element) {
    sink.next(element)
  }

  /// Passes `completed` on.
  public func onCompleted() {
    sink.completed()
  }

  /// Passes `error(error)` on.
  public func onError(_ error: any Swift.Error) {
    sink.error(error)
  }

  /// This observer.
  public func asObserver() -> AnyObserver<Element> {
    self
  }
}

extension ObserverType {
  /// An observer of another type that passes what `transform` makes of each element to this one. What
  /// `transform` throws becomes an `error` event.
  public func mapObserver<Result: Sendable>(
    _ transform: @escaping @Sendable (Result) throws -> Element
  ) -> AnyObserver<Result> {
    AnyObserver { self.on($0.map(transform)) }
  }
}
