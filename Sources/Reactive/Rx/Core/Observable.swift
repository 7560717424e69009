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

  /// Connects `sink` to this sequence and returns what disconnects it. Every kind of observable overrides this or,
  /// if it is a ``Producer``, `run`.
  func subscribe(_ sink: Sink<Element>) -> any Disposable {
    preconditionFailure("an observable overrides subscribe or run")
  }
}

/// An observable whose subscriptions start on the current thread's trampoline, as RxSwift's `Producer`: whatever
/// schedules on ``CurrentThreadScheduler`` while the chain is being built runs after it has been built.
///
/// `@unchecked Sendable`: subclasses store `Sendable` values that never change, or have a lock.
class Producer<Element: Sendable>: Observable<Element>, @unchecked Sendable {
  override final func subscribe(_ sink: Sink<Element>) -> any Disposable {
    let trampoline = Trampoline.current
    if trampoline.isRunning {
      return run(sink)
    }
    return trampoline.start { run(sink) }
  }

  /// Builds this stage's sink, subscribes it to the source, and returns what disposes it.
  func run(_ downstream: Sink<Element>) -> any Disposable {
    preconditionFailure("a producer overrides run")
  }
}
