/// Has a value: sends the newest one to each new subscription, then every one that is accepted; never ends (RxRelay's
/// `BehaviorRelay`).
public final class BehaviorRelay<Element: Sendable>: ObservableType {
  private let core: SubjectCore<Element>
  private let sequence: Observable<Element>
  private let initial: Element

  /// A relay with a first value.
  public init(value: Element) {
    initial = value
    let subject = BehaviorSubject(value: value)
    core = subject.core
    sequence = subject
  }

  /// The newest value.
  public var value: Element {
    // A relay's subject neither fails nor is disposed, so there always is a newest value.
    (try? core.latest()) ?? initial
  }

  /// Makes `event` the value and sends it to all subscriptions. May be called from any thread.
  public func accept(_ event: Element) {
    core.next(event)
  }

  /// Subscribes `observer`; it receives elements only.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    sequence.subscribe(observer)
  }

  /// The relay as a sequence.
  public func asObservable() -> Observable<Element> {
    sequence
  }
}
