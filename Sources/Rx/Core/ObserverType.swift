/// Something that receives the events of a sequence (RxSwift's `ObserverType`).
public protocol ObserverType<Element>: Sendable {
  /// The type of the elements received.
  associatedtype Element: Sendable

  /// Receives one event. May be called on any thread; a sequence never calls it twice at the same time.
  func on(_ event: Event<Element>)
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
}
