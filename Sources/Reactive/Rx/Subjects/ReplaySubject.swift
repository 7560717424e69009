/// Remembers elements: sends them to each new subscription, then every event, even after its end (RxSwift's
/// `ReplaySubject`).
///
/// Events may be sent from any thread; each subscription receives them one at a time.
public final class ReplaySubject<Element: Sendable>: Observable<Element>, SubjectType, ObserverType, Cancelable,
  @unchecked Sendable
{
  /// The observer of a subject is the subject.
  public typealias SubjectObserverType = ReplaySubject<Element>

  private let core: SubjectCore<Element>

  private init(limit: Int) {
    core = SubjectCore(replay: limit, replaysAfterEnd: true)
  }

  /// A subject that remembers the last `bufferSize` elements.
  public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    ReplaySubject(limit: max(bufferSize, 0))
  }

  /// A subject that remembers everything.
  public static func createUnbounded() -> ReplaySubject<Element> {
    ReplaySubject(limit: .max)
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
  public func asObserver() -> ReplaySubject<Element> {
    self
  }

  /// Lets go of the elements and all subscriptions without an event; later ones fail with `RxError.disposed`.
  public func dispose() {
    core.dispose()
  }

  override func subscribe(_ sink: Sink<Element>) -> any Disposable {
    core.subscribe(sink)
  }
}
