import Synchronization

/// The life of a ``Sink``. It does not depend on the type of the elements, and so costs no metadata at run time.
///
/// `@unchecked Sendable`: `state` is atomic. `upstream` is written before its bit is set, and released only by the call
/// that sets the second of the bits `upstreamSet` and `disposed`.
class AnySink: Disposable, @unchecked Sendable {
  private let state = Atomic<UInt8>(0)
  private var upstream: (any Disposable)?

  private static var disposedBit: UInt8 { 1 }
  private static var upstreamSetBit: UInt8 { 2 }

  init() { Resources.created() }

  deinit { Resources.destroyed() }

  /// Called once, after the upstream was disposed.
  func didDispose() {}

  /// Whether `dispose()` was called. One relaxed load.
  final var isDisposed: Bool { state.load(ordering: .relaxed) & Self.disposedBit != 0 }

  /// Whether this sink, or a sink that its events go to, is disposed. Those who subscribe again and again look at it:
  /// while a chain is being built, its disposal does not reach them.
  var isCut: Bool { isDisposed }

  /// Gives the sink its upstream, once; disposes it right away when the sink is disposed already.
  final func setUpstream(_ disposable: any Disposable) {
    upstream = disposable
    let old = state.bitwiseOr(Self.upstreamSetBit, ordering: .acquiringAndReleasing).oldValue
    if old & Self.disposedBit != 0 {
      upstream = nil
      disposable.dispose()
    }
  }

  /// Marks the sink disposed and disposes its upstream.
  final func dispose() {
    let old = state.bitwiseOr(Self.disposedBit, ordering: .acquiringAndReleasing).oldValue
    guard old & Self.disposedBit == 0 else { return }
    if old & Self.upstreamSetBit != 0, let upstream {
      self.upstream = nil
      upstream.dispose()
    }
    didDispose()
  }

  /// Marks the sink disposed and releases its upstream, which is gone. No `onDispose` is called.
  final func release() {
    let old = state.bitwiseOr(Self.disposedBit, ordering: .acquiringAndReleasing).oldValue
    if old & Self.disposedBit == 0, old & Self.upstreamSetBit != 0 { upstream = nil }
  }
}

/// One stage of a running subscription: it receives a stage's events and owns the subscription upstream of it.
///
/// A subscription is a chain of sinks. Events run down it, one virtual call a stage; disposal runs up it. An operator
/// makes its sinks of the few kinds that there are: ``Stage``, ``LockedStage``, ``ClosureSink``, ``InnerSink`` and, at
/// the end of a chain, ``EndSink``. The rules:
///
/// 1. **Serialisation.** A source calls its sink from one thread at a time, and each call sees what the last one did.
///    So a sink with one source needs no lock.
/// 2. **Ending.** A sink that ends on its own account sends the terminal event and disposes itself with everything
///    upstream. A synchronous source may send events after that, which the sink ignores.
/// 3. **Disposal.** `dispose()` is idempotent, may come from any thread and at any time, even before
///    ``setUpstream(_:)``, and disposes the upstream once. Timers and inner subscriptions belong to the argument of
///    `setUpstream`. References to the sink from its upstream do not leak: disposal cuts them.
/// `@unchecked Sendable`: see ``AnySink``; rule 1 serialises the subclasses' state.
class Sink<Element: Sendable>: AnySink, @unchecked Sendable {
  func next(_ element: Element) {}

  func error(_ error: any Error) {}

  func completed() {}

  /// Called when the subject upstream is gone, so that no event can follow, not even an end. A stage passes this on and
  /// releases its upstream. A stage with several sources does so after the last of them.
  func sourceGone() {}

  final func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): next(element)
    case .error(let error): self.error(error)
    case .completed: completed()
    }
  }

  /// Receives the end: an error, or the completion.
  final func end(_ error: (any Error)?) {
    if let error { self.error(error) } else { completed() }
  }
}

/// A sink that calls closures, with itself. `@unchecked Sendable`: the closures never change.
final class ClosureSink<Element: Sendable>: Sink<Element>, @unchecked Sendable {
  private let onNext: @Sendable (ClosureSink, Element) -> Void
  private let onEnd: @Sendable (ClosureSink, (any Error)?) -> Void
  private let onGone: @Sendable (ClosureSink) -> Void
  private let onDispose: (@Sendable (ClosureSink) -> Void)?

  init(
    onNext: @escaping @Sendable (ClosureSink, Element) -> Void,
    onEnd: @escaping @Sendable (ClosureSink, (any Error)?) -> Void,
    onGone: @escaping @Sendable (ClosureSink) -> Void = { _ in },
    onDispose: (@Sendable (ClosureSink) -> Void)? = nil
  ) {
    self.onNext = onNext
    self.onEnd = onEnd
    self.onGone = onGone
    self.onDispose = onDispose
  }

  override func next(_ element: Element) { onNext(self, element) }

  override func error(_ error: any Error) { onEnd(self, error) }

  override func completed() { onEnd(self, nil) }

  override func sourceGone() { onGone(self) }

  override func didDispose() { onDispose?(self) }
}

/// A sink beside `chain`, that of its operator, which its closures call. It is disposed before it hands over its end.
/// `@unchecked Sendable`: the closures never change.
final class InnerSink<Element: Sendable>: Sink<Element>, @unchecked Sendable {
  private let chain: AnySink
  private let onNext: @Sendable (Element) -> Void
  private let onEnd: @Sendable ((any Error)?) -> Void
  private let onGone: @Sendable () -> Void

  init(
    beside chain: AnySink, onNext: @escaping @Sendable (Element) -> Void,
    onEnd: @escaping @Sendable ((any Error)?) -> Void, onGone: @escaping @Sendable () -> Void = {}
  ) {
    self.chain = chain
    self.onNext = onNext
    self.onEnd = onEnd
    self.onGone = onGone
  }

  override var isCut: Bool { isDisposed || chain.isCut }

  override func next(_ element: Element) {
    if !isDisposed { onNext(element) }
  }

  override func error(_ error: any Error) { handleEnd(error) }

  override func completed() { handleEnd(nil) }

  override func sourceGone() {
    onGone()
    release()
  }

  private func handleEnd(_ error: (any Error)?) {
    guard !isDisposed else { return }
    dispose()
    onEnd(error)
  }
}

/// A sink between two others: receives `Input`, sends `Output` downstream. Terminal events pass on by default.
/// `@unchecked Sendable`: `downstream` never changes; for the subclasses' state see ``Sink``.
class OperatorSink<Input: Sendable, Output: Sendable>: Sink<Input>, @unchecked Sendable {
  final let downstream: Sink<Output>

  init(_ downstream: Sink<Output>) { self.downstream = downstream }

  final override var isCut: Bool { isDisposed || downstream.isCut }

  override func sourceGone() { passSourceGone() }

  override func error(_ error: any Error) { downstream.error(error) }

  override func completed() { downstream.completed() }

  final func passSourceGone() {
    downstream.sourceGone()
    release()
  }

  /// Ends the sequence downstream, and disposes this stage and everything upstream.
  final func finish(_ error: (any Error)? = nil) {
    downstream.end(error)
    dispose()
  }
}
