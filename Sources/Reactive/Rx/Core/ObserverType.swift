/// Something that receives the events of a sequence (RxSwift).
public protocol ObserverType<Element>: BindingTarget {
  /// Receives one event. May be called on any thread; a sequence never calls it twice at the same time.
  func on(_ event: Event<Element>)

  /// Receives an element; the same as `on(.next(element))`.
  func onNext(_ element: Element)

  /// Receives the end of the sequence; the same as `on(.completed)`.
  func onCompleted()

  /// Receives the error that ended the sequence; the same as `on(.error(error))`.
  func onError(_ error: any Swift.Error)

  /// This observer with its type erased.
  func asObserver() -> AnyObserver<Element>
}

extension ObserverType {
  /// Sends `next(element)`.
  public func onNext(_ element: Element) { on(.next(element)) }

  /// Sends `completed`.
  public func onCompleted() { on(.completed) }

  /// Sends `error(error)`.
  public func onError(_ error: any Swift.Error) { on(.error(error)) }

  /// This observer with its type erased.
  public func asObserver() -> AnyObserver<Element> {
    let sink = ClosureSink<Element>(
      onNext: { self.onNext($1) },
      onEnd: { if let error = $1 { self.onError(error) } else { self.onCompleted() } })
    return AnyObserver(sink: sink)
  }
}

/// An observer of elements of one type with its own type erased (RxSwift).
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

  init(sink: Sink<Element>) { self.sink = sink }

  /// Passes `event` on.
  public func on(_ event: Event<Element>) { sink.on(event) }

  /// Passes `next(element)` on.
  public func onNext(_ element: Element) { sink.next(element) }

  /// This observer.
  public func asObserver() -> AnyObserver<Element> { self }
}

extension ObserverType {
  /// An observer that passes the results of `transform` to this one; its error becomes an `error` event.
  public func mapObserver<Result: Sendable>(
    _ transform: @escaping @Sendable (Result) throws -> Element
  ) -> AnyObserver<Result> {
    AnyObserver { self.on($0.map(transform)) }
  }
}
