import Synchronization

/// The last sink of a chain. It lets no element through after a terminal event or disposal. `@unchecked Sendable`: the
/// closures never change, and the handle has a lock of its own.
final class EndSink<Element: Sendable>: Sink<Element>, @unchecked Sendable {
  let handle: SubscriptionHandle
  private let onNext: (@Sendable (Element) -> Void)?
  private let onGone: (@Sendable () -> Void)?
  private let onEnd: @Sendable ((any Error)?) -> Void

  /// `onGone` is called when nothing can come any more; `onEnd`, with the error if there is one, ends the subscription.
  init(
    _ handle: SubscriptionHandle, onNext: (@Sendable (Element) -> Void)?, onGone: (@Sendable () -> Void)? = nil,
    onEnd: @escaping @Sendable ((any Error)?) -> Void
  ) {
    self.handle = handle
    self.onNext = onNext
    self.onGone = onGone
    self.onEnd = onEnd
  }

  /// The end of a chain that passes everything to `observer`, which may be a stage of a longer chain.
  convenience init(_ observer: AnyObserver<Element>, endsFirst: Bool = false, onDisposed: (@Sendable () -> Void)? = nil)
  {
    let (sink, handle) = (observer.sink, SubscriptionHandle(onDisposed: onDisposed))
    self.init(handle, onNext: { sink.next($0) }, onGone: sink.sourceGone) { error in
      handle.end(endsFirst: endsFirst) { sink.end(error) }
    }
  }

  override var isCut: Bool { !handle.isLive }

  override func next(_ element: Element) { if handle.isLive { onNext?(element) } }

  override func error(_ error: any Error) { onEnd(error) }

  override func completed() { onEnd(nil) }

  override func sourceGone() {
    onGone?()
    handle.release()
  }

  /// Subscribes to `source`.
  func connect(_ source: Observable<Element>) -> any Disposable {
    handle.setUpstream(source.subscribe(self))
    return handle
  }
}

/// What `subscribe` returns. It holds the chain of the subscription until that has ended or was disposed of. After that
/// it holds nothing, so a bag that keeps it keeps none of the closures.
///
/// The last sink of the chain holds its handle, the handle holds the upstream, and neither holds the last sink.
final class SubscriptionHandle: Cancelable {
  private struct Content: Sendable {
    var upstream: (any Disposable)?
    let onDisposed: (@Sendable () -> Void)?
  }

  private let counted = CountedResource()
  private let stopped = Atomic<Bool>(false)
  private let content: Locked<Content?>

  /// A handle that calls `onDisposed` once, however the subscription ends.
  init(onDisposed: (@Sendable () -> Void)? = nil) { content = Locked(Content(onDisposed: onDisposed)) }

  /// Whether an element may still be delivered.
  var isLive: Bool { !stopped.load(ordering: .relaxed) }

  var isDisposed: Bool { content.withLock { $0 == nil } }

  /// Lets no more events through. Returns whether events could pass until now.
  func stop() -> Bool { !stopped.exchange(true, ordering: .relaxed) }

  /// Sets the upstream, once; disposes it at once if the subscription is already over.
  func setUpstream(_ upstream: any Disposable) {
    let isOver = content.withLock { content in
      content?.upstream = upstream
      return content == nil
    }
    if isOver { upstream.dispose() }
  }

  func dispose() {
    _ = stop()
    guard let content = content.withLock({ $0.take() }) else { return }
    content.upstream?.dispose()
    content.onDisposed?()
  }

  /// Releases a chain that can send nothing more, without ending the subscription.
  func release() {
    // It goes away outside of the lock.
    _ = content.withLock { $0?.upstream.take() }
  }

  /// Ends the subscription after a terminal event. As in RxSwift, `onDisposed` is called before the chain is disposed.
  func end() {
    guard let content = content.withLock({ $0.take() }) else { return }
    content.onDisposed?()
    content.upstream?.dispose()
  }

  /// Calls `send`, which sends a terminal event, and ends the subscription after that or, if `endsFirst`, before it.
  func end(endsFirst: Bool = false, _ send: () -> Void) {
    guard stop() else { return }
    if endsFirst { end() }
    send()
    end()
  }
}
