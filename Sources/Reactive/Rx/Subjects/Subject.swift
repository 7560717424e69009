/// Something that is an observable sequence and an observer (RxSwift).
public protocol SubjectType<Element>: ObservableType {
  /// The type of the observer.
  associatedtype Observer: ObserverType = Self

  /// The observer that feeds this subject.
  func asObserver() -> Observer
}

extension SubjectType where Self: ObserverType, Observer == Self {
  /// This subject.
  public func asObserver() -> Self { self }
}

/// What ``PublishSubject``, ``BehaviorSubject``, ``ReplaySubject`` and ``AsyncSubject`` have in common.
///
/// Events may be sent from any thread; each subscription receives them one at a time. An event that comes while another
/// thread's is being delivered is delivered by that thread, right after it, so a receiver must not wait for it. When the
/// subject goes, its subscriptions go with it, without an event; <doc:ComingFromRxSwift> says through which operators.
///
/// `@unchecked Sendable`: `core` never changes, and guards its own state with a lock. The subclasses add no state.
public class Subject<Element: Sendable>: Observable<Element>, ObserverType, Cancelable, @unchecked Sendable {
  final let core: SubjectCore<Element>

  init(_ core: SubjectCore<Element>) {
    self.core = core
    super.init(isImmediate: true) { core.subscribe($0) }
  }

  // A subscription holds the core, and the core its sinks.
  deinit { core.dispose(isGone: true) }

  /// Whether there is a subscription.
  public final var hasObservers: Bool { core.hasObservers }

  /// Whether `dispose()` was called.
  public final var isDisposed: Bool { core.isDisposed }

  /// Sends `event` to all subscriptions.
  public final func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): core.next(element)
    case .error(let error): core.end(.error(error))
    case .completed: core.end(.completed)
    }
  }

  /// Sends `next(element)` to all subscriptions.
  public final func onNext(_ element: Element) { core.next(element) }

  /// Lets go of the elements and of all subscriptions without an event; later ones fail with `RxError.disposed`.
  public final func dispose() { core.dispose() }
}

/// Sends every event to the observers subscribed at that moment (RxSwift).
public final class PublishSubject<Element: Sendable>: Subject<Element>, SubjectType, @unchecked Sendable {
  /// A subject without subscriptions.
  public init() { super.init(SubjectCore()) }
}

/// Has a value: sends the newest one to each new subscription, then every event (RxSwift).
///
/// ``value()`` shows an element as soon as it was sent.
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
}

/// Remembers elements: sends them to each new subscription, then every event, even after its end (RxSwift).
public final class ReplaySubject<Element: Sendable>: Subject<Element>, SubjectType, @unchecked Sendable {
  private init(limit: Int) { super.init(SubjectCore(replay: limit, replaysAfterEnd: true)) }

  /// A subject that remembers the last `bufferSize` elements.
  public static func create(bufferSize: Int) -> ReplaySubject<Element> { ReplaySubject(limit: max(bufferSize, 0)) }

  /// A subject that remembers everything.
  public static func createUnbounded() -> ReplaySubject<Element> { ReplaySubject(limit: .max) }
}

/// Sends its last element when it completes, to later subscriptions too; only the error if it fails (RxSwift).
public final class AsyncSubject<Element: Sendable>: Subject<Element>, SubjectType, @unchecked Sendable {
  /// A subject without subscriptions.
  public init() { super.init(SubjectCore(replay: 1, replaysAfterEnd: true, sendsAtEnd: true)) }
}
