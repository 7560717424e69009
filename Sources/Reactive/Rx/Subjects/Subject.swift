/// Something that is an observable sequence and an observer (RxSwift's `SubjectType`).
public protocol SubjectType<Element>: ObservableType {
  /// The type of the observer.
  associatedtype Observer: ObserverType

  /// The observer that feeds this subject.
  func asObserver() -> Observer
}

/// What ``PublishSubject``, ``BehaviorSubject``, ``ReplaySubject`` and ``AsyncSubject`` have in common.
///
/// Events may be sent from any thread; each subscription receives them one at a time. An event that comes while another
/// thread's is being delivered is delivered by that thread, right after it. When the subject goes, its subscriptions go
/// with it, without an event; <doc:ComingFromRxSwift> says through which operators.
///
/// `@unchecked Sendable`: `core` never changes, and guards its own state with a lock.
public class Subject<Element: Sendable>: Observable<Element>, ObserverType, Cancelable, @unchecked Sendable {
  final let core: SubjectCore<Element>

  init(_ core: SubjectCore<Element>) {
    self.core = core
    super.init(isImmediate: true) { core.subscribe($0) }
  }

  // A subscription holds the core, and the core its sinks.
  deinit {
    core.dispose(isGone: true)
  }

  /// Whether there is a subscription.
  public final var hasObservers: Bool {
    core.hasObservers
  }

  /// Whether `dispose()` was called.
  public final var isDisposed: Bool {
    core.isDisposed
  }

  /// Sends `event` to all subscriptions.
  public final func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): core.next(element)
    case .error(let error): core.end(.error(error))
    case .completed: core.end(.completed)
    }
  }

  /// Sends `next(element)` to all subscriptions.
  public final func onNext(_ element: Element) {
    core.next(element)
  }

  /// Sends `error(error)` to all subscriptions; nothing follows.
  public final func onError(_ error: any Swift.Error) {
    core.end(.error(error))
  }

  /// Sends `completed` to all subscriptions; nothing follows.
  public final func onCompleted() {
    core.end(.completed)
  }

  /// Lets go of the elements and of all subscriptions without an event; later ones fail with `RxError.disposed`.
  public final func dispose() {
    core.dispose()
  }
}

/// Sends every event to the observers subscribed at that moment (RxSwift's `PublishSubject`).
///
/// `@unchecked Sendable`: it adds no state to ``Subject``.
public final class PublishSubject<Element: Sendable>: Subject<Element>, SubjectType, @unchecked Sendable {
  /// A subject without subscriptions.
  public init() {
    super.init(SubjectCore())
  }

  /// This subject.
  public func asObserver() -> PublishSubject<Element> {
    self
  }
}

/// Has a value: sends the newest one to each new subscription, then every event (RxSwift's `BehaviorSubject`).
///
/// ``value()`` shows an element as soon as it was sent.
///
/// `@unchecked Sendable`: it adds no state to ``Subject``.
public final class BehaviorSubject<Element: Sendable>: Subject<Element>, SubjectType, @unchecked Sendable {
  /// A subject with a first value.
  public init(value: Element) {
    let core = SubjectCore<Element>(replay: 1, announces: true)
    core.next(value)
    super.init(core)
  }

  /// The newest value. Throws the error that ended the subject, and `RxError.disposed` after `dispose()`.
  public func value() throws -> Element {
    guard let value = try core.latest() else { throw RxError.unknown }
    return value
  }

  /// This subject.
  public func asObserver() -> BehaviorSubject<Element> {
    self
  }
}

/// Remembers elements: sends them to each new subscription, then every event, even after its end (RxSwift's
/// `ReplaySubject`).
///
/// `@unchecked Sendable`: it adds no state to ``Subject``.
public final class ReplaySubject<Element: Sendable>: Subject<Element>, SubjectType, @unchecked Sendable {
  private init(limit: Int) {
    super.init(SubjectCore(replay: limit, replaysAfterEnd: true))
  }

  /// A subject that remembers the last `bufferSize` elements.
  public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    ReplaySubject(limit: max(bufferSize, 0))
  }

  /// A subject that remembers everything.
  public static func createUnbounded() -> ReplaySubject<Element> {
    ReplaySubject(limit: .max)
  }

  /// This subject.
  public func asObserver() -> ReplaySubject<Element> {
    self
  }
}

/// Sends its last element when it completes, to later subscriptions too; nothing but the error if it fails (RxSwift's
/// `AsyncSubject`).
///
/// `@unchecked Sendable`: it adds no state to ``Subject``.
public final class AsyncSubject<Element: Sendable>: Subject<Element>, SubjectType, @unchecked Sendable {
  /// A subject without subscriptions.
  public init() {
    super.init(SubjectCore(replay: 1, replaysAfterEnd: true, sendsAtEnd: true))
  }

  /// This subject.
  public func asObserver() -> AsyncSubject<Element> {
    self
  }
}
