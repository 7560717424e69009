/// A sequence of events with its origin erased: what every operator takes and returns (RxSwift).
///
/// `@unchecked Sendable`: it never changes; a subject's core has a lock of its own.
public class Observable<Element: Sendable>: ObservableType, @unchecked Sendable {
  typealias Connect = @Sendable (Sink<Element>) -> any Disposable

  private let connect: Connect
  private let isImmediate: Bool
  /// The sequences that follow one another in this one, if it is nothing else.
  let succession: Succession<Element>?

  /// A sequence whose subscriptions start on the current thread's trampoline, as those of RxSwift's `Producer`:
  /// whatever schedules on ``CurrentThreadScheduler`` while the chain is being built runs after it has been built.
  /// `connect` subscribes to the sources and returns what ends that. `isImmediate` does without the trampoline.
  init(isImmediate: Bool = false, succession: Succession<Element>? = nil, _ connect: @escaping Connect) {
    self.connect = connect
    self.isImmediate = isImmediate
    self.succession = succession
    Resources.created()
  }

  deinit { Resources.destroyed() }

  /// Subscribes `observer` to this sequence.
  public final func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { EndSink(observer.asObserver()).connect(self) }

  /// This sequence.
  public final func asObservable() -> Observable<Element> { self }

  /// Connects `sink` to this sequence and returns what disconnects it.
  final func subscribe(_ sink: Sink<Element>) -> any Disposable {
    if isImmediate { return connect(sink) }
    let trampoline = CurrentThread.trampoline
    return trampoline.isRunning ? connect(sink) : trampoline.start { connect(sink) }
  }
}
