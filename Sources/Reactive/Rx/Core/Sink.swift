/// One stage of a running subscription: it receives a stage's events and owns the subscription upstream of it.
///
/// A subscription is a chain of sinks. Events run down it, one virtual call a stage; disposal runs up it.
///
///     source.lift { PositiveSink($0) }   // several upstreams: a Producer, and setUpstream(Disposables.create(a, b, …))
///
///     final class PositiveSink<…>: OperatorSink<Element, Element>, @unchecked Sendable {
///       override func next(_ element: Element) {
///         if element > 0 { downstream.next(element) }   // error and completed pass on by themselves
///       }
///     }
///
/// How to write an operator:
///
/// 1. **State** lives in plain `var`s of the sink. Subclass ``OperatorSink`` and override `next` (and `error`,
///    `completed` where they do not simply pass on). Prefer `next` to `on`: it costs no enum. Nothing is allocated
///    per event on the hot path.
/// 2. **Serialisation.** Every source calls its sink from one thread at a time, each call seeing what the last one
///    did, so a sink with *one* upstream needs no lock. A sink with several sources (another sequence, a timer, a
///    scheduler) holds one ``RecursiveLock`` in each entry point while it changes state *and* while it calls
///    downstream. Inner observers are small `Sink` subclasses that lock their parent.
/// 3. **Ending.** A sink that ends on its own account calls ``OperatorSink/finish()`` or
///    ``OperatorSink/finish(_:)``: they send the terminal event and dispose this stage and all upstream. Events may
///    still arrive after that (a synchronous source has not heard yet), so such a sink begins `next`, `error` and
///    `completed` with `guard !isDisposed else { return }`. Terminal events that just pass on need nothing: the last
///    sink of the chain disposes it all.
/// 4. **Disposal.** `dispose()` is idempotent, may come from any thread and at any time, even before
///    ``setUpstream(_:)``, and disposes the upstream exactly once. What must be disposed with the sink (timers,
///    inner subscriptions) is part of the argument of `setUpstream`, or an override of ``didDispose()`` ends it.
///    References to the sink from its upstream are no leak: disposal cuts them.
/// 5. Subscribe to inner sequences with `observable.subscribe(sink)`; it trampolines as RxSwift's `Producer` does.
///
/// `@unchecked Sendable`: see ``AnySink``; the subclasses' state is serialised by rule 2.
class Sink<Element: Sendable>: AnySink, @unchecked Sendable {
  /// Receives an element.
  func next(_ element: Element) {}

  /// Receives the error that ends the sequence.
  func error(_ error: any Error) {}

  /// Receives the end of the sequence.
  func completed() {}

  /// Called when the subject upstream is gone, so that no event can follow, not even an end. A stage passes this on
  /// and releases its upstream. A stage with several sources does so after the last of them.
  func sourceGone() {}

  /// Receives any event.
  final func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): next(element)
    case .error(let error): self.error(error)
    case .completed: completed()
    }
  }
}
