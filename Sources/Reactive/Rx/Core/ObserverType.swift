/// Something that receives the events of a sequence (RxSwift's `ObserverType`).
public protocol ObserverType<Element>: Sendable {
  /// The type of the elements received.
  associatedtype Element: Sendable

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
  public func onNext(_ element: Element) {
    on(.next(element))
  }

  /// Sends `completed`.
  public func onCompleted() {
    on(.completed)
  }

  /// Sends `error(error)`.
  public func onError(_ error: any Swift.Error) {
    on(.error(error))
  }

  /// This observer with its type erased.
  public func asObserver() -> AnyObserver<Element> {
    let sink = ClosureSink<Element>(
      onNext: { self.onNext($1) },
      onEnd: { if let error = $1 { self.onError(error) } else { self.onCompleted() } })
    return AnyObserver(sink: sink)
  }
}
