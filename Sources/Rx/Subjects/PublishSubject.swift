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

  /// Whether anybody is subscribed.
  public var hasObservers: Bool {
    core.hasObservers
  }

  /// Whether `dispose()` was called.
  public var isDisposed: Bool {
    core.isDisposed
  }

  /// Sends `event` to all subscriptions.
  public func on(_ event: Event<Element>) {
    core.on(event)
  }

  /// Sends `next(element)` to all subscriptions.
  public func onNext(_ element: Element) {
    core.next(element)
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
