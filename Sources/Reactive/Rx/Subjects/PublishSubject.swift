/// Sends every event to whoever is subscribed at that moment (RxSwift's `PublishSubject`).
///
/// Events may be sent from any thread; each subscription receives them one at a time. An event that comes while
/// another thread's is being delivered is delivered by that thread, right after it.
public final class PublishSubject<Element: Sendable>: Observable<Element>, SubjectType, Cancelable, ObserverType,
  @unchecked Sendable
{
  /// The observer of a subject is the subject.
  public typealias SubjectObserverType = PublishSubject<Element>

  private let core = SubjectCore<Element>()

  /// A subject without subscriptions.
  public override init() {}

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
  public func asObserver() -> PublishSubject<Element> {
    self
  }

  /// Lets go of all subscriptions without an event; later ones fail with `RxError.disposed`.
  public func dispose() {
    core.dispose()
  }

  override func subscribe(_ sink: Sink<Element>) -> any Disposable {
    core.subscribe(sink)
  }
}
