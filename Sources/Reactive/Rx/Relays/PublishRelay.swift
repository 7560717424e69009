/// Sends every element to whoever is subscribed at that moment; never ends
/// (RxRelay's `PublishRelay`).
public final class PublishRelay<Element: Sendable>: ObservableType {
  private let subject: PublishSubject<Element>

  /// A relay without subscriptions.
  public init() {
    subject = PublishSubject()
  }

  /// Sends `event` to all subscriptions. May be called from any thread.
  public func accept(_ event: Element) {
    subject.onNext(event)
  }

  /// Subscribes `observer`; it receives elements only.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    subject.subscribe(observer)
  }

  /// The relay as a sequence.
  public func asObservable() -> Observable<Element> {
    subject.asObservable()
  }
}
