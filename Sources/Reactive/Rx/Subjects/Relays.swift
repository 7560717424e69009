/// A relay: takes elements and sends them on, and neither fails nor ends.
public protocol RelayType<Element>: ObservableType, BindingTarget {
  /// Sends `event` to all subscriptions. May be called from any thread.
  func accept(_ event: Element)
}

extension RelayType {
  /// Subscribes `observer`; it receives elements only.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { asObservable().subscribe(observer) }
}

/// Sends every element to the subscribers of that moment (RxRelay).
public final class PublishRelay<Element: Sendable>: RelayType {
  private let subject: PublishSubject<Element>

  /// A relay without subscriptions.
  public init() { subject = PublishSubject() }

  /// Sends `event` to all subscriptions. May be called from any thread.
  public func accept(_ event: Element) { subject.onNext(event) }

  /// The relay as a sequence.
  public func asObservable() -> Observable<Element> { subject.asObservable() }
}

/// Has a value: sends the newest one to each new subscription, then every one that is accepted (RxRelay).
public final class BehaviorRelay<Element: Sendable>: RelayType {
  private let subject: BehaviorSubject<Element>

  /// A relay with a first value.
  public init(value: Element) { subject = BehaviorSubject(value: value) }

  /// The newest value.
  public var value: Element {
    guard let value = try? subject.value() else {
      preconditionFailure("a relay's subject neither fails nor is disposed of")
    }
    return value
  }

  /// Makes `event` the value and sends it to all subscriptions. May be called from any thread.
  public func accept(_ event: Element) { subject.onNext(event) }

  /// The relay as a sequence.
  public func asObservable() -> Observable<Element> { subject }
}

/// Remembers elements and sends them to each new subscription, then every element (RxRelay).
public final class ReplayRelay<Element: Sendable>: RelayType {
  private let subject: ReplaySubject<Element>

  private init(_ subject: ReplaySubject<Element>) { self.subject = subject }

  /// A relay that remembers the last `bufferSize` elements.
  public static func create(bufferSize: Int) -> ReplayRelay<Element> { ReplayRelay(.create(bufferSize: bufferSize)) }

  /// A relay that remembers everything.
  public static func createUnbound() -> ReplayRelay<Element> { ReplayRelay(.createUnbounded()) }

  /// Sends `event` to all subscriptions. May be called from any thread.
  public func accept(_ event: Element) { subject.onNext(event) }

  /// The relay as a sequence.
  public func asObservable() -> Observable<Element> { subject.asObservable() }
}
