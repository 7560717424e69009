/// An observer of elements of one type with its own type erased (RxSwift's `AnyObserver`).
public struct AnyObserver<Element: Sendable>: ObserverType {
  /// A function that receives events.
  public typealias EventHandler = @Sendable (Event<Element>) -> Void

  let sink: Sink<Element>

  /// An observer that calls `eventHandler` with every event.
  public init(eventHandler: @escaping EventHandler) {
    sink = HandlerSink(eventHandler)
  }

  /// An observer that passes every event to `observer`.
  public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
    sink = (observer as? AnyObserver<Element>)?.sink ?? HandlerSink { observer.on($0) }
  }

  init(sink: Sink<Element>) {
    self.sink = sink
  }

  /// Passes `event` on.
  public func on(_ event: Event<Element>) {
    sink.on(event)
  }

  /// Passes `next(element)` on.
  public func onNext(_ element: Element) {
    sink.next(element)
  }

  /// This observer.
  public func asObserver() -> AnyObserver<Element> {
    self
  }
}

extension ObserverType {
  /// This observer with its type erased.
  public func asObserver() -> AnyObserver<Element> {
    AnyObserver(self)
  }

  /// An observer of another type that passes what `transform` makes of each element to this one. What
  /// `transform` throws becomes an `error` event.
  public func mapObserver<Result: Sendable>(
    _ transform: @escaping @Sendable (Result) throws -> Element
  ) -> AnyObserver<Result> {
    AnyObserver { self.on($0.map(transform)) }
  }
}

/// Passes every event to a closure, terminal or not, as the closure's owner keeps the grammar itself.
final class HandlerSink<Element: Sendable>: Sink<Element>, @unchecked Sendable {
  private let handler: AnyObserver<Element>.EventHandler

  init(_ handler: @escaping AnyObserver<Element>.EventHandler) {
    self.handler = handler
  }

  override func next(_ element: Element) {
    handler(.next(element))
  }

  override func error(_ error: any Error) {
    handler(.error(error))
  }

  override func completed() {
    handler(.completed)
  }
}
