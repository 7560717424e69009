/// A sequence of events with its origin erased: what every operator takes and returns (RxSwift's `Observable`).
///
/// `@unchecked Sendable`: an observable is immutable; a subclass that is not (subjects) guards its own state.
public class Observable<Element: Sendable>: ObservableType, @unchecked Sendable {
  init() {
    Resources.created()
  }

  deinit {
    Resources.destroyed()
  }

  /// Subscribes `observer` to this sequence.
  public final func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    ObserverSink(observer.asObserver()).connect(self)
  }

  /// This sequence.
  public final func asObservable() -> Observable<Element> {
    self
  }

  /// Connects `sink` to this sequence and returns what disconnects it. Every kind of observable overrides
  /// this.
  func subscribe(_ sink: Sink<Element>) -> any Disposable {
    preconditionFailure("an observable overrides subscribe")
  }
}

/// An observable whose subscriptions start on the current thread's trampoline, as RxSwift's `Producer`: whatever
/// schedules on ``CurrentThreadScheduler`` while the chain is being built runs after it has been built.
///
/// `@unchecked Sendable`: `build` is `@Sendable` and never changes. The one subclass adds only what never changes.
class Producer<Element: Sendable>: Observable<Element>, @unchecked Sendable {
  private let isImmediate: Bool
  private let build: @Sendable (Sink<Element>) -> any Disposable

  /// - Parameters:
  ///   - isImmediate: Whether a subscription starts without the trampoline.
  ///   - build: Makes a sink before the one it is given, subscribes it to its sources, and returns it.
  init(isImmediate: Bool = false, _ build: @escaping @Sendable (Sink<Element>) -> any Disposable) {
    self.isImmediate = isImmediate
    self.build = build
  }

  override final func subscribe(_ sink: Sink<Element>) -> any Disposable {
    if isImmediate { return build(sink) }
    let trampoline = Trampoline.current
    return trampoline.isRunning ? build(sink) : trampoline.start { build(sink) }
  }
}
