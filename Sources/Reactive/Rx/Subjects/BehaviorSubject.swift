/// Has a value: sends the newest one to each new subscription, then every event (RxSwift's `BehaviorSubject`).
///
/// Events may be sent from any thread; each subscription receives them one at a time. ``value()`` shows an element as
/// soon as it was sent.
public final class BehaviorSubject<Element: Sendable>: Observable<Element>, SubjectType, Cancelable, ObserverType,
  @unchecked Sendable
{
  /// The observer of a subject is the subject.
  public typealias SubjectObserverType = BehaviorSubject<Element>

  let core: SubjectCore<Element>

  /// A subject with a first value.
  public init(value: Element) {
    core = SubjectCore(replay: 1, announces: true, first: value)
  }

  // A subscription holds the core, and the core its sinks: they go with the subject, not with the last handle.
  deinit {
    core.dispose()
  }

  /// Whether anybody is subscribed.
  public var hasObservers: Bool {
    core.hasObservers
  }

  /// Whether `dispose()` was called.
  public var isDisposed: Bool {
    core.isDisposed
  }

  /// The newest value. Throws the error that ended the subject, and `RxError.disposed` after `dispose()`.
  public func value() throws -> Element {
    guard let value = try core.latest() else { throw RxError.unknown }
    return value
  }

  /// Sends `event` to all subscriptions.
  @inlinable
  public func on(_ event: Event<Element>) {
    // Inlined where the element's type is known, which takes an event apart much faster.
    switch event {
    case .next(let element): onNext(element)
    case .error(let error): onError(error)
    case .completed: onCompleted()
    }
  }

  /// Sends `next(element)` to all subscriptions.
  public func onNext(_ element: Element) {
    core.next(element)
  }

  /// Sends `error(error)` to all subscriptions; nothing follows.
  public func onError(_ error: any Swift.Error) {
    core.end(.error(error))
  }

  /// Sends `completed` to all subscriptions; nothing follows.
  public func onCompleted() {
    core.end(.completed)
  }

  /// This subject.
  public func asObserver() -> BehaviorSubject<Element> {
    self
  }

  /// Lets go of the value and all subscriptions without an event; later ones fail with `RxError.disposed`.
  public func dispose() {
    core.dispose()
  }

  override func subscribe(_ sink: Sink<Element>) -> any Disposable {
    core.subscribe(sink)
  }
}
